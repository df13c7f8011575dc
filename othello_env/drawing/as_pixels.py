"""A picture of a position as an array of pixels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import ceil, floor
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageColor, ImageDraw, ImageFont

from othello_env.drawing.layout import Circle, Polygon, Rectangle, Shape, Text, picture
from othello_env.drawing.scene import scene_with_values
from othello_env.games.game import State

__all__ = ["pixels"]

_ANCHORS = {"start": "lm", "middle": "mm", "end": "rm"}
_FINE = 8  # polygons are drawn larger by this factor and then reduced, so that their edges are smooth


def pixels(state: State, cell: int = 64, values: Mapping[int, float] = MappingProxyType({})) -> npt.NDArray[np.uint8]:
    """The board with coordinates, last move, legal moves, scores and status, as an RGB picture, (H, W, 3) uint8.

    Args:
        state: the position.
        cell: the side of a square in pixels.
        values: a mapping from legal actions to their values, which are written on the squares. An infinite value means
            a sure win or a sure loss.

    Raises:
        ValueError: an action is not legal, or a value is NaN.
    """
    drawn = picture(scene_with_values(state, values), cell)
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
            paint, mask = _disc(x - left, y - top, radius, fill, opacity, light)
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
def _disc(
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
