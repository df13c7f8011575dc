"""A position as SVG."""

from xml.sax.saxutils import escape

from othello_env.drawing.layout import Circle, Polygon, Rectangle, Shape, Text, picture
from othello_env.drawing.scene import scene
from othello_env.games.game import State

__all__ = ["svg"]


def svg(state: State, cell: int = 48) -> str:
    """An SVG document that shows the board with coordinates, last move, legal moves, scores and status.

    Args:
        state: the position.
        cell: the side of a square in pixels.
    """
    drawn = picture(scene(state), cell)
    shaded = {(s.fill, s.light) for s in drawn.shapes if isinstance(s, Circle) and s.light}
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawn.width}" height="{drawn.height}" '
            f'viewBox="0 0 {drawn.width} {drawn.height}" font-family="Aileron, Helvetica, Arial, sans-serif">',
            "<defs>",
            *(_gradient(fill, light) for fill, light in sorted(shaded)),
            "</defs>",
            *(_element(shape) for shape in drawn.shapes),
            "</svg>",
        ]
    )


def _gradient(fill: str, light: str) -> str:
    return (
        f'<radialGradient id="{_gradient_id(fill, light)}" cx="0.36" cy="0.32" r="0.7">'
        f'<stop offset="0" stop-color="{light}"/><stop offset="1" stop-color="{fill}"/></radialGradient>'
    )


def _gradient_id(fill: str, light: str) -> str:
    # A notebook has many pictures in one document, so an id must mean the same colours in all of them.
    return f"shade-{light[1:]}-{fill[1:]}"


def _element(shape: Shape) -> str:
    match shape:
        case Rectangle(x, y, width, height, fill):
            return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"/>'
        case Circle(x, y, radius, fill, opacity, light):
            paint = f"url(#{_gradient_id(fill, light)})" if light else fill
            faint = "" if opacity == 1 else f' fill-opacity="{opacity}"'
            return f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{radius:.4g}" fill="{paint}"{faint}/>'
        case Polygon(points, fill):
            path = " ".join(f"{x:.5g},{y:.5g}" for x, y in points)
            return f'<polygon points="{path}" fill="{fill}"/>'
        case Text(x, y, text, size, fill, anchor):
            return (
                f'<text x="{x:.5g}" y="{y:.5g}" font-size="{size:.4g}" fill="{fill}" text-anchor="{anchor}" '
                f'dominant-baseline="central">{escape(text)}</text>'
            )
