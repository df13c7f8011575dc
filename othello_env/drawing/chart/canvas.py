"""The canvas on which all charts are drawn. Lengths are in pixels. x grows to the right, and y grows downwards."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

__all__ = ["BOTTOM", "EDGE", "FAINT", "GREEN", "INK", "LABELS", "TOP", "WIDTH", "Canvas", "Panel", "png"]

WIDTH, TOP, BOTTOM, EDGE = 960, 92, 62, 28
"""The width of a chart that has rows, and the space above, below and beside the panels of a chart."""
LABELS = 300
"""The x of the left side of a panel with rows. The space to the left of this x has the labels of the rows."""
INK, FAINT, GREEN = "#20262b", "#667079", "#1b7f4b"
_PAPER, _GRID = "#ffffff", "#dde2e6"
_SCALE = 2  # a chart is drawn larger by this factor and then reduced, so that its edges are smooth
_VALUES = 90  # the space for the numbers to the right of the rows


@dataclass(frozen=True)
class Panel:
    """The rectangle in a chart that shows the data.

    In this rectangle, a height is given as a number, such as a score. 0 is the bottom and 1 is the top.

    Attributes:
        smallest: the number that the left side of the panel stands for.
        largest: the number that the right side of the panel stands for.
    """

    left: float
    top: float
    right: float
    bottom: float
    smallest: float = 0.0
    largest: float = 1.0

    @classmethod
    def of_rows(cls, bottom: float, smallest: float = 0.0, largest: float = 1.0) -> Panel:
        """The panel of a chart that has rows. A row has a label on the left and a number on the right."""
        return cls(LABELS, TOP, WIDTH - _VALUES, bottom, smallest, largest)

    def x(self, value: float) -> float:
        return self.left + (self.right - self.left) * (value - self.smallest) / (self.largest - self.smallest)

    def y(self, score: float) -> float:
        return self.bottom - (self.bottom - self.top) * score


class Canvas:
    """A canvas on which a chart is drawn.

    Args:
        width: the picture's width.
        height: the picture's height.
        title: the text at the top. If the text is too wide, dots replace its middle.
        subtitle: a smaller text below the title.
    """

    def __init__(self, width: int, height: int, title: str, subtitle: str) -> None:
        self._image = Image.new("RGB", (width * _SCALE, height * _SCALE), _PAPER)
        self._draw = ImageDraw.Draw(self._image)
        self._size = (width, height)
        self.text(EDGE, 30, self.fitted(title, width - 2 * EDGE, size=21), size=21)
        self.text(EDGE, 58, subtitle, size=14, colour=FAINT)

    def line(self, points: Sequence[tuple[float, float]], colour: str, width: float = 1) -> None:
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        self._draw.line(scaled, fill=colour, width=round(width * _SCALE), joint="curve")

    def box(self, left: float, top: float, right: float, bottom: float, colour: str) -> None:
        """Fill a rectangle."""
        self._draw.rectangle([left * _SCALE, top * _SCALE, right * _SCALE - 1, bottom * _SCALE - 1], fill=colour)

    def dot(self, x: float, y: float, radius: float, colour: str) -> None:
        box = [(x - radius) * _SCALE, (y - radius) * _SCALE, (x + radius) * _SCALE, (y + radius) * _SCALE]
        self._draw.ellipse(box, fill=colour)

    def text(self, x: float, y: float, text: str, size: int = 15, colour: str = INK, anchor: str = "lm") -> None:
        font = ImageFont.load_default(size * _SCALE)
        self._draw.text((x * _SCALE, y * _SCALE), text, fill=colour, font=font, anchor=anchor)

    def fitted(self, text: str, width: float, size: int = 15) -> str:
        """The text, shortened so that it is at most `width` wide. If the text is too wide, dots replace its middle."""
        font = ImageFont.load_default(size * _SCALE)
        short, kept = text, len(text)
        while self._draw.textlength(short, font) > width * _SCALE and kept > 2:
            kept -= 1
            short = f"{text[: (kept + 1) // 2]}...{text[-(kept // 2) :]}"
        return short

    def row(self, panel: Panel, y: float, label: str, value: str, colour: str = INK) -> None:
        """Draw a row's label on the left, and its number on the right."""
        self.text(EDGE, y, self.fitted(label, LABELS - EDGE - 12), colour=colour)
        self.text(panel.right + 24, y, value, colour=colour)

    def interval(self, low: float, high: float, middle: float, y: float, colour: str, size: float = 6) -> None:
        """Draw a dot at `middle`, and a line from `low` to `high` with marked ends."""
        self.line([(low, y), (high, y)], colour, size / 2)
        for end in (low, high):
            self.line([(end, y - size), (end, y + size)], colour, size / 3)
        self.dot(middle, y, size, colour)

    def curve(self, points: Sequence[tuple[float, float]], colour: str) -> None:
        """Draw a line with a dot at each point."""
        self.line(points, colour, 2)
        for x, y in points:
            self.dot(x, y, 3, colour)

    def tick(self, panel: Panel, x: float, text: str, *, grid: bool = True) -> None:
        """Draw a number below a panel. If `grid` is True, also draw a vertical line through the panel."""
        if grid:
            self.line([(x, panel.top), (x, panel.bottom)], _GRID)
        self.text(x, panel.bottom + 16, text, size=13, colour=FAINT, anchor="mm")

    def axis(self, panel: Panel, text: str) -> None:
        """Write a text below the numbers under a panel. The text says what the numbers mean."""
        self.text((panel.left + panel.right) / 2, panel.bottom + 40, text, size=13, colour=FAINT, anchor="mm")

    def level(self, panel: Panel, y: float, text: str) -> None:
        """Draw a horizontal line through a panel, and a number to the left of the line."""
        self.line([(panel.left, y), (panel.right, y)], _GRID)
        self.text(panel.left - 10, y, text, size=13, colour=FAINT, anchor="rm")

    def scores(self, panel: Panel) -> None:
        """Draw a horizontal line for each of the scores 0.0, 0.2, ..., 1.0, and the score to the left of the line."""
        for tenths in range(0, 11, 2):
            self.level(panel, panel.y(tenths / 10), f"{tenths / 10:.1f}")

    def finished(self) -> Image.Image:
        return self._image.resize(self._size, Image.Resampling.LANCZOS)


def png(chart: Image.Image) -> bytes:
    """A chart as the contents of a PNG file."""
    out = io.BytesIO()
    chart.save(out, "PNG")
    return out.getvalue()
