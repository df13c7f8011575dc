"""Positions of batches that agents are asked about. `envs/vector/test_vector.py` plays whole games in batches."""

import numpy as np
import pytest

from othello_env import Checkers, Othello
from othello_env.games.checkers.batch import CheckersBatch
from othello_env.games.openings import Openings
from othello_env.games.othello.batch import OthelloBatch
from othello_env.games.tribolo.batch import TriboloBatch
from othello_env.games.tribolo.position import Tribolo

pytestmark = pytest.mark.nojit

N = 12
NEW = {
    "othello": lambda: OthelloBatch(N, Othello()),
    "othello 4x4": lambda: OthelloBatch(N, Othello(4)),
    "checkers": lambda: CheckersBatch(N, Checkers()),
    "checkers 6x6": lambda: CheckersBatch(N, Checkers(6, "threefold")),
    "tribolo": lambda: TriboloBatch(N, Tribolo(0, 8, 6, 6, 3)),
}


def waiting(name):
    """A batch whose games have begun, each with its own key, and the positions in which player 0 is not to move."""
    batch = NEW[name]()
    pool = np.full((batch.start.num_players - 1, 1), 2**32, np.uint64)
    openings = Openings(None, lambda key: batch.start, 5)
    initial = batch.initial_arrays(openings, redraws=1, side=0, pool=pool, first=0)
    batch.arrays.env_key[:] = np.arange(N) * 977
    batch.make_room(initial.longest)
    assert batch.begin(np.arange(N), initial) == 0
    return batch, batch.waiting()


@pytest.mark.parametrize("name", NEW)
def test_positions_that_agents_are_asked_about(name):
    batch, found = waiting(name)
    positions = found.positions
    assert found.indices.tolist() == np.flatnonzero(batch.arrays.to_move != 0).tolist()
    odd = positions.part(np.arange(len(positions)) % 2 == 1)
    assert [odd.state(k) for k in range(len(odd))] == [positions.state(k) for k in range(1, len(positions), 2)]
    planes, masks, drawn = positions.observations(), positions.masks(), positions.draw_actions()
    assert batch.are_legal(found.indices, drawn).all()
    for k, i in enumerate(found.indices.tolist()):
        state = positions.state(k)
        assert state == batch.state(i)
        np.testing.assert_array_equal(planes[k], state.observation(state.to_move))
        np.testing.assert_array_equal(masks[k], state.action_mask())
        assert positions.to_move[k] == state.to_move
        wrong = drawn.copy()
        wrong[k] = state.num_actions if k % 2 else int(np.argmin(masks[k]))
        assert np.flatnonzero(~batch.are_legal(found.indices, wrong)).tolist() == [k]


def test_randomise_refuses_actions_of_another_shape():
    positions = waiting("othello 4x4")[1].positions
    for shape in (len(positions) - 1, len(positions) + 1, (len(positions), 1)):
        with pytest.raises(ValueError, match=rf"actions must be of shape \({len(positions)},\), not \("):
            positions.randomise(np.zeros(shape, np.int64), 2**31)
