"""The transposition table."""

import numpy as np
import pytest

from othello_agents.engine import memory as kernels
from othello_agents.engine.memory import (
    GENERATION,
    NO_SQUARE,
    WORKS,
    best_square,
    clear,
    depth_of,
    lower_bound,
    new_memory,
    position_key,
    shared_memory,
    upper_bound,
)
from othello_env.support.jit import kernel

pytestmark = pytest.mark.nojit


# Python cannot call kernels that do not count references to arrays. The kernels below call them for the tests.


@kernel
def probe(key, memory):
    return kernels.probe(key, memory)


@kernel
def store(key, lower, upper, square, depth, memory):
    kernels.store(key, lower, upper, square, depth, memory)


@kernel
def begin_work(key, memory):
    kernels.begin_work(key, memory)


@kernel
def end_work(key, memory):
    kernels.end_work(key, memory)


@kernel
def is_in_work(key, memory):
    return kernels.is_in_work(key, memory)


@pytest.fixture
def memory():
    memory = new_memory(1)
    clear(memory)
    return memory


def test_what_is_stored_is_found(memory):
    for key, entry in [
        (5, (-32_000, 32_000, NO_SQUARE, 100)),
        (2**64 - 1, (-64, -64, 0, 1)),
        (77, (3, 20_064, 63, 60)),
    ]:
        store(np.uint64(key), *entry, memory)
        data = probe(np.uint64(key), memory)
        assert (lower_bound(data), upper_bound(data), best_square(data), depth_of(data)) == entry
    assert probe(np.uint64(6), memory) == 0


def test_a_bucket_keeps_the_deepest_and_the_latest(memory):
    buckets = (len(memory.table) - WORKS) // 4
    keys = [np.uint64(9 + n * buckets) for n in range(4)]
    for key, depth in zip(keys, (5, 9, 3, 4), strict=True):
        store(key, 0, 0, 1, depth, memory)
    assert [bool(probe(key, memory)) for key in keys] == [False, True, False, True]


def test_a_position_has_one_entry(memory):
    key, other = np.uint64(9), np.uint64(9 + (len(memory.table) - WORKS) // 4)
    store(key, 0, 0, 1, 5, memory)
    store(other, 0, 0, 1, 9, memory)
    store(key, 0, 0, 1, 6, memory)
    store(other, 1, 1, 1, 2, memory)
    assert lower_bound(probe(other, memory)) == 1
    assert depth_of(probe(key, memory)) == 6


def test_an_entry_of_which_two_threads_wrote_one_word_each_belongs_to_no_position(memory):
    keys = [np.uint64(9), np.uint64(9 + (len(memory.table) - WORKS) // 4)]
    words = []
    for key, value in zip(keys, (5, 6), strict=True):
        store(key, value, value, 1, 9, memory)
        words.append(memory.table[36:38].copy())
        memory.table[:] = 0
    memory.table[36:38] = words[0][0], words[1][1]
    assert [probe(key, memory) for key in keys] == [0, 0]
    memory.table[36:38] = words[0]
    assert lower_bound(probe(keys[0], memory)) == 5


def test_nodes_in_work_are_noted_until_their_thread_is_done(memory):
    first, second = shared_memory(memory, 2)
    assert first.table is second.table is memory.table
    assert first.control is not second.control
    key, other = np.uint64(77), np.uint64(77 + WORKS)
    begin_work(key, first)
    assert is_in_work(key, second)
    assert not is_in_work(other, second)
    begin_work(other, second)
    end_work(key, first)
    assert is_in_work(other, first)
    end_work(other, second)
    assert not is_in_work(other, first)


def test_clearing_forgets_everything_however_often(memory):
    store(np.uint64(1), 0, 0, 1, 5, memory)
    clear(memory)
    assert probe(np.uint64(1), memory) == 0
    memory.control[GENERATION] = 2**16 - 1
    store(np.uint64(1), 0, 0, 1, 5, memory)
    clear(memory)
    assert memory.control[GENERATION] == 1
    assert probe(np.uint64(1), memory) == 0


def test_the_size_is_kept():
    assert new_memory(3).table.nbytes == (2 << 20) + 8 * WORKS
    assert new_memory(4).table.nbytes == (4 << 20) + 8 * WORKS


def test_keys_differ():
    rng = np.random.default_rng(1)
    own = rng.integers(0, 2**64, 2000, np.uint64)
    keys = {int(position_key(a, b & ~a)) for a, b in zip(own, own[::-1], strict=True)}
    # The next positions are similar and have discs only in the highest ranks. If `position_key` did not mix their bits
    # well, some of them would have the same key.
    keys |= {int(position_key(np.uint64(a << 56), np.uint64((255 - a) << 56))) for a in range(256)}
    keys |= {int(position_key(np.uint64(a << 48), np.uint64((255 - a) << 56))) for a in range(1, 256)}
    assert len(keys) == 2000 + 256 + 255
