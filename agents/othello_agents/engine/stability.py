"""Finds stable discs, which can never be turned again. They give a bound on the final score."""

import numpy as np

from othello_env.games.othello.bitboard import popcount
from othello_env.support.jit import Int, kernel

__all__ = ["score_bound", "stable_discs"]

_FILE_A = np.uint64(0x0101_0101_0101_0101)
_FILE_H = np.uint64(0x8080_8080_8080_8080)
_NOT_A, _NOT_H = ~_FILE_A, ~_FILE_H
_RANKS = np.uint64(0xFF00_0000_0000_00FF)
_BORDER = _FILE_A | _FILE_H | _RANKS
_0, _1, _2, _4 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4)
_7, _8, _9, _16, _32, _48, _56 = (np.uint64(shift) for shift in (7, 8, 9, 16, 32, 48, 56))
_BYTE = np.uint64(0xFF)


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
    found = own & rank & file & falling & rising
    while found != stable:
        stable = found
        # A shift may move a disc across the border to the other side of the board. This does no harm: the disc arrives
        # at the end of a line, where no stable neighbour is needed.
        found = (
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
