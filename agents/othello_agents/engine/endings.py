"""Exact search of positions with one to four empty squares. Each number of empty squares has its own function.

These compiled functions use no move lists and no transposition table. Values are final scores for the player to move:
the disc difference, where the winner also gets the empty squares. Searches are fail-soft: a value between alpha and
beta is exact, and any other value is a bound.
"""

import numpy as np
import numpy.typing as npt

from othello_agents.engine.flips import flips
from othello_agents.engine.memory import NODES
from othello_env.games.othello.bitboard import final_margin, popcount, square_of
from othello_env.support.jit import Int, kernel

__all__ = ["INFINITY", "odd_quadrants", "solve_last"]

INFINITY = 1000
"""A number that is greater than any final score."""

_0, _1, _3, _7, _8 = np.uint64(0), np.uint64(1), np.uint64(3), np.uint64(7), np.uint64(8)
_56, _BYTE = np.uint64(56), np.uint64(0xFF)
_FILE_A = np.uint64(0x0101_0101_0101_0101)
_TO_RANK = np.uint64(0x0102_0408_1020_4080)  # multiplication by this moves the bits of file a into the highest byte
_NW, _NE = np.uint64(0x0000_0000_0F0F_0F0F), np.uint64(0x0000_0000_F0F0_F0F0)
_SW, _SE = np.uint64(0x0F0F_0F0F_0000_0000), np.uint64(0xF0F0_F0F0_0000_0000)


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


@kernel(lean=True)
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


@kernel(lean=True)
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


@kernel(lean=True)
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


@kernel(lean=True)
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


@kernel(lean=True)
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


@kernel
def odd_quadrants(empty: np.uint64) -> np.uint64:
    """All squares of those quarters of the board that have an odd number of empty squares.

    If the players alternate in such a quarter, the player who moves there first also makes the last move there.
    """
    odd = _0
    for quadrant in (_NW, _NE, _SW, _SE):
        if popcount(empty & quadrant) & _1:
            odd |= quadrant
    return odd


@kernel(lean=True)
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
