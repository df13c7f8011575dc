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
    bits = kernels.POSITIONS[size]
    before: list[Past] = []
    for action in reversed(quiet_moves):
        square, direction = divmod(action, 4)
        target = notation.destination(square, direction, 1, size)
        assert target is not None
        both = 1 << bits[square] | 1 << bits[target]  # the squares that the step leaves and reaches
        own, opponent, kings, to_move = opponent ^ both, own, kings ^ both, 1 - to_move
        before.append((own, opponent, kings, to_move))
    return tuple(reversed(before))
