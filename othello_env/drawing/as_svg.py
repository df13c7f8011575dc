"""A picture of a position as SVG."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from xml.sax.saxutils import escape

from othello_env.drawing.layout import Circle, Picture, Polygon, Rectangle, Shape, Text, empty_board, picture, piece
from othello_env.drawing.scene import Look, Scene, scene_with_values
from othello_env.games.game import State

__all__ = ["board_svg", "gradient_id", "svg"]


def svg(state: State, cell: int = 48, values: Mapping[int, float] = MappingProxyType({})) -> str:
    """An SVG document that shows the board with coordinates, last move, legal moves, scores and status.

    Args:
        state: the position.
        cell: the side of a square in pixels.
        values: a mapping from legal actions to their values, which are written on the squares. An infinite value means
            a sure win or a sure loss.

    Raises:
        ValueError: an action is not legal, or a value is NaN.
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
