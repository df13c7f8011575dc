"""SplitMix64 and the random numbers that are drawn with it."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from othello_env.games.hashing import below, draw, mix, mix_int

pytestmark = pytest.mark.nojit

WORDS = st.integers(0, 2**64 - 1)

# Outputs of the public-domain splitmix64.c (Vigna) for the seed 1234567. Source: Rosetta Code.
REFERENCE = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]


def test_the_published_outputs():
    assert [mix_int(1234567, counter) for counter in range(5)] == REFERENCE
    assert [int(mix(np.uint64(1234567), np.uint64(counter))) for counter in range(5)] == REFERENCE


@given(key=WORDS, counter=WORDS)
@example(key=2**64 - 1, counter=2**64 - 1)
@example(key=0, counter=0)
def test_both_forms_are_equal(key, counter):
    assert int(mix(np.uint64(key), np.uint64(counter))) == mix_int(key, counter)


@given(key=WORDS, counter=WORDS, n=st.integers(1, 2**32 - 1))
def test_draws_are_in_range_and_equal(key, counter, n):
    number = draw(key, counter, n)
    assert 0 <= number < n
    assert int(below(np.uint64(mix(np.uint64(key), np.uint64(counter))), np.uint64(n))) == number


@given(key=st.integers(-(2**70), 2**70))
def test_the_low_64_bits_of_a_key_count(key):
    assert mix_int(key, 3) == mix_int(key % 2**64, 3)


def test_draws_are_even():
    # 6,000 draws from six numbers: three standard deviations are 3 * sqrt(6000 * 5 / 36) = 87.
    counts = np.bincount([draw(key, 1, 6) for key in range(6_000)], minlength=6)
    assert abs(counts - 1_000).max() < 87
