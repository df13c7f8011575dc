"""A chart of learning curves, with two plots: scores over games or plies of training, and scores over seconds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PIL import Image

from othello_env.drawing.chart.axes import INKS, LEFT, draw_legend, even_ticks, legend_height, ticks_1_2_5
from othello_env.drawing.chart.canvas import BOTTOM, EDGE, TOP, Canvas, Panel

__all__ = ["CurvePoint", "learning_chart"]

_WIDTH, _HEIGHT = 420, 340  # the size of each of the two plots
_FEW_DECADES = 2  # if a logarithmic axis spans at most this many powers of ten, it also has the ticks 2, 5, 20, ...


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
    title: str, subtitle: str, curves: Mapping[str, Sequence[CurvePoint]], unit: str | None = "games"
) -> Image.Image:
    """Two plots of scores during training: one over games or plies, and one over seconds.

    The axis of the first plot is logarithmic. Such an axis has no zero. So the first plot leaves out points before any
    training (0 games or plies), unless the curve has no other point. The axis of the second plot begins at 0 seconds,
    and all its ticks have the same distance.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the scores were measured.
        curves: a mapping from labels to curves. There are at most eight curves, and each curve has at least one point.
        unit: what `CurvePoint.played` counts, such as games. If it is None, only the plot over seconds is drawn. Use
            None if the curves count different units.

    Raises:
        ValueError: there are more than eight curves.
    """
    top = TOP + legend_height(len(curves))
    height = top + _HEIGHT + BOTTOM
    canvas = Canvas(2 * (LEFT + _WIDTH) + EDGE, height, title, subtitle)
    draw_legend(canvas, [*curves], LEFT)
    middle, right = LEFT + _WIDTH, 2 * (LEFT + _WIDTH)
    if unit is not None:
        panel = Panel(LEFT, top, middle, height - BOTTOM)
        _draw_over_played(canvas, panel, curves, f"{unit} of training, logarithmic")
    panel = Panel(LEFT if unit is None else middle + LEFT, top, right, height - BOTTOM)
    _draw_over_seconds(canvas, panel, curves)
    return canvas.finished()


def _draw_over_played(canvas: Canvas, panel: Panel, curves: Mapping[str, Sequence[CurvePoint]], axis: str) -> None:
    lines = [[point for point in curve if point.played] or [curve[0]] for curve in curves.values()]
    numbers = [max(point.played, 1.0) for line in lines for point in line]
    ticks = ticks_1_2_5(min(numbers), max(numbers))
    low, high = math.log10(ticks[0]), math.log10(ticks[-1])
    shown = ticks if high - low <= _FEW_DECADES else [tick for tick in ticks if str(tick)[0] == "1"]

    def x(number: float) -> float:
        return panel.x((math.log10(max(number, 1.0)) - low) / (high - low))

    _draw_ticks(canvas, panel, shown, x)
    _draw(canvas, panel, [[(x(point.played), point.score) for point in line] for line in lines], axis)


def _draw_over_seconds(canvas: Canvas, panel: Panel, curves: Mapping[str, Sequence[CurvePoint]]) -> None:
    ticks = even_ticks(max(point.seconds for curve in curves.values() for point in curve))

    def x(seconds: float) -> float:
        return panel.x(seconds / ticks[-1])

    lines = [[(x(point.seconds), point.score) for point in curve] for curve in curves.values()]
    _draw_ticks(canvas, panel, ticks, x)
    _draw(canvas, panel, lines, "seconds of training")


def _draw_ticks(canvas: Canvas, panel: Panel, ticks: Sequence[int], x: Callable[[float], float]) -> None:
    for tick in ticks:
        canvas.tick(panel, x(tick), _tick_text(tick))


def _tick_text(tick: int) -> str:
    return f"{tick / 1_000_000:g}M" if tick >= 1_000_000 else f"{tick:,}"


def _draw(canvas: Canvas, panel: Panel, lines: Sequence[Sequence[tuple[float, float]]], axis: str) -> None:
    """Draw the grid of scores, the name of the axis, and the curves.

    Each point of a curve is a tuple (x in pixels, score).
    """
    canvas.scores(panel)
    canvas.axis(panel, axis)
    for line, ink in zip(lines, INKS, strict=False):
        canvas.curve([(x, panel.y(score)) for x, score in line], ink)
