"""Turn a scene (the content of a picture) into shapes. The SVG and the pixels are drawn from these shapes.

Lengths are in pixels. x grows to the right, and y grows downwards. A wooden frame around the board shows the
coordinates. The scores and the status (whose turn it is, or who won) are below the board.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from othello_env.drawing.scene import Look, Number, Place, Scene

__all__ = ["Circle", "Picture", "Polygon", "Rectangle", "Shape", "Text", "empty_board", "picture", "piece"]

_WOOD, _WOOD_DARK, _WOOD_LIGHT = "#6a452a", "#3b2414", "#8a6040"
_INK, _FAINT = "#f7ecd9", "#dcc4a1"
_GOLD, _PALE, _DARK = "#f2c14e", "#f7e3a1", "#1c1408"
# A dict from a number's length in characters to the number's font size, as a fraction of a square's side
_NUMBER_SIZES = {1: 0.42, 2: 0.42, 3: 0.38, 4: 0.34}
_WIDE = 8  # on a board with at least this number of columns, the status is beside the scores; otherwise below them


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A filled rectangle. Its place and its size are whole numbers of pixels."""

    x: int
    y: int
    width: int
    height: int
    fill: str
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Circle:
    """A disc. If `light` is given, the colour changes from `light` at the upper left to `fill` at the lower right."""

    x: float
    y: float
    radius: float
    fill: str
    opacity: float = 1.0
    light: str | None = None


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text. Its middle is at the height `y`. `anchor` says which part of the line is at `x`."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: Literal["start", "middle", "end"] = "middle"


