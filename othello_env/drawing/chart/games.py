"""A chart of many games: their results, their lengths and their openings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PIL import Image

from othello_env.drawing.chart.canvas import BOTTOM, EDGE, FAINT, GREEN, LABELS, TOP, WIDTH, Canvas, Panel

__all__ = ["games_chart"]

_SECOND, _DRAW = "#1f5fa8", "#b3541e"
_HEIGHT, _GAP = 240, 72  # the height of the two histograms, and the space between the histograms
_ROW, _MOST_ROWS = 26, 12
_MOST_BARS, _TAIL = 33, 0.001
_TICKS = (1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 200, 500)


def games_chart(
    title: str,
    subtitle: str,
    players: Sequence[str],
    margins: Mapping[int, int],
    plies: Mapping[int, int],
    openings: Mapping[str, int],
    heading: str = "openings",
) -> Image.Image:
    """A picture of many games: histograms of final margins and of lengths, and the most frequent openings in rows.

    Args:
        title: the text at the top.
        subtitle: a smaller text below the title.
        players: the names of the two sides.
        margins: for each margin, the number of games in which the first player was ahead by this margin at the end.
        plies: for each number of plies, the number of games with this length.
        openings: for each opening, given by its moves, the number of games with this opening. The twelve most frequent
            openings are shown.
        heading: the text above the openings.
    """
    rows = sorted(openings.items(), key=lambda item: (-item[1], item[0]))[:_MOST_ROWS]
    middle = TOP + _HEIGHT + BOTTOM
    height = middle + (TOP // 2 + _ROW * len(rows) + EDGE if rows else 0)
    canvas = Canvas(WIDTH, height, title, subtitle)
    width = (WIDTH - 2 * EDGE - _GAP - 40) / 2
    left = EDGE + 40
    panels = [Panel(x, TOP, x + width, TOP + _HEIGHT) for x in (left, left + width + _GAP)]
    _draw_histogram(canvas, panels[0], margins, f"margin of {players[0]}; brown: draws", signed=True)
    lengths = "plies; the outer bars include all shorter and longer games"
    _draw_histogram(canvas, panels[1], _trimmed(plies), lengths, signed=False)
    if rows:
        _draw_rows(canvas, middle, rows, sum(openings.values()), heading)
    return canvas.finished()


def _draw_histogram(canvas: Canvas, panel: Panel, counts: Mapping[int, int], axis: str, *, signed: bool) -> None:
    canvas.line([(panel.left, panel.bottom), (panel.right, panel.bottom)], FAINT)
    canvas.axis(panel, axis)
    if not counts:
        return
    step = next(step for step in (1, 2, 4, 8, 16, *range(32, 10**9, 32)) if len(_bins(counts, step)) <= _MOST_BARS)
    bins, total = _bins(counts, step), sum(counts.values())
    smallest, largest = min(bins) - 0.7, max(bins) + 0.7
    panel = Panel(panel.left, panel.top, panel.right, panel.bottom, smallest * step, largest * step)
    most = max(bins.values())
    width = 0.8 * (panel.right - panel.left) / (largest - smallest)
    for place, count in bins.items():
        colour = (GREEN if place > 0 else _DRAW if place == 0 else _SECOND) if signed else FAINT
        x = panel.x(place * step)
        canvas.line([(x, panel.bottom), (x, panel.y(count / most))], colour, width)
    distance = next(tick for tick in (*_TICKS, 10**9) if (largest - smallest) * step / tick <= 9)
    first = math.ceil(smallest * step / distance)
    for k in range(first, math.floor(largest * step / distance) + 1):
        text = f"{k * distance:+d}" if signed and k else str(k * distance)
        canvas.tick(panel, panel.x(k * distance), text, grid=False)
    canvas.text(panel.left - 8, panel.top, f"{most / total:.0%}", size=13, colour=FAINT, anchor="rm")


def _trimmed(counts: Mapping[int, int]) -> dict[int, int]:
    """Remove the smallest and the largest values, which few games have.

    A game with a removed value is counted at the nearest value that is kept. At most the fraction `_TAIL` of all games
    have a value that is removed because it is small. The same limit holds for large values.

    >>> _trimmed({1: 1, 60: 999, 61: 1000, 62: 999, 90: 1})
    {60: 1000, 61: 1000, 62: 1000}
    """
    values, total = sorted(counts), sum(counts.values())
    if not values:
        return {}
    seen, ends = 0, []
    for value in values:
        before, seen = seen, seen + counts[value]
        if seen > _TAIL * total and before < (1 - _TAIL) * total:
            ends.append(value)
    trimmed: dict[int, int] = {}
    for value in values:
        place = min(max(value, ends[0]), ends[-1])
        trimmed[place] = trimmed.get(place, 0) + counts[value]
    return trimmed


def _bins(counts: Mapping[int, int], step: int) -> dict[int, int]:
    """Add up the counts of neighbouring values in bins. Bin 0 has only the value 0.

    For k > 0, bin k has the values ``(k - 1) * step + 1`` to ``k * step``. Bin -k has the same values, but negative.

    >>> _bins({-3: 1, -1: 1, 0: 5, 1: 2, 2: 2, 3: 1}, 2)
    {-2: 1, -1: 1, 0: 5, 1: 4, 2: 1}
    """
    bins: dict[int, int] = {}
    for value, count in sorted(counts.items()):
        place = int(math.copysign(math.ceil(abs(value) / step), value))
        bins[place] = bins.get(place, 0) + count
    first, last = min(bins), max(bins)
    return {place: bins.get(place, 0) for place in range(first, last + 1)}


def _draw_rows(canvas: Canvas, top: float, rows: Sequence[tuple[str, int]], total: int, title: str) -> None:
    """Draw the counts of openings, one in each row."""
    panel = Panel.of_rows(top + TOP // 2 + _ROW * len(rows), 0, rows[0][1])
    canvas.text(EDGE, top + TOP // 4, title, size=14, colour=FAINT)
    for place, (name, count) in enumerate(rows):
        y = top + TOP // 2 + (place + 0.5) * _ROW
        canvas.line([(LABELS, y), (panel.x(count), y)], GREEN, _ROW * 0.6)
        canvas.row(panel, y, name, f"{count / total:.1%}")
