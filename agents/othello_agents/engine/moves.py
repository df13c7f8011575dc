"""What the searches ask about a position: its moves and their order, the discs that a move turns, and stable discs.

Stable discs can never be turned again. They give a bound on the final score.
"""

import numpy as np
import numpy.typing as npt

from othello_agents.engine.memory import WORST, Memory, depth_of, position_key, probe, upper_bound
from othello_env.games.othello.bitboard import legal_moves as legal_moves_inline
from othello_env.games.othello.bitboard import popcount, square_of
from othello_env.support.jit import Int, kernel

__all__ = [
    "corners_of",
    "flips",
    "known_refutation",
    "legal_moves",
    "list_moves",
    "listed_move",
    "next_move",
    "odd_quadrants",
    "score_bound",
    "stable_discs",
]

_0, _1, _2, _4, _7, _8, _9, _16, _32, _48, _56 = (np.uint64(number) for number in (0, 1, 2, 4, 7, 8, 9, 16, 32, 48, 56))
_BYTE = np.uint64(0xFF)
_FILE_A = np.uint64(0x0101_0101_0101_0101)
_FILE_H = np.uint64(0x8080_8080_8080_8080)
_NOT_A, _NOT_H = ~_FILE_A, ~_FILE_H
_RANKS = np.uint64(0xFF00_0000_0000_00FF)
_BORDER = _FILE_A | _FILE_H | _RANKS
_QUADRANTS = tuple(
    np.uint64(squares)
    for squares in (0x0000_0000_0F0F_0F0F, 0x0000_0000_F0F0_F0F0, 0x0F0F_0F0F_0000_0000, 0xF0F0_F0F0_0000_0000)
)


def _lines() -> npt.NDArray[np.uint64]:
    """For each square and each direction, the set of squares from there to the edge, (64, 8) uint64.

    The square itself is not in the set. The directions are E, SW, S, SE, W, NE, N, NW.
    """
    lines = np.zeros((64, 8), np.uint64)
    for square in range(64):
        for k, (rows, columns) in enumerate(((0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1))):
            row, column = square // 8 + rows, square % 8 + columns
            while 0 <= row < 8 and 0 <= column < 8:
                lines[square, k] |= np.uint64(1 << 8 * row + column)
                row, column = row + rows, column + columns
    return lines


_LINES = _lines()


@kernel(inline=True)
def _ascending(line: np.uint64, own: np.uint64, opponent: np.uint64) -> np.uint64:
    """The discs that turn on a line whose bit numbers increase. The line begins beside the move's square."""
    others = line & ~opponent
    end = others & (_0 - others) & own
    return line & (end - np.uint64(end != _0))


@kernel(inline=True)
def _descending(line: np.uint64, step: np.uint64, own: np.uint64, opponent: np.uint64) -> np.uint64:
    """The discs that turn on a line whose bit numbers decrease by `step`. The line begins beside the move's square."""
    beyond = line & ~opponent
    beyond |= beyond >> step
    beyond |= beyond >> (step + step)
    beyond |= beyond >> (step + step + step + step)
    end = beyond & ~(beyond >> step) & own & line
    return line & ~beyond & (_0 - np.uint64(end != _0))


@kernel(slp=True)
def flips(disc: np.uint64, own: np.uint64, opponent: np.uint64) -> np.uint64:
    """The same as `bitboard.flips` for exactly one disc, but faster in code that handles one position at a time.

    It is faster because fewer of its steps must wait for the result of an earlier step.
    """
    lines = _LINES[square_of(disc)]  # LLVM loads this row of eight lines as vectors
    turned = _ascending(lines[0], own, opponent)
    turned |= _ascending(lines[1], own, opponent)
    turned |= _ascending(lines[2], own, opponent)
    turned |= _ascending(lines[3], own, opponent)
    turned |= _descending(lines[4], _1, own, opponent)
    turned |= _descending(lines[5], _7, own, opponent)
    turned |= _descending(lines[6], _8, own, opponent)
    turned |= _descending(lines[7], _9, own, opponent)
    return turned


def _beyond(rows: int, columns: int) -> np.uint64:
    """The squares from which a step by `rows` rows and `columns` columns leads off the board."""
    squares = [8 * r + c for r in range(8) for c in range(8) if not (0 <= r + rows < 8 and 0 <= c + columns < 8)]
    return np.uint64(sum(1 << square for square in squares))


