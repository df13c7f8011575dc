"""Othello by the weights of its squares.

The tables and their use are those of Norvig, Paradigms of Artificial Intelligence Programming, chapter 18.
"""

from functools import cache

from othello_env.agent import WrongGameError
from othello_env.games.game import State
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello

__all__ = ["LEAGUE_QUARTER", "NEAR_CORNER", "QUARTER", "modified", "square_weights", "swh", "weighted"]

_Quarter = tuple[tuple[int, ...], ...]

QUARTER = (
    (120, -20, 20, 5),
    (-20, -40, -5, -5),
    (20, -5, 15, 3),
    (5, -5, 3, 3),
)
"""The weights of the squares a1-d4. The other quarters mirror them; smaller boards take the first rows and columns."""

LEAGUE_QUARTER = (
    (100, -25, 10, 5),
    (-25, -25, 1, 1),
    (10, 1, 5, 2),
    (5, 1, 2, 1),
)
"""A hundred times those of the heuristic player of Yoshioka, Ishii and Ito (Strategy Acquisition for the Game Othello
Based on Reinforcement Learning, 1999), which the Othello League has as its opponent."""

NEAR_CORNER = 5
"""What `modified` counts for a disc beside an occupied corner."""


def weighted(state: State, player: int) -> int:
    """Othello: the weights of the player's squares less those of the other's.

    Raises:
        ValueError: the game is another one.
    """
    return _weighted(state, player, "weighted", QUARTER)


def swh(state: State, player: int) -> int:
    """Othello: `weighted` with the weights of the Othello League's standard weighted heuristic, `LEAGUE_QUARTER`.

    Raises:
        ValueError: the game is another one.
    """
    return _weighted(state, player, "swh", LEAGUE_QUARTER)


def _weighted(state: State, player: int, name: str, quarter: _Quarter) -> int:
    size, mine, other = _sides(state, player, name)
    return sum(
        weight * ((mine & squares).bit_count() - (other & squares).bit_count())
        for weight, squares in _squares_by_weight(size, quarter).items()
    )


def modified(state: State, player: int) -> int:
    """Othello: `weighted`, but a disc next to an occupied corner counts 5 for its owner instead of its square's weight.

    Raises:
        ValueError: the game is another one.
    """
    size, mine, other = _sides(state, player, "modified")
    value = weighted(state, player)
    for corner, neighbours in _corners(size):
        if (mine | other) & corner:
            for square, weight in neighbours:
                value += (NEAR_CORNER - weight) * (bool(mine & square) - bool(other & square))
    return value


@cache
def square_weights(size: int, quarter: _Quarter = QUARTER) -> tuple[int, ...]:
    """The weight of each square, row by row, on a board of that size."""
    near = [min(place, size - 1 - place) for place in range(size)]
    return tuple(quarter[row][column] for row in near for column in near)


@cache
def _squares_by_weight(size: int, quarter: _Quarter) -> dict[int, int]:
    """The set of squares that have each weight."""
    sets: dict[int, int] = {}
    for weight, bit in zip(square_weights(size, quarter), bitboard.ACTION_BITS[size], strict=False):
        sets[weight] = sets.get(weight, 0) | bit
    return sets


@cache
def _corners(size: int) -> list[tuple[int, list[tuple[int, int]]]]:
    """Each corner's bit, with the bits and weights of its three neighbours."""
    bits, weights = bitboard.ACTION_BITS[size], square_weights(size)

    def neighbours(row: int, column: int) -> list[tuple[int, int]]:
        rows, columns = (row, 1 if row == 0 else row - 1), (column, 1 if column == 0 else column - 1)
        places = [size * r + c for r in rows for c in columns if (r, c) != (row, column)]
        return [(bits[place], weights[place]) for place in places]

    last = size - 1
    return [(bits[size * row + column], neighbours(row, column)) for row in (0, last) for column in (0, last)]


def _sides(state: State, player: int, name: str) -> tuple[int, int, int]:
    """The board's size, the player's discs and the other's."""
    if not isinstance(state, Othello):
        raise WrongGameError(
            f"the evaluation {name!r} is for Othello, not for {type(state).__name__}; count is for any game"
        )
    if player == state.to_move:
        return state.size, state.own, state.opponent
    return state.size, state.opponent, state.own
