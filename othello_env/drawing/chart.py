"""Charts of results: scores with intervals, and learning curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

__all__ = ["CurvePoint", "ScoreRow", "learning_chart", "score_chart"]

_SCALE = 2  # drawn larger than shown, then reduced, so that edges are smooth
_WIDTH, _TOP, _ROW, _BOTTOM, _EDGE = 960, 92, 44, 62, 28
_LABELS = 300
_CURVE = 400
_GAP = 72
_PAPER, _INK, _FAINT, _GRID = "#ffffff", "#20262b", "#667079", "#dde2e6"
_MARK, _CURVE_INK, _HALF = "#1b7f4b", "#1b7f4b", "#b9c0c6"
_INKS = ("#1b7f4b", "#1f5fa8", "#b3541e", "#7a3e9d", "#667079")
_PLOT = 420


@dataclass(frozen=True)
class ScoreRow:
    """A score, 0 to 1, with its interval, under a label."""

    label: str
    score: float
    low: float
    high: float


@dataclass(frozen=True)
class CurvePoint:
    """What a learner scored, 0 to 1, after so many games and seconds of training (at least 1 of each)."""

    games: float
    seconds: float
    score: float


@dataclass(frozen=True)
class _Panel:
    """Maps numbers to places within a rectangle (left, top, right, bottom), in shown pixels."""

    left: float
    top: float
    right: float
    bottom: float
    largest: float = 1.0

    def x(self, value: float) -> float:
        return self.left + (self.right - self.left) * value / self.largest

    def y(self, score: float) -> float:
        return self.bottom - (self.bottom - self.top) * score


class _Canvas:
    """Draws in shown pixels on a larger picture."""

    def __init__(self, width: int, height: int) -> None:
        self.image = Image.new("RGB", (width * _SCALE, height * _SCALE), _PAPER)
        self._draw = ImageDraw.Draw(self.image)
        self._size = (width, height)

    def line(self, points: Sequence[tuple[float, float]], colour: str, width: float = 1) -> None:
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        self._draw.line(scaled, fill=colour, width=round(width * _SCALE), joint="curve")

    def dot(self, x: float, y: float, radius: float, colour: str) -> None:
        box = [(x - radius) * _SCALE, (y - radius) * _SCALE, (x + radius) * _SCALE, (y + radius) * _SCALE]
        self._draw.ellipse(box, fill=colour)

    def text(self, x: float, y: float, text: str, size: int = 15, colour: str = _INK, anchor: str = "lm") -> None:
        font = ImageFont.load_default(size * _SCALE)
        self._draw.text((x * _SCALE, y * _SCALE), text, fill=colour, font=font, anchor=anchor)

    def finished(self) -> Image.Image:
        return self.image.resize(self._size, Image.Resampling.LANCZOS)


def score_chart(
    title: str,
    subtitle: str,
    rows: Sequence[ScoreRow],
    curve: Sequence[tuple[float, float]] = (),
    curve_title: str = "",
) -> Image.Image:
    """A picture of scores against opponents, one line each, and of a learning curve.

    Args:
        title: above all.
        subtitle: how it was measured, in a smaller type.
        rows: the scores, from top to bottom.
        curve: points (seconds, score); without any, the scores have the picture to themselves.
        curve_title: above the curve.
    """
    width = _WIDTH + (_GAP + _CURVE if curve else 0)
    height = _TOP + _ROW * max(len(rows), 4) + _BOTTOM
    canvas = _Canvas(width, height)
    canvas.text(_EDGE, 30, title, size=21)
    canvas.text(_EDGE, 58, subtitle, size=14, colour=_FAINT)
    _draw_rows(canvas, _Panel(_LABELS, _TOP, _WIDTH - 90, height - _BOTTOM), rows)
    if curve:
        left = _WIDTH + _GAP
        panel = _Panel(left, _TOP, width - _EDGE, height - _BOTTOM, max(curve[-1][0], 1e-9))
        _draw_curve(canvas, panel, curve, curve_title)
    return canvas.finished()


def _draw_rows(canvas: _Canvas, panel: _Panel, rows: Sequence[ScoreRow]) -> None:
    for tenths in range(0, 11, 2):
        x = panel.x(tenths / 10)
        canvas.line([(x, panel.top), (x, panel.bottom)], _GRID)
        canvas.text(x, panel.bottom + 16, f"{tenths / 10:.1f}", size=13, colour=_FAINT, anchor="mm")
    half = panel.x(0.5)
    canvas.line([(half, panel.top), (half, panel.bottom)], _HALF, 1.5)
    canvas.text(panel.x(0.5), panel.bottom + 40, "score (a draw counts one half)", size=13, colour=_FAINT, anchor="mm")
    for place, row in enumerate(rows):
        y = panel.top + (place + 0.5) * (panel.bottom - panel.top) / len(rows)
        canvas.text(_EDGE, y, row.label, size=15)
        canvas.line([(panel.x(row.low), y), (panel.x(row.high), y)], _MARK, 3)
        for end in (row.low, row.high):
            canvas.line([(panel.x(end), y - 6), (panel.x(end), y + 6)], _MARK, 2)
        canvas.dot(panel.x(row.score), y, 6, _MARK)
        canvas.text(panel.right + 24, y, f"{row.score:.3f}", size=15)


def _draw_scores(canvas: _Canvas, panel: _Panel) -> None:
    """The lines of equal score."""
    for tenths in range(0, 11, 2):
        y = panel.y(tenths / 10)
        canvas.line([(panel.left, y), (panel.right, y)], _HALF if tenths == 5 else _GRID)
        canvas.text(panel.left - 10, y, f"{tenths / 10:.1f}", size=13, colour=_FAINT, anchor="rm")


def _draw_curve(canvas: _Canvas, panel: _Panel, curve: Sequence[tuple[float, float]], title: str) -> None:
    _draw_scores(canvas, panel)
    for share in (0.0, 0.5, 1.0):
        seconds = share * panel.largest
        canvas.text(panel.x(seconds), panel.bottom + 16, f"{seconds:.0f}", size=13, colour=_FAINT, anchor="mm")
    middle = (panel.left + panel.right) / 2
    canvas.text(middle, panel.bottom + 40, "seconds of training", size=13, colour=_FAINT, anchor="mm")
    canvas.text(panel.left, panel.top - 20, title, size=14, colour=_FAINT)
    points = [(panel.x(seconds), panel.y(score)) for seconds, score in curve]
    canvas.line(points, _CURVE_INK, 2)
    for x, y in points:
        canvas.dot(x, y, 3, _CURVE_INK)


def learning_chart(title: str, subtitle: str, curves: Mapping[str, Sequence[CurvePoint]]) -> Image.Image:
    """A picture of how scores grow with games and with seconds, both on logarithmic axes.

    Args:
        title: above all.
        subtitle: how it was measured, in a smaller type.
        curves: at most five, each with at least one point, under their labels.
    """
    width, height = 2 * (_EDGE + 40 + _PLOT) + _EDGE, _TOP + 340 + _BOTTOM
    canvas = _Canvas(width, height)
    canvas.text(_EDGE, 30, title, size=21)
    canvas.text(_EDGE, 58, subtitle, size=14, colour=_FAINT)
    for place, axis in enumerate(("games", "seconds")):
        left = _EDGE + 40 + place * (_PLOT + _EDGE + 40)
        panel = _Panel(left, _TOP, left + _PLOT, height - _BOTTOM)
        lines = [[(getattr(point, axis), point.score) for point in curve] for curve in curves.values()]
        _draw_logarithmic(canvas, panel, lines, f"{axis} of training")
    for place, (label, ink) in enumerate(zip(curves, _INKS, strict=False)):
        y = height - _BOTTOM - 22 * (len(curves) - place)
        canvas.line([(width - _EDGE - 300, y), (width - _EDGE - 276, y)], ink, 2)
        canvas.text(width - _EDGE - 268, y, label, size=13)
    return canvas.finished()


def _draw_logarithmic(
    canvas: _Canvas, panel: _Panel, lines: Sequence[Sequence[tuple[float, float]]], axis: str
) -> None:
    numbers = [number for line in lines for number, _ in line]
    low = math.floor(math.log10(min(numbers)) * 2) / 2
    high = max(math.ceil(math.log10(max(numbers)) * 2) / 2, low + 0.5)

    def x(number: float) -> float:
        return panel.x((math.log10(number) - low) / (high - low))

    _draw_scores(canvas, panel)
    for decade in range(math.ceil(low), math.floor(high) + 1):
        at = x(10**decade)
        canvas.line([(at, panel.top), (at, panel.bottom)], _GRID)
        canvas.text(at, panel.bottom + 16, f"{10**decade:,}", size=13, colour=_FAINT, anchor="mm")
    canvas.text((panel.left + panel.right) / 2, panel.bottom + 40, axis, size=13, colour=_FAINT, anchor="mm")
    for line, ink in zip(lines, _INKS, strict=False):
        points = [(x(number), panel.y(score)) for number, score in line]
        canvas.line(points, ink, 2)
        for point in points:
            canvas.dot(*point, 3, ink)
