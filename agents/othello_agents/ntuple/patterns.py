"""The squares that each lookup table covers.

A pattern is a tuple of k squares. Its table has a weight for each of the 3**k ways to fill the squares. The board's
symmetries map a pattern to up to eight placements, which share its table. On all board sizes, the patterns are similar
to those of the program Logistello (Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for
Othello", 1997).

A placement's configuration is a number in balanced ternary (with the digits -1, 0 and 1). An own disc on square number
i of the placement (counted from 0) adds 3**i to the configuration, and an opponent's disc subtracts 3**i. From the
other side's point of view, the configuration has the opposite sign. Each square has a fixed vector with one number for
each placement (see `Layout.deltas`). A new disc on the square adds or subtracts this vector, and a turned disc adds or
subtracts it twice. So a move changes all configurations by a few additions of vectors.

Another table covers the whole board. Its configuration is the number of own discs minus the number of the opponent's
discs. With this table, the network sees that a player has few discs and may lose all of them.

Some patterns are symmetric: a symmetry of the board maps a placement of the pattern to the same squares in another
order. Then this placement can have one configuration in a position, and another configuration in the position's mirror
image. The weights of these two configurations must be equal, so learning changes both weights in the same way.
`mirrors` lists such pairs.

Letters for shapes: P placements, L lanes (P rounded up to a multiple of 16), W weights in a stage of the game.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from othello_env.games.othello import symmetries
from othello_env.games.othello.bitboard import ACTION_SQUARES
from othello_env.games.othello.position import check_size

__all__ = ["Layout", "layout", "mirrors", "shapes"]

_LANES = 16  # configurations are padded to a multiple of this number, so that they fill whole vector registers


@dataclass(frozen=True, eq=False)
class Layout:
    """All placements of the patterns on a board, as the arrays that compiled functions read.

    Attributes:
        size: the board's size.
        patterns: for each pattern its name and squares (0-63).
        weights: W, the number of weights in a stage of the game. Each pattern has a table of weights. The tables follow
            one another. After them comes the table for the whole board.
        deltas: (64, L) int16, the number that an own disc on a square adds to each placement's configuration; 0 in the
            lanes after the last placement.
        offsets: (P,) int64. With the configuration c, placement p looks up weight number offsets[p] + c of a stage.
            Placements of the same pattern follow one another.
        looked_up: P, the number of placements.
    """

    size: int
    patterns: tuple[tuple[str, tuple[int, ...]], ...]
    weights: int
    deltas: npt.NDArray[np.int16]
    offsets: npt.NDArray[np.int64]
    looked_up: int


def shapes(size: int = 8) -> dict[str, list[int]]:
    """A dict from each pattern's name to the squares of one placement, as actions on a board of this size."""
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
    """Find the placements of all patterns on a board of size 4, 6 or 8.

    Raises:
        ValueError: the size is not 4, 6 or 8.
    """
    check_size(size)
    places: list[tuple[tuple[int, ...], int]] = []  # squares and offset
    patterns = []
    start = 0
    for name, actions in shapes(size).items():
        offset = start + (3 ** len(actions) - 1) // 2
        start += 3 ** len(actions)
        patterns.append((name, _squares(actions, 0, size)))
        orders = [_squares(actions, k, size) for k in range(symmetries.COUNT)]
        # Several of the `orders` may have the same squares. For each set, `first` has the first of its orders.
        first = {frozenset(squares): squares for squares in reversed(orders)}
        places += [(squares, offset) for squares in dict.fromkeys(orders) if squares in first.values()]
    places.append((ACTION_SQUARES[size], start + size * size))
    deltas = np.zeros((64, -(-len(places) // _LANES) * _LANES), np.int16)
    for p, (squares, _) in enumerate(places[:-1]):
        deltas[list(squares), p] = 3 ** np.arange(len(squares))
    deltas[list(ACTION_SQUARES[size]), len(places) - 1] = 1
    return Layout(
        size=size,
        patterns=tuple(patterns),
        weights=start + 2 * size * size + 1,
        deltas=deltas,
        offsets=np.array([offset for _, offset in places], np.int64),
        looked_up=len(places),
    )


@cache
def mirrors(size: int) -> npt.NDArray[np.int32]:
    """The index of each weight's mirror image among the weights of a stage, (W,).

    Two weights that must be equal are mirror images of each other. A weight without a mirror image has its own index.

    Raises:
        ValueError: the size is not 4, 6 or 8.
    """
    found = np.arange(layout(size).weights, dtype=np.int32)
    start = 0
    for actions in shapes(size).values():
        squares, count = _squares(actions, 0, size), 3 ** len(actions)
        digits = np.arange(count)[:, np.newaxis] // 3 ** np.arange(len(squares)) % 3
        for k in range(symmetries.COUNT):
            image = _squares(actions, k, size)
            if image != squares and set(image) == set(squares):
                order = [squares.index(square) for square in image]
                found[start : start + count] = start + digits[:, order] @ 3 ** np.arange(len(squares))
        start += count
    return found


def _squares(actions: list[int], symmetry: int, size: int) -> tuple[int, ...]:
    """The squares (0-63) to which a symmetry moves the squares of some actions."""
    moved = symmetries.transform_actions(np.array(actions), symmetry, size).tolist()
    return tuple(ACTION_SQUARES[size][action] for action in moved)
