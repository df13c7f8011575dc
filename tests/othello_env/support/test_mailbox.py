"""A mailbox: threads see the words that other threads store, and values that are put in come out unchanged."""

import os
import threading
import weakref

import numpy as np
import pytest
from numba.core.errors import TypingError

from othello_env.support.jit import kernel
from othello_env.support.mailbox import add, give, lend, load, look, rest, size_in_words, store, yield_core

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")


@kernel
def words_of(value):
    return size_in_words(value)


@kernel
def put(box, value):
    lend(box, 1, value)


@kernel
def hand_over(box, value):
    give(box, 1, value, value)


@kernel
def get(box, like):
    return look(box, 1, like)


@kernel
def add_often(box, n):
    for _ in range(n):
        add(box, 8, 1)


@kernel
def give_a_number(box, like):
    give(box, 0, 1, like)


@kernel
def play_ping_pong(box, own, n):
    """Wait for the turn, add one to a plain word, and pass the turn on. Returns how often the word was wrong."""
    wrong = 0
    for k in range(n):
        waited = 0
        while load(box, 0) != own:
            waited += 1
            rest() if waited < 1000 else yield_core()
        wrong += box[32] != 2 * k + own
        box[32] += 1
        store(box, 0, 1 - own)
    return wrong


def in_threads(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_no_addition_is_lost():
    box = np.zeros(16, np.int64)
    add_often(box, 1)
    in_threads(*[lambda: add_often(box, 100_000)] * 3)
    assert box[8] == 300_001


def test_what_was_written_before_a_word_is_seen_after_it():
    box, wrong = np.zeros(40, np.int64), []
    play_ping_pong(box, 0, 0)
    in_threads(*[lambda own=own: wrong.append(play_ping_pong(box, own, 2000)) for own in (0, 1)])
    assert wrong == [0, 0]
    assert box[32] == 4000


def values():
    return np.arange(6.0).reshape(2, 3), (np.uint64(2**63), True, (np.array([3, 4], np.int8), -1)), 0.5


@pytest.mark.parametrize("write", [put, hand_over])
def test_a_value_comes_out_as_it_went_in(write):
    value = values()
    box = np.full(words_of(value) + 2, 7, np.int64)
    write(box, value)
    assert (box[0], box[-1]) == (7, 7)
    floats, (big, flag, (small, minus)), half = get(box, value)
    np.testing.assert_array_equal(floats, value[0])
    np.testing.assert_array_equal(small, value[1][2][0])
    assert (big, flag, minus, half) == (2**63, True, -1, 0.5)
    floats[1, 2] = 99.0
    assert value[0][1, 2] == 99.0  # the same memory


def test_a_given_array_lives_until_it_is_taken():
    like, box = np.zeros(1), np.zeros(32, np.int64)
    array = np.arange(3.0)
    seen = weakref.ref(array)
    hand_over(box, array)
    del array
    assert seen() is not None
    np.testing.assert_array_equal(get(box, like), [0.0, 1.0, 2.0])
    assert seen() is None
    array = np.arange(3.0)
    seen = weakref.ref(array)
    put(box, array)
    del array
    assert seen() is None


def test_a_value_of_another_type_is_not_compiled():
    with pytest.raises(TypingError):
        give_a_number(np.zeros(4, np.int64), 0.5)