_SE1, _SE2, _SE4 = (_beyond(n, n) for n in (1, 2, 4))
_NW1, _NW2, _NW4 = (_beyond(-n, -n) for n in (1, 2, 4))
_SW1, _SW2, _SW4 = (_beyond(n, -n) for n in (1, 2, 4))
_NE1, _NE2, _NE4 = (_beyond(-n, n) for n in (1, 2, 4))


_Three = tuple[np.uint64, np.uint64, np.uint64]


@kernel(inline=True)
def _full_diagonals(taken: np.uint64, step: np.uint64, below: _Three, above: _Three) -> np.uint64:
    """The squares whose diagonal in one direction (falling or rising) has no empty square.

    The direction is given by `step`, the difference between the bit numbers of two neighbours on a diagonal. `below`
    has three sets: the squares from which 1, 2 and 4 steps towards higher bit numbers lead off the board. `above` has
    the same three sets for steps towards lower bit numbers.
    """
    down = taken & (taken >> step | below[0])
    up = taken & (taken << step | above[0])
    down &= down >> (step + step) | below[1]
    up &= up << (step + step) | above[1]
    down &= down >> (step + step + step + step) | below[2]
    up &= up << (step + step + step + step) | above[2]
    return down & up


@kernel
def _full_lines(taken: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four sets of squares, one for each kind of line: rank, file, falling diagonal and rising diagonal.

    A square is in a set if its line of this kind has no empty square.
    """
    rank = taken & (taken >> _1)
    rank &= rank >> _2
    rank &= rank >> _4
    rank = (rank & _FILE_A) * _BYTE
    file = taken & (taken >> _8 | taken << _56)
    file &= file >> _16 | file << _48
    file &= file >> _32 | file << _32
    falling = _full_diagonals(taken, _9, (_SE1, _SE2, _SE4), (_NW1, _NW2, _NW4))
    rising = _full_diagonals(taken, _7, (_SW1, _SW2, _SW4), (_NE1, _NE2, _NE4))
    return rank, file, falling, rising


@kernel
def stable_discs(own: np.uint64, opponent: np.uint64, board: np.uint64) -> np.uint64:
    """The discs of `own` that are known to be stable.

    The function does not find all stable discs. It finds a disc if each of the four lines through the disc meets one of
    three conditions: the line has no empty square, the disc is at the end of the line, or a neighbour of the disc on
    the line is a stable disc of the same side.
    """
    outside = ~board
    rank, file, falling, rising = _full_lines(own | opponent | outside)
    rank |= _FILE_A | _FILE_H | ((outside << _1) & _NOT_A) | ((outside >> _1) & _NOT_H)
    file |= _RANKS | (outside << _8) | (outside >> _8)
    falling |= _BORDER | (outside << _9) | (outside >> _9)
    rising |= _BORDER | (outside << _7) | (outside >> _7)
    stable = _0
    grown = own & rank & file & falling & rising
    while grown != stable:
        stable = grown
        # A shift may move a disc across the border to the other side of the board. This does no harm: the disc arrives
        # at the end of a line, where no stable neighbour is needed.
        grown = (
            own
            & (rank | stable << _1 | stable >> _1)
            & (file | stable << _8 | stable >> _8)
            & (falling | stable << _9 | stable >> _9)
            & (rising | stable << _7 | stable >> _7)
        )
    return stable


@kernel
def score_bound(own: np.uint64, opponent: np.uint64, board: np.uint64) -> Int:
    """An upper bound of the final score for `own`: the opponent keeps at least its stable discs."""
    return np.int64(popcount(board)) - 2 * np.int64(popcount(stable_discs(opponent, own, board)))


@kernel
def odd_quadrants(empty: np.uint64) -> np.uint64:
    """All squares of those quarters of the board that have an odd number of empty squares.

    If the players alternate in such a quarter, the player who moves there first also makes the last move there.
    """
    odd = _0
    for quadrant in _QUADRANTS:
        if popcount(empty & quadrant) & _1:
            odd |= quadrant
    return odd


@kernel(slp=True)
def legal_moves(own: np.uint64, opponent: np.uint64, board: np.uint64) -> np.uint64:
    """The same as `bitboard.legal_moves`, but compiled once and not inlined into each caller."""
    return legal_moves_inline(own, opponent, board)


@kernel
def corners_of(board: np.uint64) -> np.uint64:
    """The four corners of a square board."""
    sides = board & ~((board << _1) & _NOT_A & (board >> _1) & _NOT_H)
    return sides & ~((board << _8) & (board >> _8))


@kernel(no_refcount=True)
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


@kernel(no_refcount=True)
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


@kernel(no_refcount=True)
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
