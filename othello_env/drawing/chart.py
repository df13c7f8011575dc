"""Charts of results: scores with intervals, learning curves, and ratings."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

__all__ = ["CurvePoint", "EloRow", "ScoreRow", "elo_chart", "learning_chart", "png", "score_chart"]

_SCALE = 2  # drawn larger than shown, then reduced, so that edges are smooth
_WIDTH, _TOP, _ROW, _BOTTOM, _EDGE = 960, 92, 44, 62, 28
_LABELS = 300
_CURVE = 400
_GAP = 72
_PAPER, _INK, _FAINT, _GRID = "#ffffff", "#20262b", "#667079", "#dde2e6"
_MARK, _CURVE_INK, _HALF = "#1b7f4b", "#1b7f4b", "#b9c0c6"
_INKS = ("#1b7f4b", "#1f5fa8", "#b3541e", "#7a3e9d", "#667079")
_PLOT = 420
_LEGEND, _ABREAST = 24, 3  # a legend's rows, and labels in each
_ELO_ROW = 30
_TICKS = (50, 100, 200, 250, 500, 1000)  # Elo between two lines of the grid
_MOST_TICKS = 12
_FEW_DECADES = 2  # on a logarithmic axis that has room for more ticks than one a decade


@dataclass(frozen=True)
class ScoreRow:
    """A score, 0 to 1, with its interval, under a label."""

    label: str
    score: float
    low: float
    high: float


@dataclass(frozen=True)
class CurvePoint:
    """What a learner scored, 0 to 1, after so many games or plies and seconds of training."""

    played: float
    seconds: float
    score: float


@dataclass(frozen=True)
class EloRow:
    """A rating with its interval under a label.

    Attributes:
        own: whether it stands out among the others.
        beyond: ``"above"`` or ``"below"`` if the rating has no such limit: an arrow stands for that end.
    """

    label: str
    elo: float
    low: float
    high: float
    own: bool = False
    beyond: str | None = None


@dataclass(frozen=True)
class _Panel:
    """Maps numbers to places within a rectangle (left, top, right, bottom), in shown pixels."""

    left: float
    top: float
    right: float
    bottom: float
    largest: float = 1.0
    smallest: float = 0.0

    def x(self, value: float) -> float:
        return self.left + (self.right - self.left) * (value - self.smallest) / (self.largest - self.smallest)

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

    def fitted(self, text: str, width: float, size: int = 15) -> str:
        """A text, its middle left out if it is wider than so many shown pixels."""
        font = ImageFont.load_default(size * _SCALE)
        short, kept = text, len(text)
        while self._draw.textlength(short, font) > width * _SCALE and kept > 2:
            kept -= 1
            short = f"{text[: (kept + 1) // 2]}...{text[-(kept // 2) :]}"
        return short

    def interval(self, low: float, high: float, middle: float, y: float, colour: str, size: float = 6) -> None:
        """A dot with a line from `low` to `high` and its ends marked."""
        self.line([(low, y), (high, y)], colour, size / 2)
        for end in (low, high):
            self.line([(end, y - size), (end, y + size)], colour, size / 3)
        self.dot(middle, y, size, colour)

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


def png(chart: Image.Image) -> bytes:
    """A chart as the contents of a PNG file."""
    out = io.BytesIO()
    chart.save(out, "PNG")
    return out.getvalue()


def elo_chart(title: str, subtitle: str, rows: Sequence[EloRow]) -> Image.Image:
    """A picture of ratings, one line each.

    Args:
        title: above all.
        subtitle: how they were measured, in a smaller type.
        rows: the ratings, from top to bottom.
    """
    height = _TOP + _ELO_ROW * len(rows) + _BOTTOM
    canvas = _Canvas(_WIDTH, height)
    canvas.text(_EDGE, 30, canvas.fitted(title, _WIDTH - 2 * _EDGE, size=21), size=21)
    canvas.text(_EDGE, 58, subtitle, size=14, colour=_FAINT)
    smallest = min(row.elo if row.beyond == "below" else row.low for row in rows)
    largest = max(row.elo if row.beyond == "above" else row.high for row in rows)
    tick = next((tick for tick in _TICKS if (largest - smallest) / tick <= _MOST_TICKS), _TICKS[-1])
    first, last = math.floor(smallest / tick), max(math.ceil(largest / tick), math.floor(smallest / tick) + 1)
    panel = _Panel(_LABELS, _TOP, _WIDTH - 90, height - _BOTTOM, last * tick, first * tick)
    for elo in range(first * tick, last * tick + 1, tick):
        canvas.line([(panel.x(elo), panel.top), (panel.x(elo), panel.bottom)], _GRID)
        canvas.text(panel.x(elo), panel.bottom + 16, str(elo), size=13, colour=_FAINT, anchor="mm")
    middle = (panel.left + panel.right) / 2
    canvas.text(middle, panel.bottom + 40, "Elo (95% intervals)", size=13, colour=_FAINT, anchor="mm")
    for place, row in enumerate(rows):
        _draw_elo(canvas, panel, panel.top + (place + 0.5) * _ELO_ROW, row)
    return canvas.finished()


def _draw_elo(canvas: _Canvas, panel: _Panel, y: float, row: EloRow) -> None:
    colour, ink = (_MARK, _MARK) if row.own else (_FAINT, _INK)
    canvas.text(_EDGE, y, canvas.fitted(row.label, _LABELS - _EDGE - 12), colour=ink)
    number = f"{row.elo:.0f}"
    if row.beyond is None:
        canvas.interval(panel.x(row.low), panel.x(row.high), panel.x(row.elo), y, colour, 5 if row.own else 4)
    else:
        near, side, number = (
            (row.low, 1, f"> {row.low:.0f}") if row.beyond == "above" else (row.high, -1, f"< {row.high:.0f}")
        )
        tip = panel.right if side > 0 else panel.left
        canvas.line([(panel.x(near), y), (tip, y)], colour, 2.5)
        canvas.line([(tip - 9 * side, y - 6), (tip, y), (tip - 9 * side, y + 6)], colour, 2.5)
        canvas.line([(panel.x(near), y - 5), (panel.x(near), y + 5)], colour, 2)
    canvas.text(panel.right + 24, y, number, colour=ink)


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
        canvas.text(_EDGE, y, canvas.fitted(row.label, _LABELS - _EDGE - 12))
        canvas.interval(panel.x(row.low), panel.x(row.high), panel.x(row.score), y, _MARK)
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


def learning_chart(
    title: str, subtitle: str, curves: Mapping[str, Sequence[CurvePoint]], unit: str = "games"
) -> Image.Image:
    """A picture of how scores grow with games or plies and with seconds, both on logarithmic axes.

    These have no place for the beginning: it is left out, unless there is nothing else.

    Args:
        title: above all.
        subtitle: how it was measured, in a smaller type.
        curves: at most five, each with at least one point, under their labels.
        unit: of what the points' `played` counts.
    """
    top = _TOP + _LEGEND * math.ceil(len(curves) / _ABREAST)
    width, height = 2 * (_EDGE + 40 + _PLOT) + _EDGE, top + 340 + _BOTTOM
    canvas = _Canvas(width, height)
    canvas.text(_EDGE, 30, title, size=21)
    canvas.text(_EDGE, 58, subtitle, size=14, colour=_FAINT)
    for place, (label, ink) in enumerate(zip(curves, _INKS, strict=False)):  # above the plots, where no points are
        row, column = divmod(place, _ABREAST)
        left, y = _EDGE + 40 + column * _LABELS, _TOP + row * _LEGEND
        canvas.line([(left, y), (left + 24, y)], ink, 2)
        canvas.dot(left + 12, y, 3, ink)
        canvas.text(left + 32, y, canvas.fitted(label, _LABELS - 48, size=13), size=13)
    for place, (axis, name) in enumerate((("played", unit), ("seconds", "seconds"))):
        left = _EDGE + 40 + place * (_PLOT + _EDGE + 40)
        panel = _Panel(left, top, left + _PLOT, height - _BOTTOM)
        lines = [
            [(max(getattr(point, axis), 1.0), point.score) for point in curve if point.played]
            or [(1.0, curve[0].score)]
            for curve in curves.values()
        ]
        _draw_logarithmic(canvas, panel, lines, f"{name} of training")
    return canvas.finished()


def _draw_logarithmic(
    canvas: _Canvas, panel: _Panel, lines: Sequence[Sequence[tuple[float, float]]], axis: str
) -> None:
    numbers = [number for line in lines for number, _ in line]
    ticks = _ticks(min(numbers), max(numbers))
    low, high = math.log10(ticks[0]), math.log10(ticks[-1])

    def x(number: float) -> float:
        return panel.x((math.log10(number) - low) / (high - low))

    _draw_scores(canvas, panel)
    for tick in ticks if high - low <= _FEW_DECADES else [tick for tick in ticks if str(tick)[0] == "1"]:
        text = f"{tick // 1_000_000:,}M" if tick >= 1_000_000 else f"{tick:,}"
        canvas.line([(x(tick), panel.top), (x(tick), panel.bottom)], _GRID)
        canvas.text(x(tick), panel.bottom + 16, text, size=13, colour=_FAINT, anchor="mm")
    canvas.text((panel.left + panel.right) / 2, panel.bottom + 40, axis, size=13, colour=_FAINT, anchor="mm")
    for line, ink in zip(lines, _INKS, strict=False):
        points = [(x(number), panel.y(score)) for number, score in line]
        canvas.line(points, ink, 2)
        for point in points:
            canvas.dot(*point, 3, ink)


def _ticks(smallest: float, largest: float) -> list[int]:
    """1, 2, 5, 10, 20 ... from the last number that is not above `smallest` to the first that is not below `largest`.

    >>> _ticks(64, 700), _ticks(64, 64)
    ([50, 100, 200, 500, 1000], [50, 100])
    """
    ticks = [digit * 10**decade for decade in range(math.ceil(math.log10(largest)) + 1) for digit in (1, 2, 5)]
    first = max(i for i, tick in enumerate(ticks) if tick <= smallest)
    last = next(i for i, tick in enumerate(ticks) if tick >= largest and i > first)
    return ticks[first : last + 1]
