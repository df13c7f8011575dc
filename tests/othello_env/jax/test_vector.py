"""The batch on a device: every step is checked against positions of the package, in JAX's arrays and PyTorch's."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is an optional extra")
jnp = jax.numpy

import gymnasium  # noqa: E402
from gymnasium.error import ResetNeeded  # noqa: E402

import othello_env.jax as oj  # noqa: E402 - only if there is JAX
from othello_env import sample_legal  # noqa: E402

ARRAYS = ("observation", "action_mask")


def position(env, i):
    return jax.tree.map(lambda x: np.asarray(x[i]), env.state).position()


def check_observation(env, observation, info):
    assert {name: (each.shape, str(each.dtype)) for name, each in observation.items()} == {
        "observation": ((env.num_envs, 2, 4, 4), "int8"),
        "action_mask": ((env.num_envs, 17), "int8"),
    }
    assert (np.asarray(info["action_mask"]) == np.asarray(observation["action_mask"])).all()
    for i in range(env.num_envs):
        state = position(env, i)
        assert (np.asarray(observation["observation"][i]) == state.observation(state.to_move)).all()
        assert (np.asarray(observation["action_mask"][i]) == state.action_mask()).all()


def test_self_play():
    env, rng, ends = oj.DeviceVectorEnv(4, None, size=4), np.random.default_rng(0), 0
    assert env.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    observation, info = env.reset(seed=1)
    check_observation(env, observation, info)
    for _ in range(25):
        actions = sample_legal(np.asarray(info["action_mask"]), rng)
        expected = [position(env, i).play(int(action)) for i, action in enumerate(actions)]
        observation, rewards, terminated, truncated, info = env.step(jnp.asarray(actions))
        assert all(isinstance(each, jax.Array) for each in (*observation.values(), rewards, terminated, truncated))
        check_observation(env, observation, info)
        assert not np.asarray(truncated).any()
        for i, after in enumerate(expected):
            assert bool(terminated[i]) == after.is_over
            # The player that acted is not the one to move afterwards.
            assert float(rewards[i]) == (after.returns()[1 - after.to_move] if after.is_over else 0)
            assert position(env, i).to_text() == (after.to_text() if not after.is_over else "-----OX--XO-----")
            assert int(info["to_move"][i]) == position(env, i).to_move
        ends += int(terminated.sum())
    assert ends >= 4
    _, rewards, terminated, *_ = env.step(jnp.full(4, -1))
    assert rewards.tolist() == [-1.0] * 4
    assert terminated.all()


def test_against_an_opponent_and_seeds():
    env = oj.DeviceVectorEnv(16, "random", size=4, openings="random:2")

    def play(seed):
        env.reset(seed=seed)
        rows, rng = [], np.random.default_rng(0)
        for _ in range(12):
            actions = sample_legal(np.asarray(env.state.legal_action_mask), rng)
            observation, rewards, terminated, _, info = env.step(jnp.asarray(actions))
            assert set(info) == {"action_mask"}
            rows += [np.asarray(observation["observation"]).ravel(), np.asarray(rewards), np.asarray(terminated)]
        return np.concatenate(rows)

    first = play(5)
    assert (play(5) == first).all()
    assert (play(6) != first).any()
    assert (play(None) != first).any()


def test_jax_to_torch():
    torch = pytest.importorskip("torch", reason="turns arrays into tensors of PyTorch")
    from gymnasium.wrappers.vector import JaxToTorch

    env = JaxToTorch(oj.DeviceVectorEnv(8, "random", size=4))
    plain = oj.DeviceVectorEnv(8, "random", size=4)
    observation, _ = env.reset(seed=3)
    plain.reset(seed=3)
    ends = 0
    for _ in range(10):
        assert isinstance(observation["observation"], torch.Tensor)
        assert observation["observation"].dtype == torch.int8
        actions = observation["action_mask"].to(torch.int64).argmax(dim=1)
        observation, rewards, terminated, truncated, info = env.step(actions)
        found = plain.step(jnp.asarray(actions.numpy()))
        for name in ARRAYS:
            assert observation[name].tolist() == found[0][name].tolist()
        assert rewards.dtype == torch.float32
        assert (rewards.tolist(), terminated.tolist(), truncated.tolist()) == tuple(
            each.tolist() for each in found[1:4]
        )
        assert info["action_mask"].tolist() == found[4]["action_mask"].tolist()
        ends += int(terminated.sum())
    assert ends >= 4


def test_jax_to_numpy():
    from gymnasium.wrappers.vector import JaxToNumpy  # needs array_api_compat, which the extra installs

    env = JaxToNumpy(oj.DeviceVectorEnv(4, "random", size=4))
    observation, _ = env.reset(seed=3)
    assert all(isinstance(observation[name], np.ndarray) for name in ARRAYS)
    observation, rewards, *_ = env.step(observation["action_mask"].argmax(axis=1))
    assert isinstance(observation["observation"], np.ndarray)
    assert rewards.dtype == np.float32


def test_errors():
    with pytest.raises(ValueError, match="num_envs must be at least 1"):
        oj.DeviceVectorEnv(0)
    with pytest.raises(ValueError, match="size"):
        oj.DeviceVectorEnv(2, size=5)
    with pytest.raises(TypeError, match="an opponent must be"):
        oj.DeviceVectorEnv(2, 5)
    env = oj.DeviceVectorEnv(2, None, size=4)
    with pytest.raises(ResetNeeded):
        env.step(jnp.zeros(2, int))
    with pytest.raises(ValueError, match="expected no options of a reset, got side"):
        env.reset(options={"side": "black"})
    with pytest.raises((TypeError, ValueError), match="seed"):
        env.reset(seed=-1)
    env.reset(seed=0)
    for actions in (jnp.zeros(3, int), jnp.zeros(2), 5):
        with pytest.raises(ValueError, match=r"expected \(2,\) integers as actions, got"):
            env.step(actions)
