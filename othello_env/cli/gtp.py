"""``othello-env gtp``: an agent as an engine for any Othello program that speaks the Go Text Protocol."""

import sys

import click

from othello_env.agent import make_agent
from othello_env.cli import _options as options

__all__ = ["command"]


@click.command("gtp")
@click.option("--agent", default="engine:ms=1000", help="Who plays.")
@options.size_option
@options.seed_option()
def command(agent: str, size: int, seed: int) -> None:
    """Answer GTP commands on standard input until quit or its end."""
    from othello_agents.gtp_server import GtpServer

    server = GtpServer(make_agent(agent, seed), f"othello-env {agent}", size, seed)
    while not server.is_done and (line := sys.stdin.readline()):
        answer = server.answer(line)
        if answer is not None:
            click.echo(answer + "\n")
