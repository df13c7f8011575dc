"""A picture of a position: as text, as SVG and as an array of pixels.

The SVG and the pixels are drawn from the same shapes. Lengths are in pixels. x grows to the right, and y grows
downwards. A wooden frame around the board shows the coordinates. The scores and the status (whose turn it is, or who
won) are below the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor
from types import MappingProxyType
from typing import Literal
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageColor, ImageDraw, ImageFont

from othello_env.drawing.scene import scene, scene_with_values, turned_scene
from othello_env.games.game import State
from othello_env.games.scene import Look, Number, Place, Scene
from othello_env.support.numbers import check_flag, check_whole

__all__ = [
    "Circle",
    "Picture",
    "Polygon",
    "Rectangle",
    "Shape",
    "Text",
    "board_svg",
    "empty_board",
    "gradient_id",
    "picture",
    "piece",
    "pixels",
    "svg",
    "text",
]

_LEGAL = "+"
_CELL = (8, 512)
"""The smallest and the largest side of a square in pixels."""
_WOOD, _WOOD_DARK, _WOOD_LIGHT = "#6a452a", "#3b2414", "#8a6040"
_INK, _FAINT = "#f7ecd9", "#dcc4a1"
_GOLD, _PALE, _DARK = "#f2c14e", "#f7e3a1", "#1c1408"
# A dict from a number's length in characters to the number's font size, as a fraction of a square's side
_NUMBER_SIZES = {1: 0.5, 2: 0.5, 3: 0.44, 4: 0.34}
_WIDE = 8  # on a board with at least this number of columns, the status is beside the scores; otherwise below them
_ANCHORS = {"start": "lm", "middle": "mm", "end": "rm"}
_FINE = 8  # polygons are drawn larger by this factor and then reduced, so that their edges are smooth


def text(state: State) -> str:
    """The board, then the scores and the status. Legal moves are ``+``, and the last move is in brackets.

    >>> from othello_env import Othello
    >>> print(text(Othello.from_moves("d3", size=4)))
        a  b  c  d
     1  -  -  -  -
     2  -  O  X  +
     3  -  X  X [X]
     4  -  +  -  +
    black (X) 4, white (O) 1; white to move
    + legal, [ ] last move
    """
    drawn = scene(state)
    signs = {(row, column): cell.symbol for row, cells in enumerate(drawn.cells) for column, cell in enumerate(cells)}
    signs |= dict.fromkeys(drawn.legal, _LEGAL)
    signs |= {p.place: p.look.symbol.upper() if p.is_king else p.look.symbol for p in drawn.pieces}
    lines = ["  " + "".join(label.rjust(3) for label in drawn.column_labels)] if any(drawn.column_labels) else []
    for row, label in enumerate(drawn.row_labels):
        line = label.rjust(2) + " "
        for column in range(drawn.columns):
            sign = signs[row, column]
            line += f"[{sign}]" if (row, column) in drawn.last else f" {sign} "
        lines.append(line.rstrip())
    scores = ", ".join(f"{name} ({look.symbol}) {score}" for name, look, score in drawn.scores)
    lines.append(f"{scores}; {drawn.status}")
    legend = [f"{_LEGAL} legal"] if drawn.legal else []
    legend += ["[ ] last move"] if drawn.last else []
    if legend:
        lines.append(", ".join(legend))
    return "\n".join(lines)


def svg(state: State, cell: int = 48, values: Mapping[int, float] = MappingProxyType({})) -> str:
    """An SVG document that shows the board with coordinates, last move, legal moves, scores and status.

    Args:
        state: the position.
        cell: the side of a square in pixels, 8 to 512.
        values: a mapping from legal actions to their values for the player to move, which are written on the squares.
            An infinite value means a sure win or a sure loss.

    Raises:
        ValueError: `cell` is out of range, an action is not legal, or a value is NaN.
        TypeError: `cell` is not a whole number, or `values` is not a mapping.
    """
    drawn = picture(scene_with_values(state, values), cell)
    return _document(drawn, _gradients(drawn.shapes))


def board_svg(drawn: Scene, cell: int) -> str:
    """An SVG document of a scene's empty board with its frame. The caller can add pieces to the document.

    The document defines two shapes for each player, a piece and a king, with their centres at the origin. The ids of
    the first player's shapes are ``piece-0`` and ``king-0``.

    Args:
        drawn: the scene (the content of a picture).
        cell: the side of a square in pixels.
    """
    pieces = {
        f"{name}-{player}": [*piece(look, 0, 0, cell, is_king=name == "king")]
        for player, (_, look, _) in enumerate(drawn.scores)
        for name in ("piece", "king")
    }
    groups = [f'<g id="{name}">{"".join(map(_element, shapes))}</g>' for name, shapes in pieces.items()]
    shapes = [shape for shapes in pieces.values() for shape in shapes]
    return _document(empty_board(drawn, cell), [*_gradients(shapes), *groups])


def _document(drawn: Picture, definitions: Iterable[str]) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawn.width}" height="{drawn.height}" '
            f'viewBox="0 0 {drawn.width} {drawn.height}" font-family="Aileron, Helvetica, Arial, sans-serif">',
            "<defs>",
            *definitions,
            "</defs>",
            *(_element(shape) for shape in drawn.shapes),
            "</svg>",
        ]
    )


def _gradients(shapes: Iterable[Shape]) -> list[str]:
    """The gradients that the circles need, as SVG elements. A gradient goes from the colour `light` to `fill`."""
    shaded = {(shape.fill, shape.light) for shape in shapes if isinstance(shape, Circle) and shape.light}
    return [_gradient(fill, light) for fill, light in sorted(shaded)]


def gradient_id(look: Look) -> str:
    """The id of the gradient of a player's discs."""
    return _gradient_id(look.fill, look.light)


