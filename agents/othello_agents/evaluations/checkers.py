"""Checkers by its pieces.

Each evaluation is a sum over pieces of a weight that depends on the piece and its square, so both the function for any
search in Python and the kernel read the same table.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from othello_env.agent import WrongGameError
from othello_env.games.checkers.kernels import POSITIONS
from othello_env.games.checkers.notation import column_of
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import State

__all__ = ["KING", "MAN", "Table", "material", "piece_weights", "positional"]

MAN = 100
KING = 130
"""What a king counts against a man: the ratio of Chinook (Schaeffer and others, A World Championship Caliber Checkers
Program, 1992)."""

_ADVANCE = 3
_HOME_ROW = 12
_CENTRE = 3
_KING_CENTRE = 5

Table = Literal["count", "material", "positional"]


def material(state: State, player: int) -> int:
    """Checkers: 100 a man and 130 a king of the player's, less the other's.

    Raises:
        ValueError: the game is another one.
    """
    return _sum_of_weights(state, player, "material")


def positional(state: State, player: int) -> int:
    """Checkers: `material`, and a little for where the pieces stand.

    A man counts 3 a row advanced and 12 on its home row, which keeps the other side from kings; a piece more the nearer
    to the middle of its row and, a king, of the board.

    Raises:
        ValueError: the game is another one.
    """
    return _sum_of_weights(state, player, "positional")


def _sum_of_weights(state: State, player: int, table: Table) -> int:
    if not isinstance(state, Checkers):
        raise WrongGameError(f"the evaluation {table!r} is for Checkers, not for {type(state).__name__}")
    weights = piece_weights(state.size, table)
    value = 0
    for square, piece in enumerate(state.pieces()):
        if piece is not None:
            owner, is_king = piece
            weight = int(weights[2 * owner + is_king, POSITIONS[state.size][square]])
            value += weight if owner == player else -weight
    return value


@cache
def piece_weights(size: int, table: Table) -> npt.NDArray[np.int64]:
    """(4, 64) int64: the weights of red men, red kings, white men and white kings on each bit of the board."""
    weights = np.zeros((4, 64), np.int64)
    for square, position in enumerate(POSITIONS[size]):
        row, column = square // (size // 2), column_of(square, size)
        for owner in (0, 1):
            advanced = size - 1 - row if owner else row
            weights[2 * owner, position] = _weight(table, size, advanced, column, is_king=False)
            weights[2 * owner + 1, position] = _weight(table, size, advanced, column, is_king=True)
    return weights


def _weight(table: Table, size: int, row: int, column: int, *, is_king: bool) -> int:
    """The weight of a piece so many rows away from its own side."""
    if table == "count":
        return 1
    if table == "material":
        return KING if is_king else MAN
    beside, above = min(column, size - 1 - column), min(row, size - 1 - row)
    if is_king:
        return KING + _KING_CENTRE * min(beside, above)
    return MAN + _ADVANCE * row + _CENTRE * beside + (_HOME_ROW if row == 0 else 0)
