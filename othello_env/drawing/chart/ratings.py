"""A chart of Elo ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from othello_env.drawing.chart.canvas import BOTTOM, FAINT, GREEN, INK, TOP, WIDTH, Canvas, Panel

__all__ = ["EloRow", "elo_chart"]

_ROW = 30
_TICKS = (50, 100, 200, 250, 500, 1000)
"""The possible distances between neighbouring lines of the grid, in Elo.

A chart uses the smallest distance that divides the range from the lowest to the highest Elo into at most `_MOST_TICKS`
parts. If even the largest distance gives more parts, the chart still uses it.
"""
_MOST_TICKS = 12


@dataclass(frozen=True)
class EloRow:
    """A rating with a label and an interval.

    Attributes:
        label: the text to the left of the rating.
        elo: the rating.
        low: the lower end of the rating's interval.
        high: the upper end of the rating's interval.
        own: True for the agent that was measured. Its row is highlighted.
        beyond: ``"above"`` if the interval has no upper end, ``"below"`` if it has no lower end, otherwise None. The
            chart shows an arrow instead of the missing end.
    """

    label: str
    elo: float
    low: float
    high: float
    own: bool = False
    beyond: str | None = None


def elo_chart(title: str, subtitle: str, rows: Sequence[EloRow]) -> Image.Image:
    """A picture of ratings. Each row shows one rating.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the ratings were measured.
        rows: the ratings, from top to bottom.
    """
    height = TOP + _ROW * len(rows) + BOTTOM
    canvas = Canvas(WIDTH, height, title, subtitle)
    smallest = min(row.elo if row.beyond == "below" else row.low for row in rows)
    largest = max(row.elo if row.beyond == "above" else row.high for row in rows)
    tick = next((tick for tick in _TICKS if (largest - smallest) / tick <= _MOST_TICKS), _TICKS[-1])
    first = math.floor(smallest / tick)
    last = max(math.ceil(largest / tick), first + 1)
    panel = Panel.of_rows(height - BOTTOM, first * tick, last * tick)
    for elo in range(first * tick, last * tick + 1, tick):
        canvas.tick(panel, panel.x(elo), str(elo))
    canvas.axis(panel, "Elo (95% intervals)")
    for place, row in enumerate(rows):
        _draw_row(canvas, panel, panel.top + (place + 0.5) * _ROW, row)
    return canvas.finished()


def _draw_row(canvas: Canvas, panel: Panel, y: float, row: EloRow) -> None:
    colour, ink = (GREEN, GREEN) if row.own else (FAINT, INK)
    value = f"{row.elo:.0f}"
    if row.beyond is None:
        canvas.interval(panel.x(row.low), panel.x(row.high), panel.x(row.elo), y, colour, 5 if row.own else 4)
    elif row.beyond == "above":
        value = f"> {row.low:.0f}"
        _draw_arrow(canvas, panel.x(row.low), panel.right, y, 9, colour)
    else:
        value = f"< {row.high:.0f}"
        _draw_arrow(canvas, panel.x(row.high), panel.left, y, -9, colour)
    canvas.row(panel, y, row.label, value, ink)


def _draw_arrow(canvas: Canvas, x: float, tip: float, y: float, head: float, colour: str) -> None:
    """Draw an arrow for an interval that has only a lower or only an upper end. The arrow begins at this end.

    `head` is the length of the arrowhead in pixels. It is negative if the arrow points left.
    """
    canvas.line([(x, y), (tip, y)], colour, 2.5)
    canvas.line([(tip - head, y - 6), (tip, y), (tip - head, y + 6)], colour, 2.5)
    canvas.line([(x, y - 5), (x, y + 5)], colour, 2)
