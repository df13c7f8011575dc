"""``othello-env serve``: start the server of a page on which a person plays against agents in the browser."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from othello_env.cli import _options as options
from othello_env.games.registry import GameSpec
from othello_env.support.extras import import_extra
from othello_env.support.files import parse_json, read_file

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from othello_env.page.pool import WorkerPool
    from othello_env.page.results import Recorded

__all__ = ["command"]

_ADDRESS = "127.0.0.1"
_LARGEST_RESULTS = 4 << 20
_MOST_CONNECTIONS = 200  # further connections get an error


@click.command("serve")
@click.argument("agents", metavar="[AGENT]...", nargs=-1)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8750, help="The port of the page. 0 means any free port."
)
@click.option(
    "--results",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Show the results in this file. The file is JSON that benchmark or quickstart wrote, or JSON "
    "lines that tournament --out wrote. The option may be repeated.",
)
@click.option(
    "--runs",
    type=click.Path(file_okay=False, path_type=Path),
    help="Watch this folder, which may appear later: show its leagues and ratings, and offer its newest checkpoints as "
    "agents, also those that appear later.",
)
@click.option(
    "--network",
    help="The function that makes the networks of your own in the .safetensors files, as package.module:name or "
    "path.py:name. This runs its code.",
)
@options.game_option
@click.option("--seconds", type=options.FloatRange(1, 3600), default=60.0, help="How many seconds an agent may think.")
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
def command(
    agents: tuple[str, ...],
    port: int,
    results: tuple[Path, ...],
    runs: Path | None,
    network: str | None,
    game: GameSpec,
    seconds: float,
    browser: bool,
) -> None:
    """Play against agents in the browser, and see how they judge a position.

    Only this computer can open the page. The page offers the packaged agents and each AGENT that you give. AGENT is a
    spec (alphabeta:depth=4), a file of weights (agent.npz) or a Python function (policy.py:function). --network names
    the function that makes a network of your own. --game names the game with which the page begins.
    """
    import_extra("uvicorn", "page")
    import_extra("starlette", "page")
    from othello_env.page.app import make_app
    from othello_env.page.messages import page_games
    from othello_env.page.offers import FIRST_REQUESTS, given
    from othello_env.page.pool import WorkerPool
    from othello_env.page.runs import Runs

    if any(spec.partition(":")[0] == "human" for spec in agents):
        raise click.BadParameter("human is not an agent; the page always offers it.", param_hint="AGENT")
    if str(game) not in page_games():
        raise click.BadParameter(f"expected one of {', '.join(page_games())}, got {game}.", param_hint="--game")
    offers = given(agents, network)
    watched = None if runs is None else Runs(runs, network)
    shown = [_read_results(file) for file in results]
    with _listen(port) as listener:
        taken = listener.getsockname()[1]
        pool = WorkerPool(seconds=seconds)
        app = make_app(offers, taken, shown, pool, FIRST_REQUESTS, watched, str(game))
        _serve(app, listener, pool, lambda: _announce(f"http://{_ADDRESS}:{taken}/", browser))


def _announce(address: str, browser: bool) -> None:
    click.echo(f"{address}  (Ctrl-C stops it)")
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _serve(app: Starlette, listener: socket.socket, pool: WorkerPool, announce: Callable[[], None]) -> None:
    """Serve the page until an interrupt. Call `announce` when the page is ready.

    After the interrupt, the server stops first. Then the interrupt is raised again.
    """
    import uvicorn

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """Stop the server. Stopping takes at most two seconds, so further interrupts are ignored."""
            if not self.should_exit:
                super().handle_exit(sig, frame)

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            """Announce the page when it is ready. From then on, an interrupt stops the server cleanly."""
            await super().startup(sockets)
            announce()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            """Stop all agents that are thinking, so that no request waits for an answer. Then stop the server."""
            await pool.close()
            await super().shutdown(sockets)

    config = uvicorn.Config(
        app,
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=2,
        limit_concurrency=_MOST_CONNECTIONS,
    )
    Server(config).run(sockets=[listener])


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # On Windows, SO_REUSEADDR would let two servers use the same port. On other systems, it lets a new server use the
    # port soon after the end of an earlier server.
    if sys.platform != "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_ADDRESS, port))
        listener.listen(128)  # a browser can connect from now on; the server answers later
    except OSError as error:
        listener.close()
        raise click.ClickException(f"the page cannot use port {port}: {error.strerror}; try --port 0") from None
    return listener


def _read_results(file: Path) -> dict[str, Any] | Recorded:
    """The content of a file of results, or the games of a file of records."""
    from othello_env.page.results import Recorded, read_results

    try:
        if not file.is_file():  # reading a pipe might wait for ever
            raise ValueError("it is not a regular file")
        if Recorded.is_records(file):
            return Recorded.read(file)
        return read_results(file.name, parse_json(read_file(file, _LARGEST_RESULTS, "show results from")))
    except ValueError as error:
        raise click.BadParameter(f"{file}: {error}.", param_hint="--results") from None
