"""``othello-env gtp``: let Othello programs that speak the Go Text Protocol (GTP) play against an agent."""

import click

from othello_env.agent import make_agent
from othello_env.cli import _options as options

__all__ = ["command"]


@click.command("gtp")
@click.option("--agent", default="engine:ms=1000", help="The agent that plays.")
@options.size_option
@options.seed_option()
def command(agent: str, size: int, seed: int) -> None:
    """Let another Othello program play against an agent.

    The other program sends commands of the Go Text Protocol (GTP) to standard input, and gets answers on standard
    output. othello-env ends at the command quit or at the end of the input.
    """
    from othello_agents.programs.gtp_server import GtpServer, input_lines

    GtpServer(make_agent(agent, seed), f"othello-env {agent}", size, seed).serve(input_lines(), click.echo)