def _gradient(fill: str, light: str) -> str:
    return (
        f'<radialGradient id="{_gradient_id(fill, light)}" cx="0.36" cy="0.32" r="0.7">'
        f'<stop offset="0" stop-color="{light}"/><stop offset="1" stop-color="{fill}"/></radialGradient>'
    )


def _gradient_id(fill: str, light: str) -> str:
    # A notebook puts many pictures into one document. There, gradients with the same id must have the same colours. So
    # the colours are part of the id.
    return f"shade-{light[1:]}-{fill[1:]}"


def _element(shape: Shape) -> str:
    match shape:
        case Rectangle(x, y, width, height, fill, opacity):
            return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"{_opacity(opacity)}/>'
        case Circle(x, y, radius, fill, opacity, light):
            paint = f"url(#{_gradient_id(fill, light)})" if light else fill
            return f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{radius:.4g}" fill="{paint}"{_opacity(opacity)}/>'
        case Polygon(points, fill):
            path = " ".join(f"{x:.5g},{y:.5g}" for x, y in points)
            return f'<polygon points="{path}" fill="{fill}"/>'
        case Text(x, y, text, size, fill, anchor):
            return (
                f'<text x="{x:.5g}" y="{y:.5g}" font-size="{size:.4g}" fill="{fill}" text-anchor="{anchor}" '
                f'dominant-baseline="central">{escape(text)}</text>'
            )


def _opacity(opacity: float) -> str:
    return "" if opacity == 1 else f' fill-opacity="{opacity:.3g}"'


def pixels(
    state: State, cell: int = 64, values: Mapping[int, float] = MappingProxyType({}), *, turned: bool = False
) -> npt.NDArray[np.uint8]:
    """The board with coordinates, last move, legal moves, scores and status, as an RGB picture, (H, W, 3) uint8.

    Args:
        state: the position.
        cell: the side of a square in pixels, 8 to 512.
        values: a mapping from legal actions to their values for the player to move, which are written on the squares.
            An infinite value means a sure win or a sure loss.
        turned: whether the board is seen from its other side.

    Raises:
        ValueError: `cell` is out of range, an action is not legal, or a value is NaN.
        TypeError: `cell` is not a whole number, or `values` is not a mapping.
    """
    seen = scene_with_values(state, values)
    drawn = picture(turned_scene(seen) if check_flag("turned", turned) else seen, cell)
    image = Image.new("RGB", (drawn.width, drawn.height))
    for shape in drawn.shapes:
        _paint(image, shape)
    return np.array(image)


