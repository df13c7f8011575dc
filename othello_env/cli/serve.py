"""``othello-env serve``: the browser page."""

import socket
import threading
import webbrowser
from pathlib import Path
from typing import Any

import click

from othello_env.agent import make_agent
from othello_env.cli import _options as options
from othello_env.support.extras import import_extra
from othello_env.support.files import parse_json, read_file

__all__ = ["command"]

_ADDRESS = "127.0.0.1"
_LARGEST_RESULTS = 4 << 20


@click.command("serve")
@click.argument("agents", metavar="[AGENT]...", nargs=-1)
@click.option("--port", type=click.IntRange(0, 65535), default=8750, help="0 takes any that is free.")
@click.option(
    "--results",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A JSON file that benchmark, quickstart or a training script wrote, to be shown; may be repeated.",
)
@click.option("--seconds", type=options.FloatRange(1, 3600), default=60.0, help="The longest that an agent may think.")
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
def command(agents: tuple[str, ...], port: int, results: tuple[Path, ...], seconds: float, browser: bool) -> None:
    """Play, watch and look into agents in the browser, at an address that only this computer reaches.

    The page offers the packaged agents and each AGENT (a spec, a file of weights, or policy.py:function).
    """
    uvicorn = import_extra("uvicorn", "page")
    import_extra("starlette", "page")
    from othello_env.page.app import make_app
    from othello_env.page.connections import MOST_CONNECTIONS, Connection
    from othello_env.page.offers import FIRST_REQUESTS, PACKAGED, Offer, games_of
    from othello_env.page.thinking import Thinkers

    if any(spec.partition(":")[0] == "human" for spec in agents):
        raise click.BadParameter("human is whoever sits at the page.", param_hint="AGENT")
    yours = [Offer(spec, "yours", games_of(make_agent(spec))) for spec in dict.fromkeys(agents)]
    offers = [*yours, *(offer for offer in PACKAGED if offer.spec not in agents)]
    shown = [_read_results(file) for file in results]
    with _listen(port) as listener:
        taken = listener.getsockname()[1]
        address = f"http://{_ADDRESS}:{taken}/"
        thinkers = Thinkers(seconds=seconds)
        app = make_app(offers, taken, shown, thinkers, FIRST_REQUESTS)
        config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=2,
            limit_concurrency=MOST_CONNECTIONS,
        )

        class Server(uvicorn.Server):  # type: ignore[misc,name-defined]  # imported where it is used
            def handle_exit(self, sig: int, frame: Any) -> None:
                """Stop; a further interrupt changes nothing, since that is a matter of two seconds."""
                if not self.should_exit:
                    super().handle_exit(sig, frame)

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                """Tell the address once an interrupt is no more than a wish to stop."""
                await super().startup(sockets)
                click.echo(f"{address}  (Ctrl-C stops it)")
                if browser:
                    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

            async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                """End what is thought about first, so that no answer is waited for."""
                await thinkers.close()
                await super().shutdown(sockets)

        Server(config).run(sockets=[listener])  # raises the interrupt again


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_ADDRESS, port))
        listener.listen(128)  # a browser that is quicker than the server waits
    except OSError as error:
        listener.close()
        raise click.ClickException(f"port {port} cannot be served on: {error.strerror}; try --port 0") from None
    return listener


def _read_results(file: Path) -> dict[str, Any]:
    from othello_env.page.results import read_results

    try:
        return read_results(file.name, parse_json(read_file(file, _LARGEST_RESULTS, "show results from")))
    except ValueError as error:
        raise click.BadParameter(f"{file}: {error}.", param_hint="--results") from None
