"""The kernels, compared with the slow twin and with each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env.games import hashing
from othello_env.games.othello import bitboard
from othello_env.games.othello.bitboard import ACTION_SQUARES, BOARDS, SIZES

pytestmark = pytest.mark.nojit

WORDS = st.integers(0, 2**64 - 1)


def squares(bits):
    return [square for square in range(64) if int(bits) >> square & 1]


@given(data=st.data())
def test_flips_of_every_empty_square(data, positions, twin):
    # A move to some of these squares is illegal. For such a move, the kernel flips nothing.
    state = data.draw(positions())
    slow = twin.of(state)
    own, opponent = np.uint64(state.own), np.uint64(state.opponent)
    for action, square in enumerate(ACTION_SQUARES[state.size]):
        row, column = divmod(action, state.size)
        if slow.rows[row][column] is not None:
            continue
        turned = bitboard.flips(np.uint64(1 << square), own, opponent)
        expected = [ACTION_SQUARES[state.size][state.size * r + c] for r, c in slow.flipped(row, column, state.to_move)]
        assert squares(turned) == sorted(expected)
    assert int(bitboard.flips(np.uint64(0), own, opponent)) == 0


@given(data=st.data())
def test_random_moves_are_drawn_as_in_python(data, positions):
    size = data.draw(st.sampled_from(SIZES))
    states = [state for state in data.draw(st.lists(positions(size), min_size=1, max_size=9)) if not state.is_over]
    keys = np.array(data.draw(st.lists(WORDS, min_size=len(states), max_size=len(states))), np.uint64)
    own = np.array([state.own for state in states], np.uint64)
    opponent = np.array([state.opponent for state in states], np.uint64)
    actions = bitboard.choose_batch(own, opponent, bitboard.legal_moves_batch(own, opponent, BOARDS[size]), keys, size)
    assert actions.dtype == np.int64
    assert actions.tolist() == [
        state.draw_action(hashing.mix_int(int(key), state.turn), hashing.CHOICE)
        for state, key in zip(states, keys, strict=True)
    ]


def test_random_moves_are_uniform():
    # 8,000 draws among four moves: three standard deviations are 3 * sqrt(8000 * 3 / 16) = 116.
    n = 8_000
    own, opponent = (np.full(n, bits, np.uint64) for bits in bitboard.STARTS)
    legal = bitboard.legal_moves_batch(own, opponent, BOARDS[8])
    actions = bitboard.choose_batch(own, opponent, legal, np.arange(n, dtype=np.uint64), 8)
    values, counts = np.unique(actions, return_counts=True)
    assert values.tolist() == [19, 26, 37, 44]
    assert abs(counts - n / 4).max() < 116


@pytest.mark.parametrize(("threshold", "share"), [(0, 0.0), (2**32, 0.75), (2**30, 0.1875)])
def test_randomise_replaces_the_right_share(threshold, share):
    # The new action is drawn from the four legal actions. In one of four cases, it is the old action again.
    n = 8_000
    own, opponent = (np.full(n, bits, np.uint64) for bits in bitboard.STARTS)
    actions = np.full(n, 19, np.int64)
    bitboard.randomise(actions, own, opponent, np.arange(n, dtype=np.uint64), np.uint64(threshold), BOARDS[8], 8)
    assert set(actions.tolist()) <= {19, 26, 37, 44}
    assert abs((actions != 19).mean() - share) < 0.016
