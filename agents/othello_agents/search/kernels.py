"""Compiled searches of Othello, for evaluations that add up square weights or count moves.

There are two kinds. `search_position` and `search_batch` make the same moves, visit the same nodes and find the same
values as the searches in `maximizer`, `minimax` and `alphabeta`. `best_actions` finds only the moves, in batches, and
looks one or two plies ahead. It lists all moves of a block of positions, plays these moves, and evaluates the positions
after the moves. Most of its loops have no branch, so LLVM can let one instruction work on several moves (eight with
AVX-512). At two plies it evaluates all replies, and is nevertheless faster than alpha-beta, which skips some.

All values are integers from the point of view of the player to move. A player's balance of weights is the sum of the
weights of the player's squares minus the opponent's sum. The searches do not compute the balance anew after a move.
They add the weight of the new disc and twice the weights of the turned discs to the balance of the player who moved. A
table has the sum of the weights for every set of squares on a rank. So the sum for a set on the whole board needs only
one number from this table for each rank.

Letters for shapes: N = number of positions, M = number of moves, C = number of different weights.
"""

import numpy as np
import numpy.typing as npt

from othello_agents.evaluations import PACKAGED
from othello_agents.evaluations.boards import NEAR_CORNER, QUARTER, square_weights
from othello_agents.evaluations.registry import NEAR_CORNERS, ONLY_MOVES, Evaluate, Evaluation, Quarter, SquareSum
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.bitboard import (
    ACTION_SQUARES,
    BOARDS,
    SIZES,
    flips,
    game_result,
    legal_moves,
    popcount,
    square_of,
    square_to_action,
)
from othello_env.support.jit import Int, kernel

__all__ = [
    "ALPHABETA",
    "DEEPEST",
    "MAXIMIZER",
    "MINIMAX",
    "OUTSIDE",
    "WEIGHTS",
    "WIN",
    "FoundBatch",
    "Settings",
    "best_actions",
    "compiled_sum",
    "evaluate",
    "gain",
    "near_corners",
    "search",
    "search_batch",
    "search_position",
    "settings",
    "weigh",
    "weights_table",
]

MAXIMIZER, MINIMAX, ALPHABETA = range(3)
"""The methods of `search_batch`."""

WIN = np.int64(1 << 30)
"""The value of a won game, which is greater than any evaluation. Its type is int64. If it were a Python int, Numba
would compile the search a second time."""

OUTSIDE = WIN + 1
"""A number that is greater than the value of a won game. The window from -`OUTSIDE` to `OUTSIDE` excludes no value.
"""

Settings = tuple[np.uint64, int, int, int, int, int]
"""The arguments of `search_position` that `settings` returns."""

FoundBatch = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Three (N,) int64 arrays for N positions: values for the player to move, actions to play, numbers of nodes visited."""

_QUICK, _AT_ONCE = 4, 4096
"""At depth `_QUICK` or less, one call of the kernel searches at most `_AT_ONCE` positions. For each further ply, this
number is divided by 8. So a call usually ends within a fraction of a second. Ctrl-C takes effect only between two
calls."""

DEEPEST = 2
"""The greatest depth of these searches in plies."""

_BLOCK = 64
"""The number of positions in a block. All their moves and replies fit into the processor's fastest caches."""

_0 = np.uint64(0)
_1 = np.uint64(1)
_8 = np.uint64(8)
_BYTE = np.uint64(0xFF)
_FILE_A = np.uint64(0x0101_0101_0101_0101)
_FILE_H = np.uint64(0x8080_8080_8080_8080)

_QUARTERS = tuple(dict.fromkeys(packaged.squares.quarter for packaged in PACKAGED if packaged.squares is not None))
"""The square weights that are compiled into the kernels, in the form `Quarter` (the weights of a quarter of the board).
`WEIGHTS` has a table for each quarter and each of the 3 sizes: table 3 * q + s is for `_QUARTERS[q]` and `SIZES[s]`."""


def _weights() -> npt.NDArray[np.int16]:
    """The weights of the squares, (tables, 64) int16; 0 outside the board."""
    weights = np.zeros((len(_QUARTERS), len(SIZES), 64), np.int16)
    for q, quarter in enumerate(_QUARTERS):
        for s, size in enumerate(SIZES):
            weights[q, s, list(ACTION_SQUARES[size])] = square_weights(size, quarter)
    return weights.reshape(-1, 64)


def _row_sums() -> npt.NDArray[np.int16]:
    """For each table, rank and set of squares on the rank, the sum of the squares' weights, (tables, 8, 256) int16.

    The last index, from 0 to 255, stands for a set of squares on the rank: bit 0 for the square in column a, bit 1 for
    the square in column b, and so on.
    """
    files = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1, bitorder="little")
    return (WEIGHTS.reshape(-1, 8, 8) @ files.T.astype(np.int16)).astype(np.int16)


