"""Those earlier positions of a game of checkers that can occur again. The rules for draws need these positions.

A position can occur again only if all plies after it are quiet, which means that they are steps of kings.
"""

from __future__ import annotations

from collections.abc import Sequence

from othello_env.games.checkers import kernels, notation

__all__ = ["Past", "positions_before"]

Past = tuple[int, int, int, int]
"""An earlier position that can occur again: own, opponent, kings, to_move."""


def positions_before(position: Past, quiet_moves: Sequence[int], size: int) -> tuple[Past, ...]:
    """The position before each of the quiet moves, in the order of the moves. `position` is the position after them."""
    own, opponent, kings, to_move = position
    before: list[Past] = []
    for action in reversed(quiet_moves):
        both = _squares_of_step(action, size)
        own, opponent, kings, to_move = opponent ^ both, own, kings ^ both, 1 - to_move
        before.append((own, opponent, kings, to_move))
    return tuple(reversed(before))


def _squares_of_step(action: int, size: int) -> int:
    """The square that a step leaves and the square that it reaches, as a set of bits."""
    target = notation.destination(action // 4, action % 4, 1, size)
    assert target is not None
    bits = kernels.POSITIONS[size]
    return 1 << bits[action // 4] | 1 << bits[target]
