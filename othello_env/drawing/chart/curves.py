"""A chart of learning curves on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image

from othello_env.drawing.chart.canvas import BOTTOM, EDGE, LABELS, TOP, Canvas, Panel

__all__ = ["CurvePoint", "learning_chart"]

_INKS = ("#1b7f4b", "#1f5fa8", "#b3541e", "#7a3e9d", "#667079")
_WIDTH, _HEIGHT = 420, 340  # the size of each of the two plots
_LEFT = EDGE + 40  # the free space to the left of each plot, for the numbers
_LEGEND, _ABREAST = 24, 3  # the height of a row of the legend, and the number of labels in a row
_FEW_DECADES = 2  # an axis of at most this many decades also has the ticks 2, 5, 20, ...


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
    """Two plots of how scores grow: one over games or plies, one over seconds, both on logarithmic axes.

    A logarithmic axis has no zero. So the point before any training is left out, unless it is the only point.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the scores were measured.
        curves: at most five curves by label, each with at least one point.
        unit: what `CurvePoint.played` counts.
    """
    top = TOP + _LEGEND * math.ceil(len(curves) / _ABREAST)
    height = top + _HEIGHT + BOTTOM
    canvas = Canvas(2 * (_LEFT + _WIDTH) + EDGE, height, title, subtitle)
    _draw_legend(canvas, [*curves])
    for place, (axis, name) in enumerate((("played", unit), ("seconds", "seconds"))):
        left = _LEFT + place * (_WIDTH + _LEFT)
        lines = [
            [(max(getattr(point, axis), 1.0), point.score) for point in curve if point.played]
            or [(1.0, curve[0].score)]
            for curve in curves.values()
        ]
        _draw_plot(canvas, Panel(left, top, left + _WIDTH, height - BOTTOM), lines, f"{name} of training")
    return canvas.finished()


def _draw_legend(canvas: Canvas, labels: Sequence[str]) -> None:
    """Draw the labels beside their colours, above the plots so that they cover no points."""
    for place, (label, ink) in enumerate(zip(labels, _INKS, strict=False)):
        row, column = divmod(place, _ABREAST)
        left, y = _LEFT + column * LABELS, TOP + row * _LEGEND
        canvas.line([(left, y), (left + 24, y)], ink, 2)
        canvas.dot(left + 12, y, 3, ink)
        canvas.text(left + 32, y, canvas.fitted(label, LABELS - 48, size=13), size=13)


def _draw_plot(canvas: Canvas, panel: Panel, lines: Sequence[Sequence[tuple[float, float]]], axis: str) -> None:
    numbers = [number for line in lines for number, _ in line]
    ticks = _ticks(min(numbers), max(numbers))
    low, high = math.log10(ticks[0]), math.log10(ticks[-1])

    def x(number: float) -> float:
        return panel.x((math.log10(number) - low) / (high - low))

    canvas.scores(panel)
    for tick in ticks if high - low <= _FEW_DECADES else [tick for tick in ticks if str(tick)[0] == "1"]:
        canvas.tick(panel, x(tick), f"{tick // 1_000_000:,}M" if tick >= 1_000_000 else f"{tick:,}")
    canvas.axis(panel, axis)
    for line, ink in zip(lines, _INKS, strict=False):
        canvas.curve([(x(number), panel.y(score)) for number, score in line], ink)


def _ticks(smallest: float, largest: float) -> list[int]:
    """A part of the numbers 1, 2, 5, 10, 20, ...

    The first is the greatest that is at most `smallest`. The last is the least after it that is at least `largest`.

    >>> _ticks(64, 700), _ticks(64, 64)
    ([50, 100, 200, 500, 1000], [50, 100])
    """
    ticks = [digit * 10**decade for decade in range(math.ceil(math.log10(largest)) + 1) for digit in (1, 2, 5)]
    first = max(i for i, tick in enumerate(ticks) if tick <= smallest)
    last = next(i for i, tick in enumerate(ticks) if tick >= largest and i > first)
    return ticks[first : last + 1]
