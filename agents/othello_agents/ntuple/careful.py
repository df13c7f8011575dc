"""Finds the moves after which the opponent cannot turn all of the player's discs with one move."""

import numpy as np

from othello_env.games.othello.bitboard import flips, legal_moves, popcount
from othello_env.support.jit import kernel

__all__ = ["careful_moves"]

_0 = np.uint64(0)
_MOST_TURNED = np.uint64(19)
"""The largest number of discs that a move can turn. Three lines of 8 squares and one line of 7 can go through the
square of the move, for example through d4. On each line, no disc turns on this square or at the two ends. So at most
5 + 5 + 5 + 4 discs turn."""


@kernel
def _is_wiped_out(own: np.uint64, opponent: np.uint64, board: np.uint64) -> bool:
    """Whether the opponent, who is to move, can turn all discs of `own` with one move."""
    replies = legal_moves(opponent, own, board)
    while replies != _0:
        disc = replies & (_0 - replies)
        replies ^= disc
        if flips(disc, opponent, own) == own:
            return True
    return False


@kernel
def careful_moves(own: np.uint64, opponent: np.uint64, legal: np.uint64, board: np.uint64) -> np.uint64:
    """The moves after which the opponent cannot turn all discs of `own` with one move.

    If there is no such move, all moves are returned. All moves are also returned if `own` has at least `_MOST_TURNED`
    discs. Then the player has more discs after any move than the opponent can turn.
    """
    if popcount(own) >= _MOST_TURNED:
        return legal
    found, left = _0, legal
    while left != _0:
        disc = left & (_0 - left)
        left ^= disc
        turned = flips(disc, own, opponent)
        mine = own | turned | disc
        if popcount(mine) > _MOST_TURNED or not _is_wiped_out(mine, opponent ^ turned, board):
            found |= disc
    return legal if found == _0 else found
