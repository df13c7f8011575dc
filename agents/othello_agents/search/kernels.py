"""The textbook searches of Othello, compiled, for the evaluations by discs, squares and moves.

They make the same moves, visit the same nodes and find the same values as the searches in `maximizer`, `minimax` and
`alphabeta`. All values are integers seen from the player to move. The balance of the squares' weights is carried along:
a move changes it by the new disc and twice the turned ones, which look-ups by rank sum up.
"""

from itertools import product

import numpy as np
import numpy.typing as npt

from othello_agents.evaluations.othello import LEAGUE_QUARTER, NEAR_CORNER, QUARTER, square_weights
from othello_env.games.othello.bitboard import ACTION_SQUARES, SIZES, flips, legal_moves, popcount
from othello_env.support.jit import kernel

__all__ = [
    "COUNT",
    "MOBILITY",
    "MODIFIED",
    "NTUPLE",
    "SWH",
    "WEIGHTED",
    "WIN",
    "FoundBatch",
    "Int",
    "alphabeta_batch",
    "evaluate",
    "gain",
    "maximizer_batch",
    "minimax_batch",
    "weigh",
    "weights_table",
]

COUNT, WEIGHTED, MODIFIED, MOBILITY, SWH, NTUPLE = range(6)
"""The numbers of all compiled evaluations. These kernels know all but NTUPLE, which is the engine's."""

WIN = np.int64(1 << 30)
"""The value of a game that is won: more than any evaluation. As a bare literal it would be a type of its own, and the
search would be compiled once more for it."""

Int = int | np.int64
"""int64 in a kernel; either where it runs as plain Python."""

FoundBatch = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""For N positions, (N,) each: the value for the player to move, the action to play, the number of nodes visited."""

_0 = np.uint64(0)
_1 = np.uint64(1)
_3 = np.uint64(3)
_7 = np.uint64(7)
_8 = np.uint64(8)
_BYTE = np.uint64(0xFF)
_FILE_A = np.uint64(0x0101_0101_0101_0101)
_FILE_H = np.uint64(0x8080_8080_8080_8080)
_CORNERS = np.array(
    [sum(1 << squares[a] for a in (0, s - 1, s * (s - 1), s * s - 1)) for s, squares in ACTION_SQUARES.items()],
    np.uint64,
)
"""(sizes,) the corners of each size's board."""
_C_BONUS = NEAR_CORNER - QUARTER[0][1]
_X_BONUS = NEAR_CORNER - QUARTER[1][1]


def _row_sums() -> npt.NDArray[np.int16]:
    """(1 + 2 * sizes, 8, 256) int16: for each table of weights, rank and set of files, the sum of the squares' weights.

    Table 0 weighs every square 1, tables 1 to 3 are those of `weighted` for each size, 4 to 6 those of `swh`.
    """
    weights = np.ones((1 + 2 * len(SIZES), 64), np.int16)
    for table, (quarter, size) in enumerate(product((QUARTER, LEAGUE_QUARTER), SIZES), start=1):
        weights[table] = 0
        weights[table, list(ACTION_SQUARES[size])] = square_weights(size, quarter)
    files = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1, bitorder="little")
    return (weights.reshape(-1, 8, 8) @ files.T.astype(np.int16)).astype(np.int16)


_ROW_SUMS = _row_sums()
_SIZES = len(SIZES)


@kernel(inline=True)
def weights_table(size: Int, evaluation: Int) -> Int:
    """The table of weights that an evaluation carries along."""
    return 0 if evaluation == COUNT else size // 2 - 1 + (_SIZES if evaluation == SWH else 0)


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
    """By how much a move raises the balance of weights."""
    return weigh(disc, table) + 2 * weigh(turned, table)


@kernel
def _near_corners(own: np.uint64, opponent: np.uint64, board: np.uint64, table: Int) -> Int:
    """What the discs beside occupied corners count more in `modified` than in `weighted`."""
    taken = (own | opponent) & _CORNERS[table - 1]
    if taken == _0:
        return 0
    beside = ((taken & ~_FILE_H) << _1) | ((taken & ~_FILE_A) >> _1)
    c_squares = (beside | (taken << _8) | (taken >> _8)) & board
    x_squares = ((beside << _8) | (beside >> _8)) & board
    c_balance = np.int64(popcount(own & c_squares)) - np.int64(popcount(opponent & c_squares))
    x_balance = np.int64(popcount(own & x_squares)) - np.int64(popcount(opponent & x_squares))
    return _C_BONUS * c_balance + _X_BONUS * x_balance


@kernel
def evaluate(own: np.uint64, opponent: np.uint64, board: np.uint64, score: Int, table: Int, evaluation: Int) -> Int:
    """The value for `own`, whose balance of weights is `score`."""
    if evaluation == MOBILITY:
        return np.int64(popcount(legal_moves(own, opponent, board)))
    if evaluation == MODIFIED:
        return score + _near_corners(own, opponent, board, table)
    return score


@kernel
def _final_value(own: np.uint64, opponent: np.uint64) -> Int:
    """The value of a finished game."""
    mine, other = popcount(own), popcount(opponent)
    if mine == other:
        return 0
    return WIN if mine > other else -WIN


