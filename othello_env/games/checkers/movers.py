"""The sets of pieces that may move in each direction. Each set is a Python integer with one bit for each piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from othello_env.games.checkers import kernels
from othello_env.games.checkers.tables import BOARDS, HALVES

__all__ = ["Movers", "as_ints", "movers_of"]

Movers = tuple[int, int, int, int, bool]
"""Four sets of pieces (those that may move NW, NE, SW and SE), and a bool: whether these moves are jumps."""


def movers_of(own: int, opponent: int, kings: int, going: int, red: bool, size: int) -> Movers:
    """The result of `othello_env.games.checkers.kernels.legal_moves` for a position, as Python integers and a bool."""
    uint64 = np.uint64
    return as_ints(
        kernels.legal_moves(
            uint64(own), uint64(opponent), uint64(kings), uint64(going), red, HALVES[size], BOARDS[size]
        )
    )


def as_ints(movers: tuple[Any, Any, Any, Any, Any]) -> Movers:
    """Convert the result of the kernel `legal_moves` to Python integers and a bool."""
    north_west, north_east, south_west, south_east, jumps = movers
    return int(north_west), int(north_east), int(south_west), int(south_east), bool(jumps)
