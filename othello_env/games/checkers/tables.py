"""Tables for each size of a checkers board, and the rules for draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from othello_env.games.checkers import kernels, notation
from othello_env.games.game import check_board_size, check_choice

__all__ = [
    "BOARDS",
    "CELLS",
    "DRAWS",
    "HALVES",
    "PLANES",
    "SQUARES",
    "check_draws",
    "check_size",
    "start_men",
]

DRAWS: dict[str, tuple[int, int]] = {"repetition": (1, 0), "threefold": (2, 0), "40-move": (0, 80)}
"""For each rule for draws, two limits. The game is a draw when a limit is reached. A limit of 0 does not apply.

The first limit is the number of times that the position occurred before. The second limit is the number of quiet plies:
the plies since the last capture or the last move of a man.
"""

SQUARES = {
    size: {1 << position: square for square, position in enumerate(positions)}
    for size, positions in kernels.POSITIONS.items()
}
"""For each size, a dict from the bit of each dark square to the number of the square, from 0."""

HALVES = {size: np.uint64(size // 2) for size in kernels.SIZES}
BOARDS = {size: np.uint64(board) for size, board in kernels.BOARDS.items()}

CELLS = {
    size: np.array([square // (size // 2) * size + notation.column_of(square, size) for square in range(size**2 // 2)])
    for size in kernels.SIZES
}
"""For each size, the index of each dark square among all squares of the board, row by row."""

PLANES = {
    size: (64 * np.arange(5)[:, np.newaxis] + np.array(positions)) for size, positions in kernels.POSITIONS.items()
}
"""For each size, an index array (5, number of dark squares) that selects the dark squares from five sets of 64 bits.

The 320 bits of the five sets are numbered from 0, one set after another. Entry [k, square] is the number of the
bit that stands for the square in set k.
"""


def check_size(size: Any) -> int:
    """Check the size of a board (its height and width), and return the size as an int.

    Raises:
        ValueError: the size is not 4, 6, 8 or 10.
    """
    return check_board_size(size, kernels.SIZES)


def check_draws(draws: Any) -> str:
    """Check the name of a rule for draws and return it.

    Raises:
        ValueError: there is no such rule.
    """
    check_choice("draws", draws, (*DRAWS,))
    return str(draws)


def start_men(size: int) -> int:
    """The number of men of each side at the start. In each half, only the row nearest to the middle is empty."""
    return (size // 2 - 1) * (size // 2)