def _paint(image: Image.Image, shape: Shape) -> None:
    match shape:
        case Rectangle(x, y, width, height, fill, opacity):
            mask = Image.new("L", (width, height), round(255 * opacity))
            image.paste(ImageColor.getrgb(fill), (x, y, x + width, y + height), mask)
        case Circle(x, y, radius, fill, opacity, light):
            left, top = floor(x - radius), floor(y - radius)
            paint, mask = _shaded(x - left, y - top, radius, fill, opacity, light)
            image.paste(paint, (left, top), mask)
        case Polygon(points, fill):
            _paint_polygon(image, points, fill)
        case Text(x, y, text, size, fill, anchor):
            # y is the middle of a capital letter or a digit, as in the SVG picture.
            ImageDraw.Draw(image).text((x, y), text, fill, _font(size), _ANCHORS[anchor])


@lru_cache(maxsize=16)
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


@lru_cache(maxsize=256)
def _shaded(
    x: float, y: float, radius: float, fill: str, opacity: float, light: str | None
) -> tuple[Image.Image, Image.Image]:
    """Two pictures: a disc around (x, y), and the disc's mask.

    The mask says how opaque each pixel is: the share of the pixel that the disc covers, times `opacity`.
    """
    side = ceil(max(x, y) + radius)
    rows, columns = np.mgrid[:side, :side] + 0.5
    covered = np.clip(radius - np.hypot(columns - x, rows - y) + 0.5, 0, 1)
    mask = Image.fromarray(np.round(255 * opacity * covered).astype(np.uint8))
    dark = np.array(ImageColor.getrgb(fill), float)
    bright = np.array(ImageColor.getrgb(light or fill), float)
    # The light has the same centre and radius as the gradient in `as_svg`, so that SVG and pixels look alike.
    away = np.hypot(columns - x + 0.28 * radius, rows - y + 0.36 * radius) / (1.4 * radius)
    share = np.clip(away, 0, 1)[..., np.newaxis]
    return Image.fromarray(np.round(bright + (dark - bright) * share).astype(np.uint8)), mask


def _paint_polygon(image: Image.Image, points: tuple[tuple[float, float], ...], fill: str) -> None:
    left, top = (floor(min(axis)) for axis in zip(*points, strict=True))
    right, bottom = (ceil(max(axis)) for axis in zip(*points, strict=True))
    mask = Image.new("L", ((right - left) * _FINE, (bottom - top) * _FINE))
    ImageDraw.Draw(mask).polygon([((x - left) * _FINE, (y - top) * _FINE) for x, y in points], 255)
    image.paste(ImageColor.getrgb(fill), (left, top, right, bottom), mask.reduce(_FINE))


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

    Raises:
        ValueError: `cell` is not 8 to 512.
        TypeError: `cell` is not a whole number, or `values` is not a mapping.
    """
    cell = check_whole("cell", cell, *_CELL)
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
        for column, square in enumerate(cells):
            left, top = margin + column * cell, margin + row * cell
            yield Rectangle(left, top, cell, cell, square.fill)
            if square.label:
                yield Text(left + 0.03 * cell, top + 0.1 * cell, square.label, 0.17 * cell, _INK, "start")
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
    looks = {marker.place: marker.look for marker in drawn.pieces}
    for marker in drawn.pieces:
        yield from piece(marker.look, *_centre(marker.place, cell, margin), cell, is_king=marker.is_king)
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
        yield Text(x + 0.42 * cell, y, str(score), 0.42 * cell, _INK, "start")
        x += 1.15 * cell
    if drawn.columns >= _WIDE:
        yield Text(width - margin, bottom, drawn.status, size, _INK, "end")
    else:
        yield Text(margin, bottom, drawn.status, size, _INK, "start")