Shape = Rectangle | Circle | Polygon | Text


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a list of shapes. A later shape covers the shapes before it."""

    width: int
    height: int
    shapes: tuple[Shape, ...]


def picture(drawn: Scene, cell: int) -> Picture:
    """The shapes of a scene.

    Args:
        drawn: the scene.
        cell: the side of a square in pixels.
    """
    margin = _margin(cell)
    lines = 1 if drawn.columns >= _WIDE else 2
    board = empty_board(drawn, cell, below=round((0.5 * lines - 0.1) * cell))
    shapes = [
        *board.shapes,
        *_markers(drawn, cell, margin),
        *_caption(drawn, cell, margin, board.width, board.height),
    ]
    return Picture(board.width, board.height, tuple(shapes))


def empty_board(drawn: Scene, cell: int, *, below: int = 0) -> Picture:
    """The board of a scene in its frame, without pieces.

    Args:
        drawn: the scene.
        cell: the side of a square in pixels.
        below: the additional height of the frame below the board, in pixels.
    """
    margin = _margin(cell)
    width, height = drawn.columns * cell + 2 * margin, drawn.rows * cell + 2 * margin + below
    shapes = [
        Rectangle(0, 0, width, height, _WOOD_LIGHT),
        Rectangle(2, 2, width - 2, height - 2, _WOOD_DARK),
        Rectangle(2, 2, width - 4, height - 4, _WOOD),
        *_board(drawn, cell, margin),
        *_labels(drawn, cell, margin),
    ]
    return Picture(width, height, tuple(shapes))


def _margin(cell: int) -> int:
    return round(0.55 * cell)


def _centre(place: Place, cell: int, margin: int) -> tuple[float, float]:
    row, column = place
    return margin + (column + 0.5) * cell, margin + (row + 0.5) * cell


def _board(drawn: Scene, cell: int, margin: int) -> Iterator[Shape]:
    line = max(1, round(cell / 40))
    edge = 2 * line
    board_width, board_height = drawn.columns * cell, drawn.rows * cell
    yield Rectangle(margin - edge, margin - edge, board_width + 2 * edge, board_height + 2 * edge, _WOOD_DARK)
    for row, cells in enumerate(drawn.cells):
        for column, each in enumerate(cells):
            left, top = margin + column * cell, margin + row * cell
            yield Rectangle(left, top, cell, cell, each.fill)
            if each.label:
                yield Text(left + 0.06 * cell, top + 0.14 * cell, each.label, 0.18 * cell, _INK, "start")
    for row in range(1, drawn.rows):
        yield Rectangle(margin, margin + row * cell - line // 2, board_width, line, drawn.grid)
    for column in range(1, drawn.columns):
        yield Rectangle(margin + column * cell - line // 2, margin, line, board_height, drawn.grid)
    for row, column in drawn.dots:
        yield Circle(margin + column * cell, margin + row * cell, 0.07 * cell, drawn.grid)


def _labels(drawn: Scene, cell: int, margin: int) -> Iterator[Shape]:
    size = 0.27 * cell
    for column, label in enumerate(drawn.column_labels):
        yield Text(margin + (column + 0.5) * cell, 0.46 * margin, label, size, _FAINT)
    for row, label in enumerate(drawn.row_labels):
        yield Text(0.46 * margin, margin + (row + 0.5) * cell, label, size, _FAINT)


def _markers(drawn: Scene, cell: int, margin: int) -> Iterator[Shape]:
    for number in drawn.numbers:
        yield from _number(number, cell, margin)
    for place in drawn.legal:
        yield Circle(*_centre(place, cell, margin), 0.12 * cell, drawn.mover.fill, opacity=0.55)
    looks = {each.place: each.look for each in drawn.pieces}
    for each in drawn.pieces:
        yield from piece(each.look, *_centre(each.place, cell, margin), cell, is_king=each.is_king)
    for place in drawn.last:
        look = looks.get(place, drawn.mover)
        yield Circle(*_centre(place, cell, margin), 0.085 * cell, look.mark)


def _number(number: Number, cell: int, margin: int) -> Iterator[Shape]:
    """A number on its square. The better the action, the stronger the colour behind the number."""
    is_best = number.share > 0.999
    row, column = number.place
    gap = max(1, cell // 20)
    side = cell - 2 * gap
    left, top = margin + column * cell + gap, margin + row * cell + gap
    yield Rectangle(left, top, side, side, _GOLD if is_best else _PALE, 0.25 + 0.7 * number.share**2)
    yield Text(
        *_centre(number.place, cell, margin), number.text, _NUMBER_SIZES.get(len(number.text), 0.26) * cell, _DARK
    )


def piece(look: Look, x: float, y: float, cell: int, *, is_king: bool) -> Iterator[Shape]:
    """The shapes of a piece around (x, y) on a square of side `cell`: shadow and disc, and a crown if it is a king."""
    yield Circle(x + 0.02 * cell, y + 0.045 * cell, 0.41 * cell, "#0b2a19", opacity=0.38)
    yield from _disc(look, x, y, 0.4 * cell)
    if is_king:
        crown = ((-1, 0.7), (-1.15, -0.6), (-0.5, 0.05), (0, -0.85), (0.5, 0.05), (1.15, -0.6), (1, 0.7))
        yield Polygon(tuple((x + 0.19 * cell * dx, y + 0.19 * cell * dy) for dx, dy in crown), _GOLD)


def _disc(look: Look, x: float, y: float, radius: float) -> Iterator[Shape]:
    yield Circle(x, y, radius, look.fill, light=look.light)


def _caption(drawn: Scene, cell: int, margin: int, width: int, height: int) -> Iterator[Shape]:
    # On a narrow board, even a short status is below the scores, so that all pictures of a game have the same size.
    bottom = height - 0.45 * cell
    y = bottom if drawn.columns >= _WIDE else bottom - 0.5 * cell
    size = 0.29 * cell
    x = float(margin)
    for _, look, score in drawn.scores:
        yield from _disc(look, x + 0.17 * cell, y, 0.17 * cell)
        yield Text(x + 0.44 * cell, y, str(score), size, _INK, "start")
        x += 1.15 * cell
    if drawn.columns >= _WIDE:
        yield Text(width - margin, bottom, drawn.status, size, _INK, "end")
    else:
        yield Text(margin, bottom, drawn.status, size, _INK, "start")