@kernel
def _minimax(
    own: np.uint64, opponent: np.uint64, board: np.uint64, score: Int, depth: Int, table: Int, evaluation: Int
) -> tuple[Int, np.uint64, Int]:
    """The value of a position, its first best disc (none: a pass or the end) and the number of nodes visited."""
    if depth == 0:
        return evaluate(own, opponent, board, score, table, evaluation), _0, 1
    moves = legal_moves(own, opponent, board)
    if moves == _0:
        if legal_moves(opponent, own, board) == _0:
            return _final_value(own, opponent), _0, 1
        value, _, nodes = _minimax(opponent, own, board, -score, depth - 1, table, evaluation)
        return -value, _0, nodes + 1
    best_value: Int = -WIN - 1
    best_disc, nodes = _0, 1
    while moves != _0:
        disc = moves & (_0 - moves)
        moves ^= disc
        turned = flips(disc, own, opponent)
        added = gain(disc, turned, table)
        value, _, below = _minimax(
            opponent ^ turned, own | turned | disc, board, -(score + added), depth - 1, table, evaluation
        )
        nodes += below
        if -value > best_value:
            best_value, best_disc = -value, disc
    return best_value, best_disc, nodes


@kernel
def _alphabeta(
    own: np.uint64,
    opponent: np.uint64,
    board: np.uint64,
    score: Int,
    alpha: Int,
    beta: Int,
    depth: Int,
    table: Int,
    evaluation: Int,
) -> tuple[Int, np.uint64, Int]:
    """`_minimax` as far as it lies between alpha and beta, without the lines that cannot matter."""
    if depth == 0:
        return evaluate(own, opponent, board, score, table, evaluation), _0, 1
    moves = legal_moves(own, opponent, board)
    if moves == _0:
        if legal_moves(opponent, own, board) == _0:
            return _final_value(own, opponent), _0, 1
        value, _, nodes = _alphabeta(opponent, own, board, -score, -beta, -alpha, depth - 1, table, evaluation)
        return -value, _0, nodes + 1
    best_disc, nodes = moves & (_0 - moves), 1
    while moves != _0:
        disc = moves & (_0 - moves)
        moves ^= disc
        turned = flips(disc, own, opponent)
        added = gain(disc, turned, table)
        value, _, below = _alphabeta(
            opponent ^ turned, own | turned | disc, board, -(score + added), -beta, -alpha, depth - 1, table, evaluation
        )
        nodes += below
        if -value > alpha:
            alpha, best_disc = -value, disc
        if alpha >= beta:
            break
    return alpha, best_disc, nodes


@kernel
def _maximizer(
    own: np.uint64, opponent: np.uint64, board: np.uint64, table: Int, evaluation: Int
) -> tuple[Int, np.uint64, Int]:
    """The best value for the mover of the positions after one move, the first disc that gets it, and their number."""
    score = weigh(own, table) - weigh(opponent, table)
    moves = legal_moves(own, opponent, board)
    if moves == _0:
        return evaluate(own, opponent, board, score, table, evaluation), _0, 1
    best_value: Int = -WIN
    best_disc, nodes = _0, 0
    while moves != _0:
        disc = moves & (_0 - moves)
        moves ^= disc
        turned = flips(disc, own, opponent)
        added = gain(disc, turned, table)
        value = evaluate(own | turned | disc, opponent ^ turned, board, score + added, table, evaluation)
        nodes += 1
        if value > best_value:
            best_value, best_disc = value, disc
    return best_value, best_disc, nodes


@kernel
def _action(disc: np.uint64, size: Int) -> Int:
    """The action that places a disc (none: the pass)."""
    if disc == _0:
        return size * size
    square, edge = popcount(disc - _1), (8 - size) // 2
    return (np.int64(square >> _3) - edge) * size + np.int64(square & _7) - edge


@kernel
def maximizer_batch(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    board: np.uint64,
    size: int,
    evaluation: int,
) -> FoundBatch:
    """For N positions that are not over, (N,) each: the value, the action and the number of nodes visited."""
    table = weights_table(size, evaluation)
    values, actions, nodes = np.empty(len(own), np.int64), np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    for i in range(len(own)):
        values[i], disc, nodes[i] = _maximizer(own[i], opponent[i], board, table, evaluation)
        actions[i] = _action(disc, size)
    return values, actions, nodes


@kernel
def minimax_batch(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    board: np.uint64,
    size: int,
    evaluation: int,
    depth: int,
) -> FoundBatch:
    """For N positions that are not over, (N,) each: the value, the action and the number of nodes visited."""
    table = weights_table(size, evaluation)
    values, actions, nodes = np.empty(len(own), np.int64), np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    for i in range(len(own)):
        score = weigh(own[i], table) - weigh(opponent[i], table)
        values[i], disc, nodes[i] = _minimax(own[i], opponent[i], board, score, depth, table, evaluation)
        actions[i] = _action(disc, size)
    return values, actions, nodes


@kernel
def alphabeta_batch(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    board: np.uint64,
    size: int,
    evaluation: int,
    depth: int,
) -> FoundBatch:
    """For N positions that are not over, (N,) each: the value, the action and the number of nodes visited."""
    table = weights_table(size, evaluation)
    values, actions, nodes = np.empty(len(own), np.int64), np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    for i in range(len(own)):
        score = weigh(own[i], table) - weigh(opponent[i], table)
        values[i], disc, nodes[i] = _alphabeta(own[i], opponent[i], board, score, -WIN, WIN, depth, table, evaluation)
        actions[i] = _action(disc, size)
    return values, actions, nodes
