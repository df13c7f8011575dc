"""A check that is the same for every kind of network file."""

import pickle

import numpy as np
import pytest

from othello_env import make_vec_env


@pytest.fixture
def check_pickled_batch():
    """A function that pickles a 6x6 batch with an opponent. The copy must go on as the batch does."""

    def check(opponent):
        envs = make_vec_env(4, opponent=str(opponent), size=6)
        observations, _ = envs.reset(seed=1)
        again = pickle.loads(pickle.dumps(envs))
        for _ in range(3):
            actions = observations["action_mask"].argmax(axis=1)
            observations = envs.step(actions)[0]
            np.testing.assert_array_equal(again.step(actions)[0]["observation"], observations["observation"])

    return check
