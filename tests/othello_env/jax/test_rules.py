"""One source for the rules: Numba's kernels, and the same functions in plain Python and traced by JAX."""

from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from othello_env.games import hashing
from othello_env.games.othello import bitboard
from othello_env.games.othello.bitboard import BOARDS, SIZES
from othello_env.support.jit import with_array_library

RESULTS = {
    "advance": [np.uint64] * 4,
    "below": [np.uint64],
    "flips": [np.uint64],
    "game_result": [np.int64],
    "legal_moves": [np.uint64],
    "nth_bit": [np.uint64],
    "popcount": [np.uint64],
    "square_of": [np.int64],
}
"""The functions, and the dtypes of what they return."""
ONE = np.uint64(1)


def numba_backend():
    def each(name):
        function, dtypes = getattr(bitboard, name), RESULTS[name]

        def call(*arguments):  # Numba's functions take numbers
            rows = [function(*row) for row in zip(*np.broadcast_arrays(*arguments), strict=True)]
            columns = zip(*rows, strict=True) if len(dtypes) > 1 else [rows]
            found = [np.array(column, dtype) for column, dtype in zip(columns, dtypes, strict=True)]
            return found if len(dtypes) > 1 else found[0]

        return call

    return SimpleNamespace(**{name: each(name) for name in RESULTS}, is_slow=True)


def plain_backend():
    return with_array_library(bitboard, np)


def jax_backend():
    jax = pytest.importorskip("jax", reason="JAX is an optional extra")
    traced = with_array_library(bitboard, jax.numpy)

    def compiled(name):
        function = jax.jit(getattr(traced, name))

        def call(*arguments):
            with jax.enable_x64(True):
                return jax.tree.map(np.asarray, function(*arguments))

        return call

    return SimpleNamespace(**{name: compiled(name) for name in RESULTS})


@pytest.fixture(params=[numba_backend, plain_backend, jax_backend], ids=["numba", "plain", "jax"])
def backend(request):
    with np.errstate(over="ignore"):
        yield request.param()


def test_a_million_random_positions(backend):
    # The expected values come from Numba's loops, which other tests compare with the slow twin.
    rng, n = np.random.default_rng(1), 1_000_000
    for size in SIZES:
        board, count = BOARDS[size], n if size == 8 else n // 10
        if getattr(backend, "is_slow", False):
            count //= 100  # a call from Python for each position
        taken, colour = (rng.integers(2**64, size=count, dtype=np.uint64) for _ in range(2))
        taken[::2] |= rng.integers(2**64, size=len(taken[::2]), dtype=np.uint64)  # dense boards have longer runs
        own, opponent = taken & colour & board, taken & ~colour & board
        legal = bitboard.legal_moves_batch(own, opponent, board)
        assert (backend.legal_moves(own, opponent, board) == legal).all()
        disc = legal & (~legal + ONE)
        after_own, after_opponent = own.copy(), opponent.copy()
        moves, replies = bitboard.advance_batch(after_own, after_opponent, disc, board)
        found = backend.advance(own, opponent, disc, board)
        for mine, theirs in zip(found, (after_own, after_opponent, moves, replies), strict=True):
            assert mine.dtype == np.uint64
            assert (mine == theirs).all()


def test_bits_and_results(backend):
    rng = np.random.default_rng(2)
    x = rng.integers(1, 2**64, size=2_000, dtype=np.uint64)
    count = np.array([int(each).bit_count() for each in x])
    assert (backend.popcount(x) == count).all()
    n = backend.below(rng.integers(2**64, size=len(x), dtype=np.uint64), count.astype(np.uint64))
    assert (n < count).all()
    squares = [[square for square in range(64) if int(each) >> square & 1] for each in x]
    expected = [row[int(k)] for row, k in zip(squares, n, strict=True)]
    assert backend.nth_bit(x, n).tolist() == expected
    assert backend.square_of(ONE << np.array(expected, np.uint64)).tolist() == expected
    other = np.roll(x, 1) & ~x
    difference = count - np.array([int(each).bit_count() for each in other])
    assert backend.game_result(x, other).tolist() == np.sign(difference).tolist()


def test_another_library_changes_only_numpy():
    plain = with_array_library(bitboard, np)
    assert plain is with_array_library(bitboard, np)  # cached, so that JAX traces a function once
    assert plain.SIZES is bitboard.SIZES
    assert plain.below is with_array_library(hashing, np).below  # imported names are replaced too
    with np.errstate(over="ignore"):
        assert plain.below(np.uint64(5), np.uint64(3)) == hashing.below(np.uint64(5), np.uint64(3))
    calls, library = [], ModuleType("library")
    library.uint64, library.int64 = np.uint64, lambda x: calls.append(x) or x
    counted = with_array_library(bitboard, library)
    assert counted.square_of(np.uint64(8)) == 3
    assert calls == [3]
