"""Evaluations of checkers positions by their pieces.

The value is the sum of the weights of the player's pieces minus the opponent's sum. A weight depends on the piece and
its square. The functions here and the compiled search (`othello_agents.search.checkers`) read the same table of
weights.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from othello_agents.evaluations.description import PieceWeight, evaluation
from othello_env.games.checkers.kernels import POSITIONS
from othello_env.games.checkers.notation import column_of
from othello_env.games.checkers.position import Checkers

__all__ = ["KING", "MAN", "material", "piece_weights", "positional"]

MAN = 100
KING = 130
"""`MAN` and `KING` are the values of a man and of a king. Chinook used the same ratio, 100 to 130 (Schaeffer and
others, A World Championship Caliber Checkers Program, 1992)."""

_ADVANCE = 3
_HOME_ROW = 12
_CENTRE = 3
_KING_CENTRE = 5


def _material(_size: int, _row: int, _column: int, is_king: bool) -> int:
    return KING if is_king else MAN


def _positional(size: int, row: int, column: int, is_king: bool) -> int:
    beside, above = min(column, size - 1 - column), min(row, size - 1 - row)
    if is_king:
        return KING + _KING_CENTRE * min(beside, above)
    return MAN + _ADVANCE * row + _CENTRE * beside + (_HOME_ROW if row == 0 else 0)


@evaluation(Checkers, pieces=_material)
def material(state: Checkers, player: int) -> int:
    """Checkers: the value of the player's men (100 each) and kings (130 each) minus the other side's value."""
    return _sum_of_weights(state, player, _material)


@evaluation(Checkers, pieces=_positional)
def positional(state: Checkers, player: int) -> int:
    """Checkers: `material` with small bonuses for the squares of the pieces.

    A man gets 3 for each row that it has advanced, and 3 for each column between the man and the nearer side edge. A
    man on its home row gets 12 more, because it keeps the other side from getting kings. A king gets 5 for each step
    from the nearest edge of the board.
    """
    return _sum_of_weights(state, player, _positional)


def _sum_of_weights(state: Checkers, player: int, weight: PieceWeight) -> int:
    weights = piece_weights(state.size, weight)
    value = 0
    for square, piece in enumerate(state.pieces()):
        if piece is not None:
            owner, is_king = piece
            worth = int(weights[2 * owner + is_king, POSITIONS[state.size][square]])
            value += worth if owner == player else -worth
    return value


@cache
def piece_weights(size: int, weight: PieceWeight) -> npt.NDArray[np.int64]:
    """The weight of each kind of piece on each square, (4, 64) int64.

    The rows are for red men, red kings, white men and white kings. The second index is the square's bit number.
    """
    weights = np.zeros((4, 64), np.int64)
    for square, position in enumerate(POSITIONS[size]):
        row, column = square // (size // 2), column_of(square, size)
        for owner in (0, 1):
            advanced = size - 1 - row if owner else row
            for is_king in (False, True):
                weights[2 * owner + is_king, position] = weight(size, advanced, column, is_king)
    return weights
