"""A chart that shows how a cost, such as time, grows with a size."""

from __future__ import annotations

import math
from collections.abc import Mapping

from PIL import Image

from othello_env.drawing.chart.axes import INKS, LEFT, draw_legend, legend_height, ticks_1_2_5
from othello_env.drawing.chart.canvas import BOTTOM, EDGE, LABELS, TOP, Canvas, Panel

__all__ = ["growth_chart"]

_WIDTH, _HEIGHT = 2 * LABELS, 380  # the width and the height of the plot in pixels
_PLACES = 50  # the space in pixels to the left of the first size and to the right of the last size


def growth_chart(
    title: str, subtitle: str, curves: Mapping[str, Mapping[int, float]], size: str, cost: str
) -> Image.Image:
    """A plot of costs over sizes. Both axes are logarithmic.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the costs were measured.
        curves: a mapping from labels to curves. A curve is a mapping from sizes to costs. There are at most eight
            curves, each curve has at least one cost, and each cost is at least 1.
        size: the text below the plot, which says what the sizes are.
        cost: the text above the plot, which says what the costs are and gives their unit.

    Raises:
        ValueError: a cost is below 1, or there are more than eight curves.
    """
    costs = [each for curve in curves.values() for each in curve.values()]
    if min(costs) < 1:
        raise ValueError(f"expected costs of at least 1, got {min(costs)}")
    sizes = sorted({each for curve in curves.values() for each in curve})
    top = TOP + legend_height(len(curves), abreast=2) + 28
    canvas = Canvas(LEFT + _WIDTH + EDGE, top + _HEIGHT + BOTTOM, title, subtitle)
    draw_legend(canvas, [*curves], LEFT, abreast=2)
    panel = Panel(LEFT, top, LEFT + _WIDTH, top + _HEIGHT)
    ticks = ticks_1_2_5(min(costs), max(costs))

    def x(number: int) -> float:
        share = math.log(number / sizes[0]) / math.log(sizes[-1] / sizes[0]) if len(sizes) > 1 else 0.5
        return panel.left + _PLACES + (panel.right - panel.left - 2 * _PLACES) * share

    def y(each: float) -> float:
        return panel.y(math.log(each / ticks[0]) / math.log(ticks[-1] / ticks[0]))

    for tick in ticks:
        canvas.level(panel, y(tick), f"{tick:,}")
    canvas.text(panel.left, panel.top - 18, cost, size=13)
    for each in sizes:
        canvas.tick(panel, x(each), f"{each:,}")
    canvas.axis(panel, size)
    for curve, ink in zip(curves.values(), INKS, strict=False):
        canvas.curve([(x(n), y(curve[n])) for n in sorted(curve)], ink)
    return canvas.finished()
