"""The content of a picture of a position. Text, SVG and pixels are all made from this content."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import singledispatch

from othello_env.games.game import State

__all__ = [
    "BLACK",
    "FELT",
    "WHITE",
    "Cell",
    "Look",
    "Number",
    "Piece",
    "Place",
    "Scene",
    "action_path",
    "caption",
    "scene",
    "scene_with_values",
]

Place = tuple[int, int]
"""Row and column, from 0 at the top left."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a player's pieces look.

    Attributes:
        symbol: the character that stands for the piece in a drawing as text.
        fill: the colour of the piece, ``#rrggbb``.
        light: the colour of the piece where light falls on it.
        mark: the colour of the mark for the last move. The mark is drawn on this player's piece.
    """

    symbol: str
    fill: str
    light: str
    mark: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A square of the board.

    Attributes:
        symbol: the character that stands for the empty square in a drawing as text.
        fill: the colour of the square, ``#rrggbb``.
        label: a small text in the square's corner.
    """

    symbol: str
    fill: str
    label: str = ""


BLACK = Look("X", "#1b1d1f", "#5d6266", "#ff6b4a")
WHITE = Look("O", "#e4e1d8", "#ffffff", "#d8412a")
FELT = Cell("-", "#2f8f5b")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on the board. A king is drawn with a crown. In a drawing as text, a king is a capital letter."""

    place: Place
    look: Look
    is_king: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A number on a square: the value of the best action that ends on this square.

    Attributes:
        place: the square.
        text: the number as text.
        share: how good the action is, compared with all actions that have a value, from 0 (worst) to 1 (best).
    """

    place: Place
    text: str
    share: float


@dataclass(frozen=True, slots=True)
class Scene:
    """The content of a picture of a position.

    Attributes:
        cells: the squares, a tuple of rows.
        pieces: the pieces on the squares.
        legal: the squares that are marked for the legal moves of the player to move.
        last: the squares that are marked for the last move.
        mover: the look of the pieces of the player to move.
        column_labels: a label for each column.
        row_labels: a label for each row.
        scores: for each player, the name, the look of the pieces, and the score.
        status: the player to move or the winner, in a few words.
        dots: the squares that have a dot on their upper left corner.
        grid: the colour of the lines between squares.
        numbers: the numbers on squares. Each number is the value of an action.
    """

    cells: tuple[tuple[Cell, ...], ...]
    pieces: tuple[Piece, ...]
    legal: tuple[Place, ...]
    last: tuple[Place, ...]
    mover: Look
    column_labels: tuple[str, ...]
    row_labels: tuple[str, ...]
    scores: tuple[tuple[str, Look, int], ...]
    status: str
    dots: tuple[Place, ...] = ()
    grid: str = "#1c5f3b"
    numbers: tuple[Number, ...] = ()

    @property
    def rows(self) -> int:
        return len(self.cells)

    @property
    def columns(self) -> int:
        return len(self.cells[0])


@singledispatch
def scene(state: State) -> Scene:
    """The content of a picture of this position. Each game registers a function that makes this content.

    Raises:
        TypeError: no function is registered for this game.
    """
    raise TypeError(f"there is no drawing of {type(state).__name__}")


@singledispatch
def action_path(state: State, action: int) -> list[Place]:
    """The squares that a person clicks to play an action.

    A person clicks one square to place a disc, two squares to move a piece, and no square to pass. Each game registers
    a function that finds these squares.

    Raises:
        TypeError: no function is registered for this game.
    """
    raise TypeError(f"there is no drawing of {type(state).__name__}")


def scene_with_values(state: State, values: Mapping[int, float]) -> Scene:
    """The scene of a position with the values of its actions on the squares.

    The values replace the dots that mark legal moves.

    Args:
        state: the position.
        values: a mapping from legal actions to their values, such as an agent's `action_values`. An infinite value
            means a sure win or a sure loss. If the mapping is empty, the scene shows no numbers.

    Raises:
        ValueError: an action is not legal, or a value is NaN.
    """
    if not values:
        return scene(state)
    legal = set(state.legal_actions())
    for action, value in values.items():
        if action not in legal or math.isnan(value):
            raise ValueError(f"expected values of the legal actions {sorted(legal)}, got {value} for {action}")
    best: dict[Place, float] = {}
    for action, value in values.items():
        for place in action_path(state, action)[-1:]:
            best[place] = max(value, best.get(place, -math.inf))
    numbers = tuple(Number(place, _value_text(value), _share(value, values)) for place, value in best.items())
    return replace(scene(state), legal=(), numbers=numbers)


def _value_text(value: float) -> str:
    if math.isinf(value):
        return "win" if value > 0 else "loss"
    size = abs(value)
    rounded = f"{size:.{0 if size == int(size) else 2 if size < 10 else 1}f}"
    sign = "" if float(rounded) == 0 else "+" if value > 0 else "-"
    return sign + rounded


def _share(value: float, values: Mapping[int, float]) -> float:
    """Turn a value into a number from 0 to 1: 0 for the smallest of the values, and 1 for the largest.

    First, infinity is replaced by a finite number. This number is 1.5 times the largest absolute value of the finite
    values, but at least 1.5. Minus infinity is replaced by the negative of this number.
    """
    most = 1.5 * max([1.0, *(abs(each) for each in values.values() if math.isfinite(each))])
    low, high, here = (min(max(each, -most), most) for each in (min(values.values()), max(values.values()), value))
    return (here - low) / (high - low) if high > low else 1.0


def caption(state: State) -> str:
    """The player to move, or the winners, in a few words."""
    if not state.is_over:
        return f"{state.player_names[state.to_move]} to move"
    winners = [state.player_names[player] for player in state.winners()]
    if len(winners) == state.num_players:
        return "game over: draw"
    return f"game over: {' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the win'}"
