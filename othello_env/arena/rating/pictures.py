"""A picture of a rating: the ratings of a ladder's opponents, and between them that of the agent."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from othello_env.drawing.charts import Row, row_chart
from othello_env.support.words import elo_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from othello_env.arena.rating.ladder import Placement

__all__ = ["placement_chart"]


def placement_chart(placement: Placement, name: str = "the agent") -> Figure:
    """A chart of the ratings of the ladder's opponents and of the agent, each with its 95% interval.

    Args:
        placement: the agent's results, with at least one game.
        name: the agent's name.
    """
    rows = [Row(rung.spec, rung.elo, *rung.interval, elo_text(rung.elo)) for rung in placement.ladder.rungs]
    low, high = placement.interval
    if placement.open_end == "above":
        own = Row(name, low, low, math.inf, f"> {elo_text(low)}", own=True)
    elif placement.open_end == "below" or placement.elo is None:
        own = Row(name, high, -math.inf, high, f"< {elo_text(high)}", own=True)
    else:
        own = Row(name, placement.elo, low, high, elo_text(placement.elo), own=True)
    return row_chart(
        f"{own.label} on {placement.ladder.name}: Elo {placement.elo_text}",
        f"{placement.games} games in colour-swapped pairs from balanced openings; 95% intervals, random = 0",
        sorted([*rows, own], key=lambda row: -row.value),
        "Elo (95% intervals)",
    )
