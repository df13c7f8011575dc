"""The common parts of all charts with curves: colours, a legend, and the numbers of an axis."""

import math
from collections.abc import Sequence

from othello_env.drawing.chart.canvas import EDGE, LABELS, TOP, Canvas

__all__ = ["INKS", "LEFT", "draw_legend", "even_ticks", "legend_height", "ticks_1_2_5"]

INKS = ("#1b7f4b", "#1f5fa8", "#b3541e", "#7a3e9d", "#667079", "#c2185b", "#00838f", "#8d6e00")
"""The colours of the curves."""
LEFT = EDGE + 40
"""The width of the space for numbers to the left of a plot, in pixels."""
_LEGEND = 24  # the height of a row of the legend


def legend_height(labels: int, abreast: int = 3) -> int:
    """The height of a legend in pixels. `labels` is the number of labels, `abreast` the number of labels in a row."""
    return _LEGEND * math.ceil(labels / abreast)


def draw_legend(canvas: Canvas, labels: Sequence[str], left: float, abreast: int = 3) -> None:
    """Draw a legend: the label of each curve beside the curve's colour. The legend is above the plots.

    Args:
        canvas: the canvas.
        labels: the labels of the curves. The first label gets the first colour of `INKS`, and so on.
        left: the x of the legend's left side.
        abreast: the number of labels in a row.

    Raises:
        ValueError: there are more labels than colours.
    """
    if len(labels) > len(INKS):
        raise ValueError(f"a chart has at most {len(INKS)} curves, not {len(labels)}")
    for place, (label, ink) in enumerate(zip(labels, INKS, strict=False)):
        row, column = divmod(place, abreast)
        x, y = left + column * LABELS, TOP + row * _LEGEND
        canvas.line([(x, y), (x + 24, y)], ink, 2)
        canvas.dot(x + 12, y, 3, ink)
        canvas.text(x + 32, y, canvas.fitted(label, LABELS - 48, size=13), size=13)


def ticks_1_2_5(smallest: float, largest: float) -> list[int]:
    """Choose ticks for an axis from `smallest` to `largest`. The ticks are from the series 1, 2, 5, 10, 20, ...

    If `smallest` is not in the series, the first tick is the next smaller number of the series. If `largest` is not in
    the series, the last tick is the next larger number. All numbers of the series between the first and the last tick
    are ticks, too. There are at least two ticks.

    >>> ticks_1_2_5(64, 700), ticks_1_2_5(64, 64)
    ([50, 100, 200, 500, 1000], [50, 100])
    """
    ticks = [digit * 10**decade for decade in range(math.ceil(math.log10(largest)) + 1) for digit in (1, 2, 5)]
    first = max(i for i, tick in enumerate(ticks) if tick <= smallest)
    last = next(i for i, tick in enumerate(ticks) if tick >= largest and i > first)
    return ticks[first : last + 1]


def even_ticks(largest: float) -> list[int]:
    """Choose at most six ticks at equal distances. The first tick is 0, and the last tick is `largest` or more.

    The distance is one of the numbers 1, 2, 5, 10, 20, ...

    >>> even_ticks(700), even_ticks(3), even_ticks(0)
    ([0, 200, 400, 600, 800], [0, 1, 2, 3], [0, 1])
    """
    step = next(step for step in ticks_1_2_5(1, largest + 1) if 5 * step >= largest)
    return [step * k for k in range(max(1, math.ceil(largest / step)) + 1)]
