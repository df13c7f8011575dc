"""What follows from the size of a checkers board, and the rules of draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from othello_env.games.checkers import kernels, notation
from othello_env.games.game import check_board_size

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
"""For each rule of draws, how often a position must have stood before, and after how many quiet plies; 0 never."""

SQUARES = {
    size: {1 << position: square for square, position in enumerate(positions)}
    for size, positions in kernels.POSITIONS.items()
}
"""For each size, the square of each bit."""

HALVES = {size: np.uint64(size // 2) for size in kernels.SIZES}
BOARDS = {size: np.uint64(board) for size, board in kernels.BOARDS.items()}

CELLS = {
    size: np.array([square // (size // 2) * size + notation.column_of(square, size) for square in range(size**2 // 2)])
    for size in kernels.SIZES
}
"""For each size, where each dark square is on the whole board, row by row."""

PLANES = {
    size: (64 * np.arange(5)[:, np.newaxis] + np.array(positions)) for size, positions in kernels.POSITIONS.items()
}
"""For each size, (5, squares): where each square's bit is in five sets laid end to end."""


def check_size(size: Any) -> int:
    """The side of a board, if there is one such.

    Raises:
        ValueError: it is not 4, 6, 8 or 10.
    """
    return check_board_size(size, kernels.SIZES)


def check_draws(draws: Any) -> str:
    """The name of a rule of draws, if there is one such.

    Raises:
        ValueError: there is none.
    """
    if not isinstance(draws, str) or draws not in DRAWS:
        raise ValueError(f"draws must be one of {', '.join(DRAWS)}, not {draws!r}")
    return draws


def start_men(size: int) -> int:
    """The men that each side begins with, on all rows of its half but one."""
    return (size // 2 - 1) * (size // 2)
