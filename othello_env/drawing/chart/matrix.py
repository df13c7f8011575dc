"""A heat map of scores between the members of a league."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PIL import Image

from othello_env.drawing.chart.canvas import EDGE, FAINT, INK, TOP, Canvas

__all__ = ["matrix_chart"]

_LABEL, _LEAST_WIDTH = 220, 640
_LARGEST, _SMALLEST, _ROOM = 46, 5, 900  # the largest and the smallest side of a cell, and the space for a row of cells
_WRITTEN = 34  # cells with a side of at least this number of pixels show their scores
_LABELLED = 13  # if rows have at least this height in pixels, every row has a label
_LOW, _MIDDLE, _HIGH = (179, 84, 30), (247, 247, 244), (27, 127, 75)
_UNKNOWN = "#c9ced3"
_KEY, _BELOW = 18, 74


def matrix_chart(title: str, subtitle: str, names: Sequence[str], scores: Sequence[Sequence[float]]) -> Image.Image:
    """A heat map of scores. The colour of a cell shows the score of the row's member against the column's member.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the scores were measured.
        names: the names of the M members. M is at least 1.
        scores: M rows of M numbers from 0 to 1. A number is the score of the row's member against the column's member.
            A score is NaN if the two members have not met. The diagonal is not drawn.
    """
    m = len(names)
    side = max(min(_LARGEST, _ROOM // m), _SMALLEST)
    left, top = EDGE + _LABEL, TOP + (20 if side >= _LABELLED else 0)
    canvas = Canvas(max(left + side * m + EDGE, _LEAST_WIDTH), top + side * m + _BELOW, title, subtitle)
    step = math.ceil(_LABELLED / side)  # every step-th row has a label; step is 1 if there is space for all labels
    for i, name in enumerate(names):
        y = top + (i + 0.5) * side
        if i % step == 0:
            label = f"{i + 1}  {name}"
            canvas.text(EDGE, y, canvas.fitted(label, _LABEL - 12, size=13), size=13)
            canvas.text(left + (i + 0.5) * side, top - 10, str(i + 1), size=11, colour=FAINT, anchor="mm")
        for j, score in enumerate(scores[i]):
            if i != j:
                _draw_cell(canvas, left + j * side, top + i * side, side, score)
    _draw_key(canvas, left, top + side * m + 24)
    return canvas.finished()


def _draw_cell(canvas: Canvas, x: float, y: float, side: float, score: float) -> None:
    gap = 1 if side > _LABELLED else 0
    colour = _UNKNOWN if math.isnan(score) else _colour(score)
    canvas.box(x, y, x + side - gap, y + side - gap, colour)
    if side >= _WRITTEN and not math.isnan(score):
        ink = INK if 0.1 < score < 0.9 else "#ffffff"
        canvas.text(x + side / 2, y + side / 2, f"{score:.2f}", size=12, colour=ink, anchor="mm")


def _colour(score: float) -> str:
    """The colour of a score: brown for 0, nearly white for 1/2, green for 1."""
    end, share = (_HIGH, 2 * score - 1) if score > 0.5 else (_LOW, 1 - 2 * score)
    mixed = [round(middle + (full - middle) * share) for middle, full in zip(_MIDDLE, end, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _draw_key(canvas: Canvas, left: float, y: float) -> None:
    """Draw the key, which shows what the colours mean."""
    for tenth in range(11):
        x = left + tenth * _KEY
        canvas.box(x, y, x + _KEY, y + 12, _colour(tenth / 10))
    for score, x in ((0, left), (0.5, left + 5.5 * _KEY), (1, left + 11 * _KEY)):
        canvas.text(x, y + 24, f"{score:g}", size=12, colour=FAINT, anchor="mm")
    canvas.box(left + 13 * _KEY, y, left + 14 * _KEY, y + 12, _UNKNOWN)
    canvas.text(left + 14 * _KEY + 6, y + 6, "have not met", size=12, colour=FAINT)
