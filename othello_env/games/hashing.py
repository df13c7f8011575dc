"""Random numbers without a generator: each number is a hash of a key and of counters.

Each game has one 64-bit key. Every random number in the game is a hash of this key and of counters. The counters say
which random number is needed. Examples of counters are the purpose `OPENING` and the number `State.turn`. So the order
in which random numbers are computed does not matter: a single environment, a batch of thousands of games and any number
of threads get the same numbers.
"""

import numpy as np

from othello_env.support.jit import kernel

__all__ = ["CHOICE", "EPSILON", "OPENING", "OPPONENT", "POOL", "REDRAW", "SIDE", "below", "draw", "mix", "mix_int"]

SIDE, OPENING, OPPONENT, EPSILON, CHOICE, REDRAW, POOL = range(1, 8)
"""The purposes of random numbers, used as counters for `mix`. Different purposes give independent random numbers."""

_GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
_M1 = np.uint64(0xBF58_476D_1CE4_E5B9)
_M2 = np.uint64(0x94D0_49BB_1331_11EB)
_ONE = np.uint64(1)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_MASK = 0xFFFF_FFFF_FFFF_FFFF


@kernel(inline=True)
def mix(key: np.uint64, counter: np.uint64) -> np.uint64:
    """The output of the generator SplitMix64 with the seed `key`. `counter` is the output's index, from 0.

    Source: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014.
    """
    z = key + _GOLDEN * (counter + _ONE)
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@kernel(inline=True)
def below(bits: np.uint64, n: np.uint64) -> np.uint64:
    """Turn 64 random bits into a number in 0 .. n - 1, for n < 2**32.

    The probability of each number differs from 1 / n by less than 1 / 2**32.
    """
    return ((bits >> _S32) * n) >> _S32


def mix_int(key: int, counter: int) -> int:
    """`mix` for Python integers. Only the low 64 bits of each integer count."""
    z = (key + 0x9E37_79B9_7F4A_7C15 * (counter + 1)) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB) & _MASK
    return z ^ (z >> 31)


def draw(key: int, counter: int, n: int) -> int:
    """A random number in 0 .. n - 1. It is `below(mix(key, counter), n)`, computed with Python integers."""
    return ((mix_int(key, counter) >> 32) * n) >> 32