WEIGHTS = _weights()
"""The weights of the squares in each table, (tables, 64) int16; 0 outside the board."""
_ROW_SUMS = _row_sums()
_CORNERS = np.array(
    [
        sum(1 << ACTION_SQUARES[size][action] for action in (0, size - 1, size * (size - 1), size * size - 1))
        for size in SIZES
    ]
    * len(_QUARTERS),
    np.uint64,
)
"""(tables,) uint64, the corners of each table's board."""
_C_BONUS = NEAR_CORNER - QUARTER[0][1]
_X_BONUS = NEAR_CORNER - QUARTER[1][1]


def compiled_sum(evaluate: Evaluate) -> SquareSum | None:
    """The `SquareSum` of an evaluation that these kernels can compute; None for any other evaluation."""
    squares = evaluate.squares if isinstance(evaluate, Evaluation) else None
    return squares if squares is not None and squares.quarter in _QUARTERS else None


def weights_table(quarter: Quarter, size: int) -> int:
    """The index in `WEIGHTS` of the table with these weights for a board of this size."""
    return len(SIZES) * _QUARTERS.index(quarter) + SIZES.index(size)


@kernel
def weigh(squares: np.uint64, table: Int) -> Int:
    """The sum of the weights of a set of squares."""
    total = np.int64(0)
    for rank in range(8):
        total += _ROW_SUMS[table, rank, squares & _BYTE]
        squares >>= _8
    return total


@kernel
def gain(disc: np.uint64, turned: np.uint64, table: Int) -> Int:
    """The number that a move adds to the balance of weights of the player who moves."""
    return np.int64(WEIGHTS[table, square_of(disc)]) + 2 * weigh(turned, table)


@kernel(inline=True)
def near_corners(own: np.uint64, opponent: np.uint64, board: np.uint64, table: Int) -> Int:
    """The number that the evaluation `modified` adds to a player's balance of weights.

    The number corrects the weights of the discs beside occupied corners. The player's discs are `own`.
    """
    taken = (own | opponent) & _CORNERS[table]
    beside = ((taken & ~_FILE_H) << _1) | ((taken & ~_FILE_A) >> _1)
    c_squares = (beside | (taken << _8) | (taken >> _8)) & board
    x_squares = ((beside << _8) | (beside >> _8)) & board
    c_balance = np.int64(popcount(own & c_squares)) - np.int64(popcount(opponent & c_squares))
    x_balance = np.int64(popcount(own & x_squares)) - np.int64(popcount(opponent & x_squares))
    return _C_BONUS * c_balance + _X_BONUS * x_balance


@kernel
def evaluate(own: np.uint64, opponent: np.uint64, board: np.uint64, balance: Int, table: Int, term: Int) -> Int:
    """The value of a position for the player whose discs are `own`.

    `balance` is this player's balance of weights. `term` is the evaluation's `SquareSum.term`.
    """
    if term == ONLY_MOVES:
        return np.int64(popcount(legal_moves(own, opponent, board)))
    if term == NEAR_CORNERS:
        return balance + near_corners(own, opponent, board, table)
    return balance


@kernel
def search(
    own: np.uint64,
    opponent: np.uint64,
    board: np.uint64,
    balance: Int,
    alpha: Int,
    beta: Int,
    depth: Int,
    table: Int,
    term: Int,
    prunes: bool,
) -> tuple[Int, np.uint64, Int]:
    """The value of a position, the bit of its first best move (0 if there is no move), and the number of nodes visited.

    If `prunes` is true, this is alpha-beta. Alpha-beta skips the lines that cannot change the value, and the value is
    exact if it lies between alpha and beta. If `prunes` is false, this is minimax. Minimax visits all lines, and alpha
    and beta must be -`OUTSIDE` and `OUTSIDE`.
    """
    if depth == 0:
        return evaluate(own, opponent, board, balance, table, term), _0, 1
    moves = legal_moves(own, opponent, board)
    if moves == _0:
        if legal_moves(opponent, own, board) == _0:
            return WIN * game_result(own, opponent), _0, 1
        value, _, nodes = search(opponent, own, board, -balance, -beta, -alpha, depth - 1, table, term, prunes)
        return -value, _0, nodes + 1
    best_disc, nodes = moves & (_0 - moves), 1
    low = -beta
    while moves != _0:
        disc = moves & (_0 - moves)
        moves ^= disc
        turned = flips(disc, own, opponent)
        below_balance = -(balance + gain(disc, turned, table))
        if depth == 1:
            value = evaluate(opponent ^ turned, own | turned | disc, board, below_balance, table, term)
            nodes += 1
        else:
            high = -alpha if prunes else beta
            value, _, below = search(
                opponent ^ turned, own | turned | disc, board, below_balance, low, high, depth - 1, table, term, prunes
            )
            nodes += below
        if -value > alpha:
            alpha, best_disc = -value, disc
        if alpha >= beta:
            break
    return alpha, best_disc, nodes


