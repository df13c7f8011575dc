"""The exact solver: finds the final score of a position with perfect play.

The score is the disc difference for the player to move, where the winner also gets the empty squares. The search is
alpha-beta with null windows and a transposition table. It tries the table's best move first, and then the other moves
in the order of their ranks (see `moves.list_moves`). The opponent's stable discs give an upper bound on the score. With
few empty squares, sorting and the table do not pay. The last one to four empty squares have a function for each number.
All searches are fail-soft: a value between alpha and beta is exact, and any other value is a bound.
"""

import numpy as np
import numpy.typing as npt

from othello_agents.engine.memory import (
    LIMIT,
    NO_SQUARE,
    NODES,
    Memory,
    best_square,
    narrow,
    position_key,
    probe,
    store_value,
)
from othello_agents.engine.moves import (
    flips,
    known_refutation,
    legal_moves,
    list_moves,
    listed_move,
    next_move,
    odd_quadrants,
    score_bound,
)
from othello_env.games.othello.bitboard import final_margin, popcount, square_of, square_to_action
from othello_env.support.jit import Int, kernel

__all__ = ["INFINITY", "solve", "solve_last", "solve_moves"]

INFINITY = 1000
"""A number that is greater than any final score."""

_LAST = 4
"""With this number of empty squares or fewer, the functions for each number take over."""
_SHALLOW = 7
"""With this number of empty squares or fewer, sorting the moves and using the transposition table take more time than
they save."""
_CHILDREN = 10
"""With this number of empty squares or more, the positions after all moves are looked up in the transposition table
before the first of them is searched (enhanced transposition cut-off)."""

_0, _1, _3, _7, _8 = np.uint64(0), np.uint64(1), np.uint64(3), np.uint64(7), np.uint64(8)
_56, _BYTE = np.uint64(56), np.uint64(0xFF)
_FILE_A = np.uint64(0x0101_0101_0101_0101)
_TO_RANK = np.uint64(0x0102_0408_1020_4080)  # multiplication by this moves the bits of file a into the highest byte


def _turned_on_line() -> npt.NDArray[np.uint8]:
    """The number of discs that a move turns on a line of eight squares, (8 * 256,) uint8.

    The move fills the line's last empty square. The index is 256 times the number of this square on the line (0 to 7),
    plus the set of the mover's discs on the line (8 bits). All other squares of the line have discs of the opponent.
    """
    counts = np.zeros((8, 256), np.uint8)
    for place in range(8):
        for own in range(256):
            for line in (range(place + 1, 8), range(place - 1, -1, -1)):
                ends = [run for run, other in enumerate(line) if own >> other & 1]
                counts[place, own] += ends[0] if ends else 0
    return counts.ravel()


