"""Kernels (compiled functions) that work on the moves of N games of Othello.

Letters for shapes: N = games, T = plies of the longest game, M = positions.
"""

import numpy as np
import numpy.typing as npt

from othello_env.games.othello.batch import disc_of
from othello_env.games.othello.bitboard import (
    STARTS,
    flips,
    legal_moves,
)
from othello_env.support.jit import kernel

__all__ = ["LONGEST", "add_passes", "board_sets"]

LONGEST = 128
"""No game has more plies than this: at most 60 moves place a disc, and there are never two passes in a row."""

_0 = np.uint64(0)
_BLACK, _WHITE = map(np.uint64, STARTS)


@kernel(inline=True)
def _placed(disc: np.uint64, mine: np.uint64, other: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Place the disc on the square `disc`, or pass if `disc` is 0.

    Return the discs of the next player to move, and the discs of the other player.
    """
    turned = flips(disc, mine, other)
    return other & ~turned, mine | turned | disc


@kernel(inline=True)
def _transposed(squares: np.uint64) -> np.uint64:
    """Swap the rows and the columns in a set of squares of an 8x8 board.

    The method is from section 7-3 of the book Hacker's Delight (Warren).
    """
    turned = (squares ^ (squares >> np.uint64(7))) & np.uint64(0x00AA_00AA_00AA_00AA)
    squares = squares ^ turned ^ (turned << np.uint64(7))
    turned = (squares ^ (squares >> np.uint64(14))) & np.uint64(0x0000_CCCC_0000_CCCC)
    squares = squares ^ turned ^ (turned << np.uint64(14))
    turned = (squares ^ (squares >> np.uint64(28))) & np.uint64(0x0000_0000_F0F0_F0F0)
    return squares ^ turned ^ (turned << np.uint64(28))


@kernel
def board_sets(
    actions: npt.NDArray[np.int8],
    lengths: npt.NDArray[np.int32],
    mine: npt.NDArray[np.uint64],
    yours: npt.NDArray[np.uint64],
    legal: npt.NDArray[np.uint64],
    to_move: npt.NDArray[np.int8],
    moves: npt.NDArray[np.int8],
) -> None:
    """Write the board after each disc that is placed in N games. M is the number of these discs.

    The games are on 8x8 and begin at the usual start. All actions must be legal. In a set of squares, each square has a
    bit. The number of the bit is ``8 * letter + digit``, where `letter` and `digit` are the letter and the digit of the
    square's name, both counted from 0. For example, f5 has the bit ``8 * 5 + 4``.

    Args:
        actions: (N, T), the actions of each game.
        lengths: (N,), the number of actions of each game.
        mine: (M,), output: the discs of the player who is to move after the disc is placed.
        yours: (M,), output: the other player's discs.
        legal: (M,), output: the legal squares of the player to move, or of the other player if the player to move must
            pass.
        to_move: (M,), output: the player to move.
        moves: (N,), output: the number of discs that are placed in each game.
    """
    board, side = ~_0, np.uint64(8)
    k = 0
    for i in range(len(actions)):
        own, other, player = _BLACK, _WHITE, np.int8(0)
        first = k
        for t in range(lengths[i]):
            disc = disc_of(np.int64(actions[i, t]), side)
            own, other = _placed(disc, own, other)
            player = np.int8(1 - player)
            if disc == _0:
                continue
            squares = legal_moves(own, other, board)
            if squares == _0:
                squares = legal_moves(other, own, board)
            mine[k], yours[k], legal[k] = _transposed(own), _transposed(other), _transposed(squares)
            to_move[k] = player
            k += 1
        moves[i] = k - first


@kernel
def add_passes(
    squares: npt.NDArray[np.int8],
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    board: np.uint64,
    size: int,
    actions: npt.NDArray[np.int8],
    lengths: npt.NDArray[np.int32],
    wrong: npt.NDArray[np.int32],
) -> None:
    """Turn N lists of squares without passes into lists of actions with passes.

    Args:
        squares: (N, K), the squares of each list in order; a negative number ends a list.
        own: (N,), the discs of the player to move in the first position.
        opponent: (N,), the other player's discs.
        board: the set of all squares of the board, one bit for each square.
        size: the height and width of the board.
        actions: (N, LONGEST), output: the actions, and -1 after the last action. A pass after the last move is not
            added.
        lengths: (N,), output: the number of actions of each list.
        wrong: (N,), output: the number of the first illegal move, from 0; -1 if all moves are legal. A move that is
            legal after a pass counts as legal. The actions of a game end before its first illegal move.
    """
    side = np.uint64(size)
    for i in range(len(squares)):
        mine, other = own[i], opponent[i]
        wrong[i] = -1
        t = 0
        for k in range(squares.shape[1]):
            action = np.int64(squares[i, k])
            if action < 0:
                break
            legal = legal_moves(mine, other, board)
            disc = disc_of(action, side)
            if legal == _0 and disc & legal_moves(other, mine, board) != _0:
                actions[i, t] = size * size
                t += 1
                mine, other = other, mine
                legal = disc
            if disc & legal == _0:
                wrong[i] = k
                break
            actions[i, t] = action
            t += 1
            mine, other = _placed(disc, mine, other)
        lengths[i] = t
        actions[i, t:] = -1