@kernel
def _maximizer(
    own: np.uint64, opponent: np.uint64, board: np.uint64, balance: Int, table: Int, term: Int
) -> tuple[Int, np.uint64, Int]:
    """Look one move ahead. Returns the best value, the first best move's bit, and the number of positions evaluated."""
    moves = legal_moves(own, opponent, board)
    if moves == _0:
        return evaluate(own, opponent, board, balance, table, term), _0, 1
    best_value: Int = -WIN
    best_disc, nodes = _0, 0
    while moves != _0:
        disc = moves & (_0 - moves)
        moves ^= disc
        turned = flips(disc, own, opponent)
        added = gain(disc, turned, table)
        value = evaluate(own | turned | disc, opponent ^ turned, board, balance + added, table, term)
        nodes += 1
        if value > best_value:
            best_value, best_disc = value, disc
    return best_value, best_disc, nodes


@kernel
def search_position(
    own: np.uint64, opponent: np.uint64, board: np.uint64, size: int, table: int, term: int, depth: int, method: int
) -> tuple[Int, Int, Int]:
    """The value of a position for the player to move, the action to play, and the number of nodes visited.

    The arguments after the discs are those of `settings`. The game may be over.
    """
    balance = weigh(own, table) - weigh(opponent, table)
    if method == MAXIMIZER:
        value, disc, nodes = _maximizer(own, opponent, board, balance, table, term)
    else:
        prunes = method == ALPHABETA
        most = WIN if prunes else OUTSIDE
        value, disc, nodes = search(own, opponent, board, balance, -most, most, depth, table, term, prunes)
    action = size * size if disc == _0 else square_to_action(square_of(disc), size)
    return value, action, nodes


@kernel
def _search_batch(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    board: np.uint64,
    size: int,
    table: int,
    term: int,
    depth: int,
    method: int,
) -> FoundBatch:
    values, actions, nodes = np.empty(len(own), np.int64), np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    for i in range(len(own)):
        values[i], actions[i], nodes[i] = search_position(own[i], opponent[i], board, size, table, term, depth, method)
    return values, actions, nodes


def settings(squares: SquareSum, size: int, depth: int, method: int) -> Settings:
    """What the kernels need to know beside the discs: board, size, table, term, depth and method.

    Args:
        squares: the evaluation, as `compiled_sum` returns it.
        size: the board's size.
        depth: the depth in plies. MAXIMIZER ignores this number and always looks one move ahead.
        method: MAXIMIZER, MINIMAX or ALPHABETA.
    """
    return BOARDS[size], size, weights_table(squares.quarter, size), squares.term, depth, method


def search_batch(batch: OthelloPositions, method: int, depth: int, squares: SquareSum) -> FoundBatch:
    """Search N positions, which may be finished. The other arguments are those of `settings`."""
    given = settings(squares, batch.size, depth, method)
    at_once = max(1, _AT_ONCE >> 3 * max(0, depth - _QUICK))
    slices = [slice(first, first + at_once) for first in range(0, max(len(batch), 1), at_once)]
    results = [_search_batch(batch.own[part], batch.opponent[part], *given) for part in slices]
    values, actions, nodes = zip(*results, strict=True)
    return np.concatenate(values), np.concatenate(actions), np.concatenate(nodes)


def _classes() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """For each table of `WEIGHTS`, the different weights except 0, and for each weight the squares that have it.

    Returns the sets of squares, (tables, C) uint64, and the weights, (tables, C) int64. Tables with fewer than C
    different weights have zeros in the unused places.
    """
    by_table = [[(weight, np.flatnonzero(row == weight)) for weight in np.unique(row[row != 0])] for row in WEIGHTS]
    most = max(map(len, by_table))
    squares, weights = np.zeros((len(by_table), most), np.uint64), np.zeros((len(by_table), most), np.int64)
    for table, classes in enumerate(by_table):
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
def _evaluate_all(
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
    after = _evaluate_all(replies[2], replies[1], board, table, term)
    values = np.empty(len(own), np.int64)
    first = np.int64(0)
    for k in range(len(own)):
        least: Int = OUTSIDE
        for reply in range(first, ends[k]):
            least = min(least, after[reply])
        if first == ends[k]:  # the opponent must pass, or the game is over
            if legal_moves(opponent[k], own[k], board) == _0:
                least = -WIN * game_result(own[k], opponent[k])
            else:
                balance = weigh(opponent[k], table) - weigh(own[k], table)
                least = evaluate(opponent[k], own[k], board, balance, table, term)
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
            values = _evaluate_all(moves[1], moves[2], board, table, term)
        elif depth == 1:
            values = _evaluate_all(moves[2], moves[1], board, table, term)
            for k in range(len(values)):
                values[k] = -values[k]
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

    The arguments are the same as for `search_batch`, but the depth is at most `DEEPEST`.
    """
    return _best_actions(batch.own, batch.opponent, *settings(squares, batch.size, depth, method))
