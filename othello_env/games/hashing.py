"""Random numbers without a generator: each number is a hash of a key and of counters.

Each game has one 64-bit key. Every random number in the game is a hash of this key and of counters. The counters say
which random number is needed. Examples of counters are the purpose `OPENING` and the number `State.placed`. So the
order in which random numbers are computed does not matter: a single environment, a batch of thousands of games and any
number of threads get the same numbers.
"""

from collections.abc import Mapping
from itertools import accumulate
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.support.jit import kernel
from othello_env.support.numbers import check_real

__all__ = [
    "CHOICE",
    "EPSILON",
    "OPENING",
    "OPPONENT",
    "POOL",
    "REDRAW",
    "SIDE",
    "below",
    "draw",
    "first_above",
    "mix",
    "mix_int",
    "weight_bounds",
]

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


@kernel(no_refcount=True)
def first_above(bounds: npt.NDArray[np.uint64], number: np.uint64) -> int:
    """The index of the first of the ascending bounds that is greater than a number; the last bound always is."""
    low, high = 0, len(bounds) - 1
    while low < high:
        middle = (low + high) // 2
        if bounds[middle] > number:
            high = middle
        else:
            low = middle + 1
    return low


def weight_bounds(name: str, weights: Mapping[Any, Any]) -> tuple[int, ...]:
    """Bounds by which the keys of a dict are chosen at random in proportion to their weights.

    The chosen key is the first whose bound is greater than a random 32-bit number; see `first_above`.

    Raises:
        TypeError: a weight is not a number.
        ValueError: a weight is negative or infinite, or all are 0.
    """
    values = [check_real("each of the weights", weight, 0) for weight in weights.values()]
    *_, total = bounds = [*accumulate(values, initial=0.0)]
    if not 0 < total < inf:
        raise ValueError(
            f"expected {name} with weights of at least 0, not all 0 and with a finite sum, got {dict(weights)!r}"
        )
    return tuple(round(bound / total * 2**32) for bound in bounds[1:])


def mix_int(key: int, counter: int) -> int:
    """`mix` for Python integers. Only the low 64 bits of each integer count."""
    z = (key + 0x9E37_79B9_7F4A_7C15 * (counter + 1)) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB) & _MASK
    return z ^ (z >> 31)


def draw(key: int, counter: int, n: int) -> int:
    """A random number in 0 .. n - 1. It is `below(mix(key, counter), n)`, computed with Python integers."""
    return ((mix_int(key, counter) >> 32) * n) >> 32
