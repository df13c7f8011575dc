"""Chooses one position from each set of mirror images.

A position is given as two 64-bit sets of squares, one for each side's discs.
"""

import numpy as np

from othello_env.support.jit import Int, kernel

__all__ = ["canonical", "canonical_key", "mirrored"]

_1, _2, _4, _7, _8, _14, _16, _28, _32 = (np.uint64(number) for number in (1, 2, 4, 7, 8, 14, 16, 28, 32))
_ODD, _PAIRS, _NIBBLES = (
    np.uint64(mask) for mask in (0x5555_5555_5555_5555, 0x3333_3333_3333_3333, 0x0F0F_0F0F_0F0F_0F0F)
)
_BYTES, _WORDS = np.uint64(0x00FF_00FF_00FF_00FF), np.uint64(0x0000_FFFF_0000_FFFF)
_SWAP_1, _SWAP_2, _SWAP_4 = (
    np.uint64(mask) for mask in (0x00AA_00AA_00AA_00AA, 0x0000_CCCC_0000_CCCC, 0x0000_0000_F0F0_F0F0)
)


@kernel
def mirrored(squares: np.uint64, symmetry: Int) -> np.uint64:
    """A set of squares after one of the eight symmetries (see `othello_env.games.othello.symmetries`)."""
    x = squares
    if symmetry & 4:  # transpose (Hacker's Delight, 7-3)
        t = (x ^ (x >> _7)) & _SWAP_1
        x ^= t ^ (t << _7)
        t = (x ^ (x >> _14)) & _SWAP_2
        x ^= t ^ (t << _14)
        t = (x ^ (x >> _28)) & _SWAP_4
        x ^= t ^ (t << _28)
    if symmetry & 1:  # left to right
        x = ((x >> _1) & _ODD) | ((x & _ODD) << _1)
        x = ((x >> _2) & _PAIRS) | ((x & _PAIRS) << _2)
        x = ((x >> _4) & _NIBBLES) | ((x & _NIBBLES) << _4)
    if symmetry & 2:  # top to bottom
        x = ((x >> _8) & _BYTES) | ((x & _BYTES) << _8)
        x = ((x >> _16) & _WORDS) | ((x & _WORDS) << _16)
        x = (x >> _32) | (x << _32)
    return x


@kernel
def canonical(own: np.uint64, opponent: np.uint64) -> tuple[np.uint64, np.uint64, Int]:
    """The mirror image with the smallest pair (own, opponent), and the symmetry that makes this image."""
    best_own, best_opponent = own, opponent
    best: Int = 0
    for symmetry in range(1, 8):
        p, o = mirrored(own, symmetry), mirrored(opponent, symmetry)
        if p < best_own or (p == best_own and o < best_opponent):
            best_own, best_opponent, best = p, o, symmetry
    return best_own, best_opponent, best


def canonical_key(own: int, opponent: int) -> tuple[tuple[int, int], int]:
    """The same as `canonical`, for Python integers. Returns ((own, opponent), symmetry)."""
    p, o, symmetry = canonical(np.uint64(own), np.uint64(opponent))
    return (int(p), int(o)), int(symmetry)
