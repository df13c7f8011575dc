"""A chart of learning curves on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image

from othello_env.drawing.chart.axes import INKS, LEFT, draw_legend, legend_height, ticks_1_2_5
from othello_env.drawing.chart.canvas import BOTTOM, EDGE, TOP, Canvas, Panel

__all__ = ["CurvePoint", "learning_chart"]

_WIDTH, _HEIGHT = 420, 340  # the size of each of the two plots
_FEW_DECADES = 2  # an axis over at most this many powers of ten also has the ticks 2, 5, 20, ...


@dataclass(frozen=True)
class CurvePoint:
    """A learner's score after some training.

    Attributes:
        played: the number of games or plies of training.
        seconds: the duration of the training.
        score: the score, 0 to 1.
    """

    played: float
    seconds: float
    score: float


def learning_chart(
    title: str, subtitle: str, curves: Mapping[str, Sequence[CurvePoint]], unit: str = "games"
) -> Image.Image:
    """Two plots of scores during training: one over games or plies, and one over seconds.

    The axes for games, plies and seconds are logarithmic. A logarithmic axis has no zero. So the point before any
    training is left out, except if it is the only point of its curve.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the scores were measured.
        curves: a mapping from labels to curves. There are at most eight curves, and each curve has at least one point.
        unit: the name of what `CurvePoint.played` counts, such as games.

    Raises:
        ValueError: there are more than eight curves.
    """
    top = TOP + legend_height(len(curves))
    height = top + _HEIGHT + BOTTOM
    canvas = Canvas(2 * (LEFT + _WIDTH) + EDGE, height, title, subtitle)
    draw_legend(canvas, [*curves], LEFT)
    for place, (axis, name) in enumerate((("played", unit), ("seconds", "seconds"))):
        left = LEFT + place * (_WIDTH + LEFT)
        lines = [
            [(max(getattr(point, axis), 1.0), point.score) for point in curve if point.played]
            or [(1.0, curve[0].score)]
            for curve in curves.values()
        ]
        _draw_plot(canvas, Panel(left, top, left + _WIDTH, height - BOTTOM), lines, f"{name} of training")
    return canvas.finished()


def _draw_plot(canvas: Canvas, panel: Panel, lines: Sequence[Sequence[tuple[float, float]]], axis: str) -> None:
    numbers = [number for line in lines for number, _ in line]
    ticks = ticks_1_2_5(min(numbers), max(numbers))
    low, high = math.log10(ticks[0]), math.log10(ticks[-1])

    def x(number: float) -> float:
        return panel.x((math.log10(number) - low) / (high - low))

    canvas.scores(panel)
    for tick in ticks if high - low <= _FEW_DECADES else [tick for tick in ticks if str(tick)[0] == "1"]:
        canvas.tick(panel, x(tick), f"{tick // 1_000_000:,}M" if tick >= 1_000_000 else f"{tick:,}")
    canvas.axis(panel, axis)
    for line, ink in zip(lines, INKS, strict=False):
        canvas.curve([(x(number), panel.y(score)) for number, score in line], ink)
