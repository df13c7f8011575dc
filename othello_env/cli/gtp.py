"""``othello-env gtp``: an agent as an engine for any Othello program that speaks the Go Text Protocol (GTP)."""

import os
import select
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import click

from othello_env.agent import make_agent
from othello_env.cli import _options as options

__all__ = ["command"]

_LONGEST_LINE = 1 << 16  # characters
_LOOK_SECONDS = 1.0  # how often to check whether a program still reads the answers


@click.command("gtp")
@click.option("--agent", default="engine:ms=1000", help="The agent that plays.")
@options.size_option
@options.seed_option()
def command(agent: str, size: int, seed: int) -> None:
    """Let another Othello program play against an agent.

    The program sends commands of the Go Text Protocol (GTP) to standard input, and gets answers on standard output.
    This goes on until the command quit or the end of the input.
    """
    from othello_env.cli._gtp_server import GtpServer

    server = GtpServer(make_agent(agent, seed), f"othello-env {agent}", size, seed)
    with _ending_with_reader():
        while not server.is_done and (line := sys.stdin.readline(_LONGEST_LINE)):
            if len(line) == _LONGEST_LINE:
                raise click.ClickException(f"a command has at most {_LONGEST_LINE - 1:,} characters")
            answer = server.answer(line)
            if answer is not None:
                click.echo(answer + "\n")


@contextmanager
def _ending_with_reader() -> Iterator[None]:
    """End this process when no program can read its answers any more, even while the agent thinks."""
    if sys.platform == "win32":
        yield
        return
    poller = select.poll()
    poller.register(1, 0)  # report only when standard output (1) has lost its reader
    is_done = threading.Event()

    def watch() -> None:
        while not is_done.wait(_LOOK_SECONDS):
            if any(event & (select.POLLERR | select.POLLHUP) for _, event in poller.poll(0)):
                os._exit(2)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        is_done.set()
