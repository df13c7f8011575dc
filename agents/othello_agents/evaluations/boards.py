"""Evaluations by the weights of squares, pieces and moves: for any game, for Othello and for checkers.

`weighted` and `modified` are from Norvig, Paradigms of Artificial Intelligence Programming, chapter 18. In checkers, a
value is the sum of the weights of the player's pieces minus the opponent's sum. A weight depends on the piece and its
square. The functions here and the compiled searches read the same tables of weights.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from othello_agents.evaluations.registry import NEAR_CORNERS, ONLY_MOVES, PieceWeight, Quarter, SquareSum, evaluation
from othello_env.games.checkers.kernels import POSITIONS
from othello_env.games.checkers.notation import column_of
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import State
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello

__all__ = [
    "KING",
    "LEAGUE_QUARTER",
    "MAN",
    "NEAR_CORNER",
    "QUARTER",
    "count",
    "material",
    "mobility",
    "modified",
    "piece_weights",
    "positional",
    "square_weights",
    "standard",
    "swh",
    "weighted",
]

QUARTER = (
    (120, -20, 20, 5),
    (-20, -40, -5, -5),
    (20, -5, 15, 3),
    (5, -5, 3, 3),
)
"""The weights of `weighted` and `modified`, from Norvig."""

LEAGUE_QUARTER = (
    (100, -25, 10, 5),
    (-25, -25, 1, 1),
    (10, 1, 5, 2),
    (5, 1, 2, 1),
)
"""The weights of the heuristic player of Yoshioka, Ishii and Ito, multiplied by 100 (Strategy Acquisition for the Game
Othello Based on Reinforcement Learning, 1999). That player is the opponent in the Othello League, a competition of
evaluations."""

NEAR_CORNER = 5
"""The value of a disc beside an occupied corner in `modified`."""


@evaluation(Othello, squares=SquareSum(QUARTER))
def weighted(state: Othello, player: int) -> int:
    """Othello: the sum of the weights of the player's squares minus the sum for the other player's squares."""
    return _weighted(state, player, QUARTER)


@evaluation(Othello, squares=SquareSum(LEAGUE_QUARTER))
def swh(state: Othello, player: int) -> int:
    """Othello: `weighted` with the weights `LEAGUE_QUARTER`, the Othello League's standard weighted heuristic."""
    return _weighted(state, player, LEAGUE_QUARTER)


@evaluation(Othello, squares=SquareSum(QUARTER, NEAR_CORNERS))
def modified(state: Othello, player: int) -> int:
    """Othello: `weighted`, but a disc beside an occupied corner counts 5, and not the weight of its square."""
    mine, other = _sides(state, player)
    value = _weighted(state, player, QUARTER)
    for corner, neighbours in _corners(state.size):
        if (mine | other) & corner:
            for square, weight in neighbours:
                value += (NEAR_CORNER - weight) * (bool(mine & square) - bool(other & square))
    return value


def _weighted(state: Othello, player: int, quarter: Quarter) -> int:
    mine, other = _sides(state, player)
    return sum(
        weight * ((mine & squares).bit_count() - (other & squares).bit_count())
        for weight, squares in _squares_by_weight(state.size, quarter).items()
    )


def _sides(state: Othello, player: int) -> tuple[int, int]:
    """The discs of the player, and the discs of the other player."""
    return (state.own, state.opponent) if player == state.to_move else (state.opponent, state.own)


@cache
def square_weights(size: int, quarter: Quarter) -> tuple[int, ...]:
    """The weight of each square, row by row, on a board of this size."""
    near = [min(place, size - 1 - place) for place in range(size)]
    return tuple(quarter[row][column] for row in near for column in near)


@cache
def _squares_by_weight(size: int, quarter: Quarter) -> dict[int, int]:
    """For each weight, the set of squares (as bits) that have this weight."""
    sets: dict[int, int] = {}
    for weight, bit in zip(square_weights(size, quarter), bitboard.ACTION_BITS[size], strict=False):
        sets[weight] = sets.get(weight, 0) | bit
    return sets


@cache
def _corners(size: int) -> list[tuple[int, list[tuple[int, int]]]]:
    """For each corner, its bit, and the bits and weights of its three neighbours."""
    bits, weights = bitboard.ACTION_BITS[size], square_weights(size, QUARTER)

    def neighbours(row: int, column: int) -> list[tuple[int, int]]:
        rows, columns = (row, 1 if row == 0 else row - 1), (column, 1 if column == 0 else column - 1)
        places = [size * r + c for r in rows for c in columns if (r, c) != (row, column)]
        return [(bits[place], weights[place]) for place in places]

    last = size - 1
    return [(bits[size * row + column], neighbours(row, column)) for row in (0, last) for column in (0, last)]


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
            points = int(weights[2 * owner + is_king, POSITIONS[state.size][square]])
            value += points if owner == player else -points
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


_ONES = ((1,) * 4,) * 4


def _one(_size: int, _row: int, _column: int, _is_king: bool) -> int:
    return 1


@evaluation(squares=SquareSum(_ONES), pieces=_one)
def count(state: State, player: int) -> int:
    """The player's number of discs, cells or pieces, minus the largest number that one of the other players has."""
    scores = state.scores()
    return scores[player] - max(score for other, score in enumerate(scores) if other != player)


@evaluation(squares=SquareSum(_ONES, ONLY_MOVES))
def mobility(state: State, player: int) -> int:
    """The number of moves that the player would have if it were the player's turn. A pass does not count."""
    return state.mobility(player)


@evaluation(squares=weighted.squares, pieces=positional.pieces)
def standard(state: State, player: int) -> float:
    """`weighted` in Othello, `positional` in checkers, `count` in any other game."""
    if isinstance(state, Othello):
        return weighted.function(state, player)
    return (positional if isinstance(state, Checkers) else count).function(state, player)
