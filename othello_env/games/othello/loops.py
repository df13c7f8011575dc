"""Compiled loops over N positions, which handle several positions at a time in one vector register.

Most loops write one array and have no branch, and the functions that they call are inlined. So LLVM, the compiler that
Numba uses, can put several positions into one register (eight with AVX-512). The loops handle the arrays block by
block, so that a block stays in the processor's fastest cache.

Letters in shapes: N is the number of positions, S the width of the board, A = S * S + 1 the number of actions.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch.state import ILLEGAL, OUT_OF_RANGE, OVER
from othello_env.games.othello.bitboard import flips, legal_moves, popcount
from othello_env.support.jit import Int, kernel

__all__ = [
    "EXPAND",
    "allowed",
    "check",
    "count_sides",
    "disc_of",
    "encode_8x8",
    "encode_small",
    "place",
]

EXPAND: npt.NDArray[np.uint64] = np.array(
    [int.from_bytes(bytes(byte >> bit & 1 for bit in range(8)), "little") for byte in range(256)], np.uint64
)
"""(256,) words of 64 bits. Word n has a byte, 0 or 1, for each bit of n. The lowest byte stands for the lowest bit."""

_BLOCK = 512

_0, _1, _7, _8, _9 = np.uint64(0), np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)
_63, _255 = np.uint64(63), np.uint64(255)
_EACH_BYTE = np.uint64(0x0101_0101_0101_0101)
_DIAGONAL = np.uint64(0x8040_2010_0804_0201)
_CARRY = np.uint64(0x7F7F_7F7F_7F7F_7F7F)


@kernel(inline=True)
def disc_of(action: Int, size: np.uint64) -> np.uint64:
    """The bit of the disc that an action places; 0 for a pass and for an action out of range."""
    a = np.uint64(action)
    row = (a * ((_255 + size) // size)) >> _8
    edge = (_8 - size) >> _1
    square = a + row * (_8 - size) + edge * _9
    return (_1 << (square & _63)) & (_0 - np.uint64(a < size * size))


@kernel(inline=True)
def allowed(action: Int, legal: np.uint64, size: np.uint64) -> np.uint64:
    """Whether an action is legal: 0 if it is illegal, a number other than 0 if it is legal.

    `legal` is the set of squares on which the player to move may place a disc.
    """
    return (disc_of(action, size) & legal) | (np.uint64(np.uint64(action) == size * size) & np.uint64(legal == _0))


@kernel
def check(actions: npt.NDArray[np.int64], legal: npt.NDArray[np.uint64], over: npt.NDArray[np.bool_], size: int) -> int:
    """Check the actions of N games, one action for each game.

    Returns 0 if there is no problem. Otherwise the result is the sum of the kinds of problems that occur (OUT_OF_RANGE,
    ILLEGAL, OVER), each added once. An action in a game that is over counts as OVER, never as ILLEGAL.
    """
    side = np.uint64(size)
    passing = side * side
    outside, illegal, finished = _0, _0, _0
    for i in range(len(actions)):
        action, done = np.uint64(actions[i]), np.uint64(over[i])
        outside |= np.uint64(action > passing)
        illegal |= np.uint64(allowed(actions[i], legal[i], side) == _0) & (done ^ _1)
        finished |= done
    return int(outside * np.uint64(OUT_OF_RANGE) | illegal * np.uint64(ILLEGAL) | finished * np.uint64(OVER))


@kernel
def count_sides(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    to_move: npt.NDArray[np.int8],
    counts: npt.NDArray[np.int64],
) -> None:
    """Write the number of each player's squares in N games, (2 * N,): game after game, player 0 first.

    `own` has the squares of the player to move, and `opponent` has those of the other player.
    """
    for i in range(len(own)):
        mine, other = popcount(own[i]), popcount(opponent[i])
        swap = (mine ^ other) & (_0 - np.uint64(to_move[i]))
        counts[2 * i] = mine ^ swap
        counts[2 * i + 1] = other ^ swap


@kernel
def place(
    actions: npt.NDArray[np.int64],
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    legal: npt.NDArray[np.uint64],
    over: npt.NDArray[np.bool_],
    board: np.uint64,
    size: int,
) -> None:
    """Play a legal action in each of N games, in place. An illegal action counts as a pass."""
    side = np.uint64(size)
    scratch = np.empty((2, _BLOCK), np.uint64)
    for start in range(0, len(own), _BLOCK):
        stop = min(start + _BLOCK, len(own))
        n = stop - start
        act, p, o = actions[start:stop], own[start:stop], opponent[start:stop]
        moves, done = legal[start:stop], over[start:stop]
        disc, turned = scratch[0, :n], scratch[1, :n]
        for i in range(n):
            disc[i] = disc_of(act[i], side) & moves[i]
        for i in range(n):
            turned[i] = flips(disc[i], p[i], o[i])
        for i in range(n):
            disc[i] |= p[i] | turned[i]
        for i in range(n):
            p[i] = o[i] & ~turned[i]
        for i in range(n):
            o[i] = disc[i]
        for i in range(n):
            moves[i] = legal_moves(p[i], o[i], board)
        for i in range(n):
            turned[i] = legal_moves(o[i], p[i], board)  # as if the player who has just moved could move again
        for i in range(n):
            done[i] = (moves[i] | turned[i]) == _0


@kernel
def encode_8x8(
    boards: tuple[npt.NDArray[np.uint64], ...], over: npt.NDArray[np.bool_], arrays: tuple[npt.NDArray[Any], ...]
) -> None:
    """Write the observations and masks of N games on 8x8 boards.

    Args:
        boards: own, opponent and legal, each (N,).
        over: (N,), whether the game is over.
        arrays: `planes`, `plane_words`, `plane_ranks`, `masks`, `mask_ranks` and `EXPAND`, in this order.
            `encode_small` takes the same arrays. The results are written to `planes`, (2 * N, S * S) int8, and to
            `masks`, (N, A) int8. `plane_words`, `plane_ranks` and `mask_ranks` show the memory of these two arrays as
            words of 64 bits. `plane_words` has all words of `planes`, one after another. `plane_ranks`, (2 * N, R)
            uint64, and `mask_ranks`, (N, R) uint64, have a word for each rank. The word begins at the first square of
            the rank, and may be unaligned. On 8x8, R is 8. On smaller boards, a word is longer than a rank. A word for
            the last rank would reach beyond the end of the plane or mask. So there is no such word, and R is S - 1.
    """
    own, opponent, legal = boards
    _, words_of_planes, _, masks, mask_ranks, expand = arrays
    pairs = np.empty(2 * _BLOCK, np.uint64)
    pair_bytes = pairs.view(np.uint8)
    for first in range(0, len(own), _BLOCK):
        last = min(first + _BLOCK, len(own))
        n = last - first
        p, o, moves, done = own[first:last], opponent[first:last], legal[first:last], over[first:last]
        words, rows, mask = words_of_planes[16 * first : 16 * last], mask_ranks[first:last], masks[first:last]
        for i in range(n):
            pairs[2 * i] = p[i]
            pairs[2 * i + 1] = o[i]
        for i in range(16 * n):  # spread the bits of a byte over the bytes of a word, then make each byte 0 or 1
            spread = np.uint64(pair_bytes[i]) * _EACH_BYTE & _DIAGONAL
            words[i] = ((spread + _CARRY) >> _7) & _EACH_BYTE
        for i in range(n):
            for j in range(8):
                rows[i, j] = expand[(moves[i] >> np.uint64(8 * j)) & _255]
            mask[i, 64] = (moves[i] == _0) & (not done[i])


@kernel
def encode_small(
    boards: tuple[npt.NDArray[np.uint64], ...],
    over: npt.NDArray[np.bool_],
    arrays: tuple[npt.NDArray[Any], ...],
    size: int,
) -> None:
    """Write the observations and masks of N games on smaller boards. `encode_8x8` explains the arguments."""
    own, opponent, legal = boards
    planes, _, plane_ranks, masks, mask_ranks, expand = arrays
    edge = np.uint64((8 - size) // 2 * 9)
    for i in range(len(own)):
        _write_ranks(own[i] >> edge, planes[2 * i], plane_ranks[2 * i], expand, size)
        _write_ranks(opponent[i] >> edge, planes[2 * i + 1], plane_ranks[2 * i + 1], expand, size)
        _write_ranks(legal[i] >> edge, masks[i], mask_ranks[i], expand, size)
        masks[i, size * size] = (legal[i] == _0) & (not over[i])


@kernel(inline=True)
def _write_ranks(
    squares: np.uint64,
    cells: npt.NDArray[np.int8],
    ranks: npt.NDArray[np.uint64],
    expand: npt.NDArray[np.uint64],
    size: int,
) -> None:
    """Write a set of squares as bytes. Bit 0 of the set is a1, and rank k (from 0) begins at bit 8 * k."""
    for rank in range(size - 1):  # in ascending order, because a word also overwrites bytes of the next rank
        ranks[rank] = expand[(squares >> np.uint64(8 * rank)) & _255]
    last = squares >> np.uint64(8 * (size - 1))
    for file in range(size):
        cells[size * (size - 1) + file] = (last >> np.uint64(file)) & _1
