"""The content of a picture of a position, for text, SVG and pixels alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

from othello_env.games.game import State

__all__ = [
    "BLACK",
    "FELT",
    "WHITE",
    "Cell",
    "Look",
    "Piece",
    "Place",
    "Scene",
    "caption",
    "scene",
]

Place = tuple[int, int]
"""Row and column, from 0 at the top left."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a player's pieces look.

    Attributes:
        symbol: the piece as text, one character.
        fill: the colour of the piece, ``#rrggbb``.
        light: the colour of the piece where light falls on it.
        mark: the colour of the mark that shows the last move, on this player's piece.
    """

    symbol: str
    fill: str
    light: str
    mark: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A square of the board.

    Attributes:
        symbol: the empty square as text, one character.
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
    """A piece on the board. A king has a crown, or as text a capital letter."""

    place: Place
    look: Look
    is_king: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """The content of a picture of a position.

    Attributes:
        cells: the squares, a tuple of rows.
        pieces: the pieces on the squares.
        legal: the squares that the player to move may choose.
        last: the squares that the last move touched.
        mover: the look of the player to move.
        column_labels: a label for each column.
        row_labels: a label for each row.
        scores: each player's name, look and score.
        status: the player to move or the winner, in a few words.
        dots: the corners that have a dot. A corner is given as the row and column of the square below it and to its
            right.
        grid: the colour of the lines between squares.
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

    @property
    def rows(self) -> int:
        return len(self.cells)

    @property
    def columns(self) -> int:
        return len(self.cells[0])


@singledispatch
def scene(state: State) -> Scene:
    """The content of a picture of this position. Each game registers its own function.

    Raises:
        TypeError: no function is registered for this game.
    """
    raise TypeError(f"there is no drawing of {type(state).__name__}")


def caption(state: State) -> str:
    """The player to move, or the winners, in a few words."""
    if not state.is_over:
        return f"{state.player_names[state.to_move]} to move"
    results = state.returns()
    winners = [name for name, result in zip(state.player_names, results, strict=True) if result == max(results)]
    if len(winners) == state.num_players:
        return "game over: draw"
    return f"game over: {' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the win'}"
