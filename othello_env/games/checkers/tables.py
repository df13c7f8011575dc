"""Tables for each size of checkers board, and the rules of draws."""

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
"""For each rule of draws: the earlier occurrences and the quiet plies that make a draw; 0 if that makes none."""

SQUARES = {
    size: {1 << position: square for square, position in enumerate(positions)}
    for size, positions in kernels.POSITIONS.items()
}
"""For each size, the dark square (from 0) of each bit."""

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
"""For each size, (5, squares): the index of each square's bit in each of five 64-bit sets laid end to end."""


def check_size(size: Any) -> int:
    """Return the side of a board as an int, if there is a board of that size.

    Raises:
        ValueError: it is not 4, 6, 8 or 10.
    """
    return check_board_size(size, kernels.SIZES)


def check_draws(draws: Any) -> str:
    """Return the name of a rule of draws, if there is such a rule.

    Raises:
        ValueError: there is no such rule.
    """
    if not isinstance(draws, str) or draws not in DRAWS:
        raise ValueError(f"draws must be one of {', '.join(DRAWS)}, not {draws!r}")
    return draws


def start_men(size: int) -> int:
    """The number of men with which each side begins: they fill all rows of its half except one."""
    return (size // 2 - 1) * (size // 2)
