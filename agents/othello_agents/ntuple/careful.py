"""One-ply play that never lets the opponent take all discs with the next move, if there is another move."""

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple.kernels import Tables, best_move, configure
from othello_env.games.othello.bitboard import flips, legal_moves, popcount, square_to_action
from othello_env.support.jit import kernel

__all__ = ["careful_actions", "careful_moves"]

_0 = np.uint64(0)
_MOST_TURNED = np.uint64(19)
"""No move turns more discs: on each of the lines through a square, all but the line's ends and the square itself."""


@kernel
def _is_wiped_out(own: np.uint64, opponent: np.uint64, board: np.uint64) -> bool:
    """Whether the player to move, `opponent`, has a move that turns all discs of `own`."""
    replies = legal_moves(opponent, own, board)
    while replies != _0:
        disc = replies & (_0 - replies)
        replies ^= disc
        if flips(disc, opponent, own) == own:
            return True
    return False


@kernel
def careful_moves(own: np.uint64, opponent: np.uint64, legal: np.uint64, board: np.uint64) -> np.uint64:
    """The moves after which the opponent cannot turn all discs of `own` at once.

    If there is no such move, all moves are returned. Only a player with few discs can lose all of them to one move.
    With more discs, the kernel returns immediately.
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


@kernel
def careful_actions(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], tables: Tables, size: int
) -> npt.NDArray[np.int64]:
    """The actions with the best afterstates among the careful moves of N positions, (N,); see `careful_moves`.

    The action is a pass if there is no other action.
    """
    actions = np.empty(len(own), np.int64)
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    after = np.empty_like(configuration)
    for i in range(len(own)):
        legal = legal_moves(own[i], opponent[i], tables.board)
        if legal == _0:
            actions[i] = size * size
            continue
        legal = careful_moves(own[i], opponent[i], legal, tables.board)
        configure(own[i], opponent[i], tables, configuration)
        square, _ = best_move(own[i], opponent[i], legal, configuration, tables, after)
        actions[i] = square_to_action(square, size)
    return actions
