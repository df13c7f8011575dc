"""``othello-env nboard``: let NBoard, or a program that speaks its protocol, play against an agent."""

import queue
import threading

import click

from othello_env.cli import _options as options
from othello_env.cli._pipes import lines_of_reader

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
    from othello_env.cli._nboard_server import NBoardServer

    server = NBoardServer(agent, seed)
    commands: queue.SimpleQueue[str | Exception | None] = queue.SimpleQueue()
    with lines_of_reader() as lines:

        def read() -> None:
            try:
                for line in lines:
                    server.announce(line)  # if the line is a ping, the running search ends
                    commands.put(line)
                    if line.split()[:1] == ["quit"]:
                        break
                commands.put(None)
            except Exception as error:  # the main thread raises it again
                commands.put(error)

        threading.Thread(target=read, daemon=True).start()
        while (line := commands.get()) is not None:
            if isinstance(line, Exception):
                raise line
            for answer in server.answers(line):
                click.echo(answer)
            if server.is_done:
                break