def _diagonals(step: int) -> npt.NDArray[np.uint64]:
    """For each square, the set of squares on one of its diagonals, (64,) uint64.

    `step` chooses the diagonals: it is the change of column from one row to the next.
    """
    return np.array(
        [
            sum(1 << 8 * r + c for r in range(8) for c in range(8) if c - square % 8 == step * (r - square // 8))
            for square in range(64)
        ],
        np.uint64,
    )


_TURNED = _turned_on_line()
_FALLING, _RISING = _diagonals(1), _diagonals(-1)


@kernel(no_refcount=True)
def _turned_last(square: Int, own: np.uint64) -> Int:
    """The number of discs that turn when the mover fills the board's last empty square.

    On a small board, the squares outside the board count as discs of the opponent. This does not change the result: the
    mover has no disc beyond these squares, so they are never counted as turned.
    """
    place = np.uint64(square)
    file, rank = place & _7, place >> _3
    along_rank = (own >> (place & _56)) & _BYTE
    along_file = (((own >> file) & _FILE_A) * _TO_RANK) >> _56
    falling = ((own & _FALLING[square]) * _FILE_A) >> _56
    rising = ((own & _RISING[square]) * _FILE_A) >> _56
    file, rank = file << _8, rank << _8
    return (
        np.int64(_TURNED[file | along_rank])
        + np.int64(_TURNED[rank | along_file])
        + np.int64(_TURNED[file | falling])
        + np.int64(_TURNED[file | rising])
    )


@kernel(no_refcount=True)
def _solve_1(own: np.uint64, disc: np.uint64, squares: Int, opponent: np.uint64, control: npt.NDArray[np.int64]) -> Int:
    control[NODES] += 1
    square = square_of(disc)
    mine = np.int64(popcount(own))
    turned = _turned_last(square, own)
    if turned > 0:
        return 2 * (mine + turned + 1) - squares
    turned = _turned_last(square, opponent)
    if turned > 0:
        return 2 * (mine - turned) - squares
    # Nobody can move. The number of discs is odd, so one side has more discs. The empty square goes to that side.
    return 2 * mine - squares + (2 if 2 * mine >= squares else 0)


@kernel(no_refcount=True)
def _solve_2(
    own: np.uint64,
    opponent: np.uint64,
    x: np.uint64,
    y: np.uint64,
    beta: Int,
    squares: Int,
    control: npt.NDArray[np.int64],
) -> Int:
    control[NODES] += 1
    sign = 1
    for _ in range(2):
        best: Int = -INFINITY
        turned = flips(x, own, opponent)
        if turned != _0:
            best = -_solve_1(opponent ^ turned, y, squares, own | turned | x, control)
            if best >= beta:
                return sign * best
        turned = flips(y, own, opponent)
        if turned != _0:
            best = max(best, -_solve_1(opponent ^ turned, x, squares, own | turned | y, control))
        if best > -INFINITY:
            return sign * best
        own, opponent, sign, beta = opponent, own, -1, INFINITY
    return final_margin(own, opponent, squares)


@kernel(no_refcount=True)
def _solve_3(
    own: np.uint64,
    opponent: np.uint64,
    x: np.uint64,
    y: np.uint64,
    z: np.uint64,
    alpha: Int,
    beta: Int,
    squares: Int,
    control: npt.NDArray[np.int64],
) -> Int:
    control[NODES] += 1
    sign = 1
    for _ in range(2):
        best: Int = -INFINITY
        for turn in range(3):  # `x` is each square in turn; `y` and `z` are the other two, in their old order
            if turn == 1:
                x, y = y, x
            elif turn == 2:
                x, z = z, x
            turned = flips(x, own, opponent)
            if turned != _0:
                reached = max(alpha, best)
                value = -_solve_2(opponent ^ turned, own | turned | x, y, z, -reached, squares, control)
                if value >= beta:
                    return sign * value
                best = max(best, value)
        if best > -INFINITY:
            return sign * best
        own, opponent, sign, alpha, beta = opponent, own, -1, -beta, -alpha
        x, y, z = y, z, x
    return final_margin(own, opponent, squares)


@kernel(no_refcount=True)
def _solve_4(
    own: np.uint64,
    opponent: np.uint64,
    w: np.uint64,
    x: np.uint64,
    y: np.uint64,
    z: np.uint64,
    alpha: Int,
    beta: Int,
    squares: Int,
    control: npt.NDArray[np.int64],
) -> Int:
    control[NODES] += 1
    sign = 1
    for _ in range(2):
        best: Int = -INFINITY
        for turn in range(4):  # `w` is each square in turn; `x`, `y` and `z` are the other three, in their old order
            if turn == 1:
                w, x = x, w
            elif turn == 2:
                w, y = y, w
            elif turn == 3:
                w, z = z, w
            turned = flips(w, own, opponent)
            if turned != _0:
                reached = max(alpha, best)
                value = -_solve_3(opponent ^ turned, own | turned | w, x, y, z, -beta, -reached, squares, control)
                if value >= beta:
                    return sign * value
                best = max(best, value)
        if best > -INFINITY:
            return sign * best
        own, opponent, sign, alpha, beta = opponent, own, -1, -beta, -alpha
        w, x, y, z = x, y, z, w
    return final_margin(own, opponent, squares)


@kernel(no_refcount=True)
def solve_last(
    own: np.uint64,
    opponent: np.uint64,
    empty: np.uint64,
    alpha: Int,
    beta: Int,
    squares: Int,
    control: npt.NDArray[np.int64],
) -> Int:
    """The score of a position with at most four empty squares.

    The function first tries the moves into quarters with an odd number of empty squares (see `odd_quadrants`).
    """
    if empty == _0:
        return final_margin(own, opponent, squares)
    odd = odd_quadrants(empty)
    rest = empty & odd if empty & odd else empty
    w = rest & (_0 - rest)
    empty ^= w
    if empty == _0:
        return _solve_1(own, w, squares, opponent, control)
    rest = empty & odd if empty & odd else empty
    x = rest & (_0 - rest)
    empty ^= x
    if empty == _0:
        return _solve_2(own, opponent, w, x, beta, squares, control)
    rest = empty & odd if empty & odd else empty
    y = rest & (_0 - rest)
    empty ^= y
    if empty == _0:
        return _solve_3(own, opponent, w, x, y, alpha, beta, squares, control)
    return _solve_4(own, opponent, w, x, y, empty, alpha, beta, squares, control)


@kernel(no_refcount=True)
def _solve_shallow(
    own: np.uint64,
    opponent: np.uint64,
    alpha: Int,
    beta: Int,
    board: np.uint64,
    squares: Int,
    control: npt.NDArray[np.int64],
) -> Int:
    """The same as `solve`, for few empty squares. This function uses no move lists and no transposition table.

    The function first tries moves into quarters with an odd number of empty squares (see `odd_quadrants`).
    """
    control[NODES] += 1
    empties = board & ~(own | opponent)
    legal = legal_moves(own, opponent, board)
    if legal == _0:
        if legal_moves(opponent, own, board) == _0:
            return final_margin(own, opponent, squares)
        return -_solve_shallow(opponent, own, -beta, -alpha, board, squares, control)
    is_last = popcount(empties) <= _LAST + 1
    odd = odd_quadrants(empties)
    best: Int = -INFINITY
    value: Int = 0
    todo = legal & odd
    rest = legal & ~odd
    if todo == _0:
        todo, rest = rest, todo
    while todo != _0:
        disc = todo & (_0 - todo)
        todo ^= disc
        if todo == _0:
            todo, rest = rest, _0
        flipped = flips(disc, own, opponent)
        new_own, new_opponent = opponent ^ flipped, own | flipped | disc
        reached = max(alpha, best)
        if is_last:
            value = -solve_last(new_own, new_opponent, empties ^ disc, -beta, -reached, squares, control)
        else:
            value = -_solve_shallow(new_own, new_opponent, -beta, -reached, board, squares, control)
        if value > best:
            best = value
            if value >= beta:
                break
    return best


@kernel(no_refcount=True)
def solve(own: np.uint64, opponent: np.uint64, alpha: Int, beta: Int, board: np.uint64, memory: Memory) -> Int:
    """The final score for the player to move: exact if it lies between alpha and beta, otherwise a bound (fail-soft).

    Once the counter of nodes reaches its limit, all calls return immediately, and their values mean nothing.
    """
    control, squares = memory.control, np.int64(popcount(board))
    empties = board & ~(own | opponent)
    empty = np.int64(popcount(empties))
    if empty <= _LAST:
        return solve_last(own, opponent, empties, alpha, beta, squares, control)
    if empty <= _SHALLOW:
        return _solve_shallow(own, opponent, alpha, beta, board, squares, control)
    control[NODES] += 1
    if control[NODES] >= control[LIMIT]:
        return 0
    if alpha >= 2 * empty:  # if alpha is smaller, the bound of the stable discs rarely ends the search
        most = score_bound(own, opponent, board)
        if most <= alpha:
            return most
    legal = legal_moves(own, opponent, board)
    if legal == _0:
        if legal_moves(opponent, own, board) == _0:
            return final_margin(own, opponent, squares)
        return -solve(opponent, own, -beta, -alpha, board, memory)
    key = position_key(own, opponent)
    hash_square: Int = NO_SQUARE
    data = probe(key, memory)
    # The next lines do the same as `memory.known_window`. If that function were called here, the solver would visit
    # 6 % fewer nodes a second.
    if data != 0:
        alpha, beta = narrow(data, alpha, beta)
        if alpha >= beta:
            return alpha
        hash_square = best_square(data)
    count, wipes_out = list_moves(own, opponent, legal, hash_square, empty, board, memory)
    if wipes_out:
        return squares
    if empty >= _CHILDREN:
        value = known_refutation(own, opponent, beta, empty - 1, count, empty, _0, memory)
        if value >= beta:
            return value
    order, turned = memory.order[empty], memory.turned[empty]
    best: Int = -INFINITY
    best_move, reached = NO_SQUARE, alpha
    for i in range(count):
        next_move(i, count, order, turned)
        square, _, p, o = listed_move(i, own, opponent, order, turned)
        upper = beta if i == 0 else min(beta, reached + 1)
        while True:
            value = -solve(p, o, -upper, -reached, board, memory)
            if value <= reached or upper == beta:
                break
            upper = beta
        if control[NODES] >= control[LIMIT]:
            return 0
        if value > best:
            best, best_move = value, square
            reached = max(reached, value)
            if value >= beta:
                break
    store_value(key, best, alpha, beta, squares, best_move, empty, memory)
    return best


@kernel
def solve_moves(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    scores: npt.NDArray[np.float64],
    board: np.uint64,
    size: int,
    memory: Memory,
) -> None:
    """Write the final score after each legal action of N positions into `scores`, (N, size * size + 1) float64.

    The function stops when the limit of nodes is reached.
    """
    squares = np.int64(popcount(board))
    for i in range(len(own)):
        legal = legal_moves(own[i], opponent[i], board)
        if legal == _0 and legal_moves(opponent[i], own[i], board) != _0:
            scores[i, size * size] = -solve(opponent[i], own[i], -squares, squares, board, memory)
        while legal != _0:
            disc = legal & (_0 - legal)
            legal ^= disc
            square, flipped = square_of(disc), flips(disc, own[i], opponent[i])
            new_own, new_opponent = opponent[i] ^ flipped, own[i] | flipped | disc
            scores[i, square_to_action(square, size)] = -solve(new_own, new_opponent, -squares, squares, board, memory)
        if memory.control[NODES] >= memory.control[LIMIT]:
            return
