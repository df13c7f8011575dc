"""OthelloPositions: positions as arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env import OthelloPositions

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
    assert OthelloPositions.from_states(states, range(len(states))).key.tolist() == [*range(len(states))]
    assert batch.key.tolist() == [0] * len(states)
    observations, masks = batch.observations(), batch.masks()
    assert observations.dtype == masks.dtype == np.int8
    shown = size if states else 8
    assert observations.shape == (len(states), 2, shown, shown)
    assert masks.shape == (len(states), shown * shown + 1)
    for i, state in enumerate(states):
        assert (observations[i] == state.observation(state.to_move)).all()
        assert (masks[i] == state.action_mask()).all()
