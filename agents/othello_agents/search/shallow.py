"""Searches of one or two plies that find the best moves of thousands of Othello positions at a time.

The kernels (compiled functions) here choose the same moves as `kernels.search_batch`. They list all moves of a block of
positions, play these moves, and evaluate the positions after the moves. Each of these steps consists of loops, and most
of the loops have no branch. So the compiler LLVM can let one instruction work on several moves (eight with AVX-512). At
two plies, these kernels evaluate all replies. Alpha-beta skips some replies, but nevertheless takes longer.

Letters for shapes: N = number of positions, M = number of moves, C = number of different weights.
"""

import numpy as np
import numpy.typing as npt

from othello_agents.evaluations.description import NEAR_CORNERS, ONLY_MOVES, SquareSum
from othello_agents.search.kernels import MAXIMIZER, OUTSIDE, WEIGHTS, near_corners, search, weigh, weights_table
from othello_env.games.othello.bitboard import BOARDS, flips, legal_moves, popcount, square_of, square_to_action
from othello_env.games.othello.positions import OthelloPositions
from othello_env.support.jit import Int, kernel

__all__ = ["DEEPEST", "best_actions"]

DEEPEST = 2
"""The greatest depth of these searches in plies."""

_BLOCK = 64
"""The number of positions in a block. All their moves and replies fit into the processor's fastest caches."""
_0, _1 = np.uint64(0), np.uint64(1)
_ONE_PLY = np.int64(1)  # for a Python int, Numba would compile `search` a second time


def _classes() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """For each table of `WEIGHTS`, the different weights except 0, and for each weight the squares that have it.

    Returns the sets of squares, (tables, C) uint64, and the weights, (tables, C) int64. Tables with fewer than C
    different weights have zeros in the unused places.
    """
    found = [[(weight, np.flatnonzero(row == weight)) for weight in np.unique(row[row != 0])] for row in WEIGHTS]
    most = max(map(len, found))
    squares, weights = np.zeros((len(found), most), np.uint64), np.zeros((len(found), most), np.int64)
    for table, classes in enumerate(found):
        for c, (weight, places) in enumerate(classes):
            squares[table, c], weights[table, c] = sum(1 << int(place) for place in places), weight
    return squares, weights


_SQUARES, _VALUES = _classes()


@kernel
def _list_moves(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], board: np.uint64
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """List the moves of N positions: position by position, and in ascending order of squares in each position.

    Returns:
        Two arrays. The first, (3, M) uint64, has three numbers for each move: the new disc, and the player's and the
        opponent's discs before the move. The second, `ends`, (N,) int64, says where the moves of each position end.
        The moves of position i have the indices from `ends[i - 1]` (0 if i is 0) to `ends[i] - 1`.
    """
    legal, ends = np.empty(len(own), np.uint64), np.empty(len(own), np.int64)
    for i in range(len(own)):
        legal[i] = legal_moves(own[i], opponent[i], board)
    total = np.int64(0)
    for i in range(len(own)):
        total += np.int64(popcount(legal[i]))
    moves = np.empty((3, total), np.uint64)
    n = 0
    for i in range(len(own)):
        left = legal[i]
        while left != _0:
            moves[0, n], moves[1, n], moves[2, n] = left & (_0 - left), own[i], opponent[i]
            left &= left - _1
            n += 1
        ends[i] = n
    return moves, ends


@kernel
def _play(moves: npt.NDArray[np.uint64]) -> None:
    """Play M moves. `moves` is the first array that `_list_moves` returns, (3, M) uint64.

    Afterwards row 1 has the discs of the player who moved, and row 2 has the opponent's discs.
    """
    disc, mine, other = moves[0], moves[1], moves[2]
    turned = np.empty(len(disc), np.uint64)
    for k in range(len(disc)):
        turned[k] = flips(disc[k], mine[k], other[k])
    for k in range(len(disc)):
        mine[k] |= turned[k] | disc[k]
    for k in range(len(disc)):
        other[k] ^= turned[k]


@kernel
def _evaluate(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], board: np.uint64, table: int, term: int
) -> npt.NDArray[np.int64]:
    """The values of M positions for the players whose discs are `own`, (M,) int64.

    `table` is an index from `weights_table`. `term` is the evaluation's `SquareSum.term`.
    """
    values = np.empty(len(own), np.int64)
    if term == ONLY_MOVES:
        for k in range(len(own)):
            values[k] = np.int64(popcount(legal_moves(own[k], opponent[k], board)))
        return values
    for k in range(len(own)):
        values[k] = 0
    for c in range(_SQUARES.shape[1]):
        squares, weight = _SQUARES[table, c], _VALUES[table, c]
        for k in range(len(own)):
            balance = np.int64(popcount(own[k] & squares)) - np.int64(popcount(opponent[k] & squares))
            values[k] += weight * balance
    if term == NEAR_CORNERS:
        for k in range(len(own)):
            values[k] += near_corners(own[k], opponent[k], board, table)
    return values


@kernel
def _after_replies(played: npt.NDArray[np.uint64], board: np.uint64, table: int, term: int) -> npt.NDArray[np.int64]:
    """The values of M moves for the player who moves, (M,) int64, if the opponent then plays its best reply.

    `played` is the first array that `_list_moves` returns, after the call of `_play`.
    """
    own, opponent = played[2], played[1]
    replies, ends = _list_moves(own, opponent, board)
    _play(replies)
    after = _evaluate(replies[2], replies[1], board, table, term)
    values = np.empty(len(own), np.int64)
    first = np.int64(0)
    for k in range(len(own)):
        least: Int = OUTSIDE
        for reply in range(first, ends[k]):
            least = min(least, after[reply])
        if first == ends[k]:  # the opponent must pass, or the game is over
            score = weigh(own[k], table) - weigh(opponent[k], table)
            value, _, _ = search(own[k], opponent[k], board, score, -OUTSIDE, OUTSIDE, _ONE_PLY, table, term, False)
            least = -value
        values[k], first = least, ends[k]
    return values


@kernel
def _best_actions(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    board: np.uint64,
    size: int,
    table: int,
    term: int,
    depth: int,
    method: int,
) -> npt.NDArray[np.int64]:
    actions = np.empty(len(own), np.int64)
    for start in range(0, len(own), _BLOCK):
        moves, ends = _list_moves(own[start : start + _BLOCK], opponent[start : start + _BLOCK], board)
        discs = moves[0].copy()
        _play(moves)
        if method == MAXIMIZER:
            values = _evaluate(moves[1], moves[2], board, table, term)
        elif depth == 1:
            values = -_evaluate(moves[2], moves[1], board, table, term)
        else:
            values = _after_replies(moves, board, table, term)
        first = np.int64(0)
        for i in range(len(ends)):
            best: Int = -OUTSIDE
            actions[start + i] = size * size
            for k in range(first, ends[i]):
                if values[k] > best:
                    best = values[k]
                    actions[start + i] = square_to_action(square_of(discs[k]), size)
            first = ends[i]
    return actions


def best_actions(batch: OthelloPositions, method: int, depth: int, squares: SquareSum) -> npt.NDArray[np.int64]:
    """The first best action in each of N positions, (N,) int64; a pass if there is no other action.

    The arguments are the same as for `kernels.search_batch`, but the depth is at most `DEEPEST`.
    """
    board, table = BOARDS[batch.size], weights_table(squares.quarter, batch.size)
    return _best_actions(batch.own, batch.opponent, board, batch.size, table, squares.term, depth, method)
