"""Evaluations of Othello by the weights of its squares.

`weighted` and `modified` are from Norvig, Paradigms of Artificial Intelligence Programming, chapter 18.
"""

from functools import cache

from othello_agents.evaluations.description import NEAR_CORNERS, Quarter, SquareSum, evaluation
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello

__all__ = ["LEAGUE_QUARTER", "NEAR_CORNER", "QUARTER", "modified", "square_weights", "swh", "weighted"]

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
