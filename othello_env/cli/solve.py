"""``othello-env solve POSITION``: find the exact result of a position."""

from typing import Any

import click

from othello_env import drawing
from othello_env.agent import make_agent
from othello_env.cli import _options as options
from othello_env.cli.analyse import BOARDS_BEGIN_WITH_DASHES, position_from_text, position_options, summary
from othello_env.games.registry import GameSpec

__all__ = ["command"]


_MINUTES, _HOURS = 24, 28
"""With at most `_MINUTES` empty squares, solving usually takes a few minutes or less. With more, it takes hours.

With more than `_HOURS` empty squares, it takes years.
"""


@click.command("solve", context_settings=BOARDS_BEGIN_WITH_DASHES)
@position_options
@click.option("--result", "result_only", is_flag=True, help="Find out only who wins. This is quicker.")
@click.option(
    "--hash",
    "megabytes",
    type=click.IntRange(1, 1 << 16),
    default=64,
    help="The memory for the positions already searched, in MiB.",
)
def command(position: str, to_move: str | None, game: GameSpec, result_only: bool, megabytes: int) -> None:
    """Print the exact score of a position.

    The score is the final difference in discs, for the player to move, if both sides play perfectly. Empty squares
    count for the winner. POSITION is a transcript from the start or a board written as X, O and -, row by row from a1.
    A position with 20 empty squares takes seconds. Each further empty square multiplies the time by two to four.
    """
    state = position_from_text(position, to_move, game)
    solver: Any = make_agent(f"engine:hash={megabytes}")
    click.echo(drawing.text(state))
    if state.empties > _MINUTES and not state.is_over:
        time = "hours" if state.empties <= _HOURS else "years"
        click.echo(f"{state.empties} empty squares: this may take {time}; Ctrl-C ends it", err=True)

    def progress(nodes: int) -> None:
        options.show(f"{nodes / 1e6:,.1f} M nodes")

    try:
        analysis = solver.solve(state, result_only=result_only, progress=progress)
    finally:
        options.show("")
    click.echo(summary(analysis))
