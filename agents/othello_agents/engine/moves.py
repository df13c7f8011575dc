"""Lists of a position's moves with their ranks, for the midgame search and for the exact solver."""

import numpy as np
import numpy.typing as npt

from othello_agents.engine.endings import odd_quadrants
from othello_agents.engine.flips import flips
from othello_agents.engine.memory import WORST, Memory, depth_of, position_key, probe, upper_bound
from othello_env.games.othello.bitboard import legal_moves as legal_moves_inline
from othello_env.games.othello.bitboard import popcount, square_of
from othello_env.support.jit import Int, kernel

__all__ = ["corners_of", "known_refutation", "legal_moves", "list_moves", "listed_move", "next_move"]

_0, _1, _8 = np.uint64(0), np.uint64(1), np.uint64(8)
_NOT_A, _NOT_H = np.uint64(0xFEFE_FEFE_FEFE_FEFE), np.uint64(0x7F7F_7F7F_7F7F_7F7F)


@kernel(slp=True)
def legal_moves(own: np.uint64, opponent: np.uint64, board: np.uint64) -> np.uint64:
    """The same as `bitboard.legal_moves`, but compiled once and not inlined into each caller."""
    return legal_moves_inline(own, opponent, board)


@kernel
def corners_of(board: np.uint64) -> np.uint64:
    """The four corners of a square board."""
    sides = board & ~((board << _1) & _NOT_A & (board >> _1) & _NOT_H)
    return sides & ~((board << _8) & (board >> _8))


@kernel(lean=True)
def list_moves(
    own: np.uint64,
    opponent: np.uint64,
    legal: np.uint64,
    hash_square: Int,
    empty: Int,
    board: np.uint64,
    memory: Memory,
) -> tuple[Int, bool]:
    """Write a list of the legal moves with their ranks into `memory`, ready for `next_move`.

    The lowest rank is the best. The move on `hash_square`, the transposition table's best move, gets rank 0. The other
    moves rank better if they leave the opponent fewer replies (a reply in a corner counts twice). Moves in corners, and
    moves in quarters with an odd number of empty squares (see `odd_quadrants`), also rank better. Returns the number of
    moves, and whether a move leaves the opponent without discs.
    """
    order, turned = memory.order[empty], memory.turned[empty]
    odd = odd_quadrants(board & ~(own | opponent))
    corners = corners_of(board)
    count, wipes_out = 0, False
    while legal != _0:
        disc = legal & (_0 - legal)
        legal ^= disc
        square, flipped = square_of(disc), flips(disc, own, opponent)
        if flipped == opponent:
            wipes_out = True
        rank: Int = 0
        if square != hash_square:
            replies = legal_moves(opponent ^ flipped, own | flipped | disc, board)
            rank = 8 * WORST + 16 * np.int64(popcount(replies) + popcount(replies & corners))
            if disc & corners:
                rank -= 24
            if disc & odd:
                rank -= 12
        order[count], turned[count] = rank << 6 | square, flipped
        count += 1
    return count, wipes_out


@kernel(lean=True)
def next_move(first: Int, count: Int, order: npt.NDArray[np.int64], turned: npt.NDArray[np.uint64]) -> None:
    """Find the best of the moves `first` to `count` - 1 of a list, and swap this move with move `first`."""
    best = first
    for i in range(first + 1, count):
        if order[i] < order[best]:
            best = i
    order[first], order[best] = order[best], order[first]
    turned[first], turned[best] = turned[best], turned[first]


@kernel(inline=True)
def listed_move(
    i: Int, own: np.uint64, opponent: np.uint64, order: npt.NDArray[np.int64], turned: npt.NDArray[np.uint64]
) -> tuple[Int, np.uint64, np.uint64, np.uint64]:
    """Return move `i` of a list: its square, the discs that it turns, and `own` and `opponent` of the next position."""
    square, flipped = order[i] & 63, turned[i]
    return square, flipped, opponent ^ flipped, own | flipped | _1 << np.uint64(square)


@kernel(lean=True)
def known_refutation(
    own: np.uint64,
    opponent: np.uint64,
    beta: Int,
    depth: Int,
    count: Int,
    empty: Int,
    salt: np.uint64,
    memory: Memory,
) -> Int:
    """Look for a listed move whose value is at least beta according to the transposition table.

    Returns this value, or -WORST if there is no such move. Only results of searches to `depth` count. A position's key
    in the table is its `position_key` xor `salt`.
    """
    order, turned = memory.order[empty], memory.turned[empty]
    for i in range(count):
        _, _, p, o = listed_move(i, own, opponent, order, turned)
        data = probe(position_key(p, o) ^ salt, memory)
        if data != 0 and depth_of(data) == depth and -upper_bound(data) >= beta:
            return -upper_bound(data)
    return -WORST
