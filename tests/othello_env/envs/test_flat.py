"""The flat id: the same games, with rows of float32 as observations and the mask in `info`."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from othello_env import sample_legal

pytestmark = pytest.mark.nojit

NAME, FLAT = "othello_env/Othello-v0", "othello_env/Othello-flat-v0"


def flat(planes):
    return planes.astype(np.float32).reshape(*planes.shape[:-3], -1)


@pytest.mark.parametrize("size", [4, 8])
def test_a_game_is_that_of_the_other_id(size, assert_same_info):
    env, other = (gymnasium.make(name, size=size, side="white") for name in (FLAT, NAME))
    assert env.observation_space == gymnasium.spaces.Box(0, 1, (2 * size * size,), np.float32)
    check_env(env.unwrapped, skip_render_check=True)
    (row, info), (observation, other_info) = env.reset(seed=5), other.reset(seed=5)
    over = False
    while True:
        assert env.observation_space.contains(row)
        np.testing.assert_array_equal(row, flat(observation["observation"]))
        assert_same_info(info, other_info)
        np.testing.assert_array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"])
        if over:
            break
        action = int(info["action_mask"].argmax())
        row, reward, over, _, info = env.step(action)
        observation, other_reward, *_, other_info = other.step(action)
        assert reward == other_reward


@pytest.mark.parametrize("arguments", [{}, {"copy": False}, {"autoreset_mode": "NextStep"}, {"opponent": None}])
def test_a_batch_is_that_of_the_other_id(arguments):
    envs, others = (gymnasium.make_vec(name, num_envs=5, size=4, **arguments) for name in (FLAT, NAME))
    assert envs.observation_space == gymnasium.spaces.Box(0, 1, (5, 32), np.float32)
    (rows, info), (observations, _) = envs.reset(seed=1), others.reset(seed=1)
    rng, ends = np.random.default_rng(1), 0
    for _ in range(40):
        assert envs.observation_space.contains(rows)
        np.testing.assert_array_equal(rows, flat(observations["observation"]))
        np.testing.assert_array_equal(info["action_mask"], observations["action_mask"])
        actions = sample_legal(info["action_mask"], rng)
        rows, rewards, over, _, info = envs.step(actions)
        observations, other_rewards, other_over, _, other_info = others.step(actions)
        np.testing.assert_array_equal(rewards, other_rewards)
        np.testing.assert_array_equal(over, other_over)
        for last, other_last in zip(info.get("final_obs", ()), other_info.get("final_obs", ()), strict=True):
            assert (last is None) == (other_last is None)
            if last is not None:
                np.testing.assert_array_equal(last, flat(other_last["observation"]))
                ends += 1
    assert (ends > 0) == (arguments in ({}, {"opponent": None}))
