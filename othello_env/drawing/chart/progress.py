"""A chart of a learner's ratings during training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image

from othello_env.drawing.chart.canvas import BOTTOM, EDGE, FAINT, GREEN, TOP, Canvas, Panel

__all__ = ["RatingPoint", "rating_chart"]

_WIDTH, _HEIGHT, _LEFT, _NAMES = 560, 340, 50, 240
_DISTANCES = (10, 20, 50, 100, 200, 500, 1000, 2000)
_MOST_TICKS = 8
_LEAST_APART = 15  # the least vertical distance between two names, in pixels


@dataclass(frozen=True)
class RatingPoint:
    """The rating of a learner after some training.

    Attributes:
        played: the number of plies, steps or games of training.
        elo: the rating.
        low: the lower end of the rating's interval.
        high: the upper end of the rating's interval.
    """

    played: float
    elo: float
    low: float
    high: float


def rating_chart(
    title: str, subtitle: str, points: Sequence[RatingPoint], lines: Mapping[str, float], axis: str
) -> Image.Image:
    """A chart of a learner's ratings in training, with intervals. Horizontal lines show the ratings of other agents.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the ratings were measured.
        points: the learner's ratings.
        lines: a mapping from the names of other agents to their ratings.
        axis: the text below the plot, which says what `RatingPoint.played` counts.

    Raises:
        ValueError: there are no points.
    """
    if not points:
        raise ValueError("expected at least one rating")
    values = [*lines.values(), *(end for point in points for end in (point.low, point.high))]
    low, high = min(values), max(values)
    distance = next((d for d in _DISTANCES if (high - low) / d <= _MOST_TICKS), _DISTANCES[-1])
    first, last = math.floor(low / distance), max(math.ceil(high / distance), math.floor(low / distance) + 1)
    canvas = Canvas(EDGE + _LEFT + _WIDTH + _NAMES, TOP + _HEIGHT + BOTTOM, title, subtitle)
    most = max(max(point.played for point in points), 1.0)
    panel = Panel(EDGE + _LEFT, TOP, EDGE + _LEFT + _WIDTH, TOP + _HEIGHT, 0.0, most)

    def height(elo: float) -> float:
        return panel.y((elo / distance - first) / (last - first))

    for tick in range(first, last + 1):
        canvas.level(panel, height(tick * distance), f"{tick * distance:,}")
    for share in (0.0, 0.5, 1.0):
        canvas.tick(panel, panel.x(share * most), _short(share * most), grid=False)
    canvas.axis(panel, axis)
    _draw_lines(canvas, panel, {name: height(elo) for name, elo in lines.items()})
    for point in points:
        x = panel.x(point.played)
        canvas.line([(x, height(point.low)), (x, height(point.high))], GREEN, 1.5)
    canvas.curve([(panel.x(point.played), height(point.elo)) for point in points], GREEN)
    return canvas.finished()


def _draw_lines(canvas: Canvas, panel: Panel, heights: Mapping[str, float]) -> None:
    """Draw a line at each height, with a name to its right. If two names are too close, move the lower name down."""
    free = -math.inf
    for name, y in sorted(heights.items(), key=lambda item: item[1]):
        canvas.line([(panel.left, y), (panel.right, y)], FAINT, 1.5)
        free = max(y, free + _LEAST_APART)
        canvas.text(panel.right + 8, free, canvas.fitted(name, _NAMES - 16, size=12), size=12, colour=FAINT)


def _short(number: float) -> str:
    """A number in few characters: ``2G``, ``1.2M``, ``350k``, ``64``."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= 0.9995 * size:  # a number a little below `size` is rounded to `size`
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"
