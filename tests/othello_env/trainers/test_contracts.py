"""What trainers read that are seldom installed. The tests make the trainer's calls, but do not need the trainer.

A comment in each test names the part of the trainer's source that the test repeats.
"""

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils import BaseWrapper

from othello_env import checkers_v0, othello_v0, sample_legal, tribolo_v0

pytestmark = pytest.mark.nojit

AEC = {"othello": othello_v0, "tribolo": tribolo_v0, "checkers": checkers_v0}
ENVS = 6


def vector(**kwargs):
    return gymnasium.make_vec("othello_env/Othello-v0", num_envs=ENVS, size=4, **kwargs)


def vector_steps(env, steps, seed=0):
    """(observation, rewards, terminated, info) of the reset, and then of each step with random legal actions."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    yield observation, np.zeros(ENVS), np.zeros(ENVS, np.bool_), info
    for _ in range(steps):
        observation, rewards, terminated, _, info = env.step(sample_legal(observation["action_mask"], rng))
        yield observation, rewards, terminated, info


@pytest.mark.parametrize("opponent", [None, "random"])
def test_agilerl_reads_the_mask_in_the_info(opponent):
    # agilerl.rollouts.on_policy calls info.get("action_mask"). The mask has one row for each game, and an entry is not
    # zero if the action is legal. AgileRL stores an observation and its mask only after the next step. That step
    # must not change them.
    ends = 0
    before = None
    for observation, rewards, terminated, info in vector_steps(vector(opponent=opponent), 30):
        mask = info.get("action_mask")
        assert mask.shape == (ENVS, 17)
        assert mask.dtype == np.int8
        assert mask.any(axis=1).all()  # when a game has ended, this is the mask of the next game
        np.testing.assert_array_equal(mask, observation["action_mask"])
        assert not rewards[~terminated].any()
        if before is not None:
            for now, then in zip((mask, *observation.values()), before["arrays"], strict=True):
                assert not np.shares_memory(now, then)
            for then, copy in zip(before["arrays"], before["copies"], strict=True):
                np.testing.assert_array_equal(then, copy)
        arrays = (mask, *observation.values())
        before = {"arrays": arrays, "copies": [array.copy() for array in arrays]}
        ends += terminated.sum()
    assert ends > ENVS


@pytest.mark.parametrize("game", AEC)
def test_tianshou_reads_the_mask_of_the_agent_to_move(game):
    # tianshou.env.PettingZooEnv needs the same spaces for all agents. It calls env.last(self) after a reset and after a
    # step, reads obs["action_mask"], and keeps a list with a reward for each agent.
    env = AEC[game].env()
    assert all(
        space == env.observation_space(env.possible_agents[0])
        for space in map(env.observation_space, env.possible_agents)
    )
    assert len({env.action_space(agent).n for agent in env.possible_agents}) == 1
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    rewards = np.zeros(len(env.possible_agents))
    while True:
        observation, reward, terminated, truncated, _ = env.last()
        assert isinstance(terminated, bool)
        assert not truncated
        if terminated:
            break
        mask = [entry == 1 for entry in observation["action_mask"]]
        assert any(mask)
        assert reward == 0
        env.step(int(rng.choice(np.flatnonzero(mask))))
        rewards[:] = [env.rewards[agent] for agent in env.possible_agents]
    assert not observation["action_mask"].any()
    assert rewards.sum() == 0
    assert np.abs(rewards).max() <= 1


class Observations(BaseWrapper):
    """Observations in the form that RLlib's ActionMaskingRLModule needs, as on the page of trainers."""

    def observation_space(self, agent):
        spaces = self.env.observation_space(agent)
        row = gymnasium.spaces.Box(0, 1, (gymnasium.spaces.flatdim(spaces["observation"]),), np.float32)
        return gymnasium.spaces.Dict(action_mask=spaces["action_mask"], observations=row)

    def observe(self, agent):
        seen = self.env.observe(agent)
        return {"action_mask": seen["action_mask"], "observations": seen["observation"].ravel().astype(np.float32)}


def rllib_step(env, action):
    """The loop in ray.rllib.env.wrappers.pettingzoo_env.PettingZooEnv.step. Returns {agent: the values of `last`}."""
    env.step(action)
    said = {}
    while env.agents:
        agent = env.agent_selection
        said[agent] = env.last()
        if not (env.terminations[agent] or env.truncations[agent]):
            break
        env.step(None)
    return said


@pytest.mark.parametrize("game", AEC)
def test_rllib_gets_its_key_from_a_short_wrapper(game):
    env = Observations(AEC[game].env())
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    steps = 0
    while env.agents:
        agent = env.agent_selection
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        assert seen["action_mask"].any()
        said = rllib_step(env, rng.choice(np.flatnonzero(seen["action_mask"])))
        for name, (observation, reward, terminated, truncated, info) in said.items():
            assert env.observation_space(name).contains(observation)
            assert observation["action_mask"].any() != terminated
            assert not truncated
            assert isinstance(info, dict)
            rewards[name] += reward
        steps += 1
    assert steps > 5
    assert set(said) == set(env.possible_agents)  # each agent was told the end of the game
    assert list(rewards.values()) == list(env.unwrapped.position.returns())
