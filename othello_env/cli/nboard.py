"""``othello-env nboard``: let NBoard, or a program that speaks its protocol, play against an agent."""

import click

from othello_env.cli import _options as options
from othello_env.data.formats import ggf

__all__ = ["command"]


@click.command("nboard")
@click.option(
    "--agent",
    default="engine:depth={depth}",
    help="The agent that plays and analyses. {depth} in it is replaced by the depth that the other program sets.",
)
@options.seed_option()
def command(agent: str, seed: int) -> None:
    """Let NBoard, or another program that speaks its protocol, play against an agent and analyse with it.

    The other program sends commands to standard input, and gets answers on standard output. othello-env ends at the
    command quit or at the end of the input.
    """
    from othello_agents.programs.gtp_server import input_lines
    from othello_agents.programs.nboard_server import NBoardServer

    NBoardServer(agent, ggf.load, seed).serve(input_lines(), click.echo)
