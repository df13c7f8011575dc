"""OthelloPositions: positions as arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env import Othello, OthelloPositions

pytestmark = pytest.mark.nojit


@given(data=st.data())
def test_a_batch_is_its_positions(data, positions):
    size = data.draw(st.sampled_from([4, 6, 8]))
    states = [state for state in data.draw(st.lists(positions(size), min_size=1, max_size=9)) if not state.is_over]
    batch = OthelloPositions.from_states(states)
    assert len(batch) == len(states)
    assert [batch.state(i) for i in range(len(batch))] == states
    assert [batch.state(i).moves for i in range(len(batch))] == [state.moves for state in states]
    assert [batch.part(slice(1, None)).state(i).moves for i in range(len(batch) - 1)] == [s.moves for s in states[1:]]
    observations, masks = batch.observations(), batch.masks()
    assert observations.dtype == masks.dtype == np.int8
    if states:
        assert observations.shape == (len(states), 2, size, size)
        assert masks.shape == (len(states), size * size + 1)
    for i, state in enumerate(states):
        assert (observations[i] == state.observation(state.to_move)).all()
        assert (masks[i] == state.action_mask()).all()


def test_dtypes_and_keys():
    batch = OthelloPositions.from_states([Othello(), Othello.from_moves("f5")], [2**64 - 1, 7])
    assert (batch.own.dtype, batch.opponent.dtype, batch.to_move.dtype, batch.key.dtype) == (
        np.uint64,
        np.uint64,
        np.int8,
        np.uint64,
    )
    assert batch.to_move.tolist() == [0, 1]
    assert batch.key.tolist() == [2**64 - 1, 7]
    assert OthelloPositions.from_states([Othello()]).key.tolist() == [0]


def test_an_empty_batch():
    batch = OthelloPositions.from_states([])
    assert len(batch) == 0
    assert batch.observations().shape == (0, 2, 8, 8)
    assert batch.masks().shape == (0, 65)
