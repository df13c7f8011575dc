"""Random numbers without a state: each is a hash of its purpose.

Each game has one 64-bit key. Every random number in the game is a hash of that key and of a purpose or the game's turn.
So a single environment, a batch of thousands and any number of threads draw the same numbers, in any order.
"""

import numpy as np

from othello_env.support.jit import kernel

__all__ = ["CHOICE", "EPSILON", "OPENING", "OPPONENT", "POOL", "REDRAW", "SIDE", "below", "draw", "mix", "mix_int"]

SIDE, OPENING, OPPONENT, EPSILON, CHOICE, REDRAW, POOL = range(1, 8)
"""The purposes of random numbers, used as counters under a game's key."""

_GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
_M1 = np.uint64(0xBF58_476D_1CE4_E5B9)
_M2 = np.uint64(0x94D0_49BB_1331_11EB)
_ONE = np.uint64(1)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_MASK = 0xFFFF_FFFF_FFFF_FFFF


@kernel(inline=True)
def mix(key: np.uint64, counter: np.uint64) -> np.uint64:
    """The `counter`-th output of SplitMix64 started at `key` (Steele, Lea, Flood: Fast Splittable PRNGs, 2014)."""
    z = key + _GOLDEN * (counter + _ONE)
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@kernel(inline=True)
def below(bits: np.uint64, n: np.uint64) -> np.uint64:
    """A number in 0 .. n-1 from 64 random bits, for n < 2**32 (the bias is below n / 2**32)."""
    return ((bits >> _S32) * n) >> _S32


def mix_int(key: int, counter: int) -> int:
    """`mix` on Python integers; only their low 64 bits count."""
    z = (key + 0x9E37_79B9_7F4A_7C15 * (counter + 1)) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB) & _MASK
    return z ^ (z >> 31)


def draw(key: int, counter: int, n: int) -> int:
    """A number in 0 .. n-1 for this key and counter, on Python integers."""
    return ((mix_int(key, counter) >> 32) * n) >> 32
