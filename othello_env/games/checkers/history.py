"""The positions before quiet plies, on which draws depend."""

from __future__ import annotations

from collections.abc import Sequence

from othello_env.games.checkers import kernels, notation

__all__ = ["Past", "positions_before"]

Past = tuple[int, int, int, int]
"""A position that can come back: own, opponent, kings, to_move."""


def positions_before(position: Past, quiet_moves: Sequence[int], size: int) -> tuple[Past, ...]:
    """The positions before each of some quiet moves that have led to a position, the first one first."""
    own, opponent, kings, to_move = position
    found: list[Past] = []
    for action in reversed(quiet_moves):
        both = _squares_of_step(action, size)
        own, opponent, kings, to_move = opponent ^ both, own, kings ^ both, 1 - to_move
        found.append((own, opponent, kings, to_move))
    return tuple(reversed(found))


def _squares_of_step(action: int, size: int) -> int:
    """The set of the squares that a step leaves and takes."""
    target = notation.destination(action // 4, action % 4, 1, size)
    assert target is not None
    bits = kernels.POSITIONS[size]
    return 1 << bits[action // 4] | 1 << bits[target]
