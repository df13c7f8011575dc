"""What a picture of a position shows, as plain data. `othello_env.drawing` makes text, SVG and pixels of it."""

from __future__ import annotations

from dataclasses import dataclass

from othello_env.games.game import State

__all__ = ["Cell", "Look", "Number", "Piece", "Place", "Scene", "caption"]

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


def caption(state: State) -> str:
    """The player to move, or the winners, in a few words."""
    if not state.is_over:
        return f"{state.player_names[state.to_move]} to move"
    winners = [state.player_names[player] for player in state.winners()]
    if len(winners) == state.num_players:
        return "game over: draw"
    return f"game over: {' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the win'}"
