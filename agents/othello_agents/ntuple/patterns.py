"""The squares that each lookup table covers.

A pattern is a tuple of k squares. Its table has a weight for each of the 3**k ways to fill the squares. The board's
symmetries map a pattern to up to eight placements, which share its table. For all board sizes, the shapes follow
Logistello (Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello", 1997).

A placement's configuration is a number in balanced ternary. An own disc on square number i of the placement (counted
from 0) adds 3**i to it, and an opponent's disc subtracts 3**i. From the other side's point of view, the configuration
has the opposite sign. A placed or turned disc adds a multiple of a constant vector to the configurations of all
placements. So a move only adds vectors of small integers.

Another table covers the whole board. Its configuration is the number of the player's discs minus the number of the
opponent's discs. With this table, the network sees that a player has few discs and may lose all of them.

Letters for shapes: P is the number of placements that are looked up. Q is the number of all placements: these P
placements and the mirrored ones. A mirrored placement covers the same squares as a placement that is
looked up, in another order.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from othello_env.games.othello import symmetries
from othello_env.games.othello.bitboard import ACTION_SQUARES
from othello_env.games.othello.position import check_size

__all__ = ["Layout", "layout", "shapes"]


@dataclass(frozen=True, eq=False)
class Layout:
    """All placements of the patterns on a board, in the form of the arrays that the kernels read.

    Attributes:
        size: the board's size.
        patterns: for each pattern its name and squares (0-63).
        weights: the number of weights in a stage of the game. The table for the whole board comes last.
        deltas: (64, Q) int16, the number that an own disc on a square adds to each placement's configuration.
        offsets: (Q,) int64, the index of configuration 0 in each placement's table.
        partners: (Q,) int64, the number of the looked-up placement that covers the same squares as each placement. For
            the first P placements, these are their own numbers. A mirrored placement is not looked up, but it is
            updated, so that the table of a symmetric pattern stays symmetric.
        looked_up: P, the number of placements that are looked up.
    """

    size: int
    patterns: tuple[tuple[str, tuple[int, ...]], ...]
    weights: int
    deltas: npt.NDArray[np.int16]
    offsets: npt.NDArray[np.int64]
    partners: npt.NDArray[np.int64]
    looked_up: int


def shapes(size: int = 8) -> dict[str, list[int]]:
    """Each pattern's name and its squares in one placement, as actions on a board of this size."""
    last, half = size - 1, size // 2

    def at(row: int, column: int) -> int:
        return size * row + column

    found = {"edge and X-squares": [at(0, c) for c in range(size)] + [at(1, 1), at(1, last - 1)]}
    for row in range(1, half):
        found[f"line {row + 1}"] = [at(row, c) for c in range(size)]
    for length in range(size, 3, -1):
        found[f"diagonal of {length}"] = [at(i, size - length + i) for i in range(length)]
    width = min(5, size)
    found[f"corner 2x{width}"] = [at(r, c) for r in range(2) for c in range(width)]
    found["corner 3x3"] = [at(r, c) for r in range(3) for c in range(3)]
    return found


@cache
def layout(size: int) -> Layout:
    """The placements for a board of side 4, 6 or 8.

    Raises:
        ValueError: the size is not 4, 6 or 8.
    """
    check_size(size)
    first: list[tuple[tuple[int, ...], int, int]] = []  # squares, offset, partner
    mirrored: list[tuple[tuple[int, ...], int, int]] = []
    patterns = []
    start = 0
    for name, actions in shapes(size).items():
        offset = start + (3 ** len(actions) - 1) // 2
        start += 3 ** len(actions)
        patterns.append((name, _squares(actions, 0, size)))
        places: dict[frozenset[int], int] = {}
        for squares in dict.fromkeys(_squares(actions, k, size) for k in range(symmetries.COUNT)):
            place = frozenset(squares)
            if place in places:
                mirrored.append((squares, offset, places[place]))
            else:
                places[place] = len(first)
                first.append((squares, offset, len(first)))
    first.append((ACTION_SQUARES[size], start + size * size, len(first)))
    start += 2 * size * size + 1
    placements = first + mirrored
    deltas = np.zeros((64, len(placements)), np.int16)
    for q, (squares, _, _) in enumerate(placements):
        deltas[list(squares), q] = 1 if q == len(first) - 1 else 3 ** np.arange(len(squares))
    return Layout(
        size=size,
        patterns=tuple(patterns),
        weights=start,
        deltas=deltas,
        offsets=np.array([offset for _, offset, _ in placements], np.int64),
        partners=np.array([partner for _, _, partner in placements], np.int64),
        looked_up=len(first),
    )


def _squares(actions: list[int], symmetry: int, size: int) -> tuple[int, ...]:
    """The squares (0-63) of some actions after a symmetry."""
    moved = symmetries.transform_actions(np.array(actions), symmetry, size).tolist()
    return tuple(ACTION_SQUARES[size][action] for action in moved)
