"""A chart of an agent's scores against opponents, beside the agent's learning curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from othello_env.drawing.chart.canvas import BOTTOM, EDGE, FAINT, GREEN, TOP, WIDTH, Canvas, Panel

__all__ = ["ScoreRow", "score_chart"]

_ROW = 44
_FEWEST_ROWS = 4  # a chart is at least high enough for this number of rows
_COMPARE = "#b9c0c6"
_GAP, _CURVE = 72, 400  # in pixels: the space to the left of the learning curve, and the curve's width


@dataclass(frozen=True)
class ScoreRow:
    """A score, 0 to 1, with a label and an interval.

    Attributes:
        label: the text to the left of the score.
        score: the score.
        low: the lower end of the score's interval.
        high: the upper end of the score's interval.
        compare: a score for comparison, which is drawn as a grey line. The default is one half, the score between two
            equally strong agents.
    """

    label: str
    score: float
    low: float
    high: float
    compare: float = 0.5


def score_chart(
    title: str,
    subtitle: str,
    rows: Sequence[ScoreRow],
    curve: Sequence[tuple[float, float]] = (),
    curve_title: str = "",
    axis: str = "score (a draw counts one half)",
) -> Image.Image:
    """A picture of scores against opponents, one in each row. A learning curve may be to the right of the rows.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the scores were measured.
        rows: the scores, from top to bottom.
        curve: the points of the learning curve, each as (seconds of training, score). Without points, there is no
            curve.
        curve_title: the text above the curve.
        axis: the text below the rows, which says what the scores are.
    """
    width = WIDTH + (_GAP + _CURVE if curve else 0)
    height = TOP + _ROW * max(len(rows), _FEWEST_ROWS) + BOTTOM
    canvas = Canvas(width, height, title, subtitle)
    _draw_rows(canvas, Panel.of_rows(height - BOTTOM), rows, axis)
    if curve:
        panel = Panel(WIDTH + _GAP, TOP, width - EDGE, height - BOTTOM, largest=max(curve[-1][0], 1e-9))
        _draw_curve(canvas, panel, curve, curve_title)
    return canvas.finished()


def _draw_rows(canvas: Canvas, panel: Panel, rows: Sequence[ScoreRow], axis: str) -> None:
    for tenths in range(0, 11, 2):
        canvas.tick(panel, panel.x(tenths / 10), f"{tenths / 10:.1f}")
    canvas.axis(panel, axis)
    height = (panel.bottom - panel.top) / max(len(rows), 1)
    for place, row in enumerate(rows):
        y = panel.top + (place + 0.5) * height
        mark = panel.x(row.compare)
        canvas.line([(mark, y - height / 2), (mark, y + height / 2)], _COMPARE, 1.5)
        canvas.interval(panel.x(row.low), panel.x(row.high), panel.x(row.score), y, GREEN)
        canvas.row(panel, y, row.label, f"{row.score:.3f}")


def _draw_curve(canvas: Canvas, panel: Panel, curve: Sequence[tuple[float, float]], title: str) -> None:
    canvas.text(panel.left, panel.top - 20, title, size=14, colour=FAINT)
    canvas.scores(panel)
    for share in (0.0, 0.5, 1.0):
        seconds = share * panel.largest
        canvas.tick(panel, panel.x(seconds), f"{seconds:.0f}", grid=False)
    canvas.axis(panel, "seconds of training")
    canvas.curve([(panel.x(seconds), panel.y(score)) for seconds, score in curve], GREEN)
