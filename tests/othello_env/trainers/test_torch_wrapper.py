"""Gymnasium's wrappers that turn all arrays into PyTorch tensors, also the arrays in the info."""

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")
pytest.importorskip("array_api_compat", reason="Gymnasium's wrapper needs it: gymnasium[array-api]")

from gymnasium.wrappers import NumpyToTorch as NumpyToTorchOfOne  # noqa: E402
from gymnasium.wrappers.vector import NumpyToTorch  # noqa: E402

from othello_env import make_vec_env  # noqa: E402


def assert_same(tensors, arrays):
    assert set(tensors) == set(arrays)
    for name, array in arrays.items():
        assert isinstance(tensors[name], torch.Tensor)
        np.testing.assert_array_equal(tensors[name].numpy(), array, err_msg=name)


@pytest.mark.parametrize("opponent", [None, "random"])
@pytest.mark.parametrize("copy", [True, False])
def test_a_batch_is_tensors(opponent, copy):
    arguments = {"size": 4, "opponent": opponent, "autoreset_mode": "NextStep"}
    env, twin = NumpyToTorch(make_vec_env(5, copy=copy, **arguments)), make_vec_env(5, **arguments)
    (observation, info), (expected, expected_info) = env.reset(seed=1), twin.reset(seed=1)
    ended = 0
    for _ in range(40):
        assert_same(observation | info, expected | dict(expected_info))
        actions = observation["action_mask"].argmax(dim=1)
        observation, rewards, terminated, _, info = env.step(actions)
        expected, rewards2, terminated2, _, expected_info = twin.step(actions.numpy().copy())
        assert_same({"rewards": rewards, "terminated": terminated}, {"rewards": rewards2, "terminated": terminated2})
        ended += int(terminated.sum())
    assert ended > 5


@pytest.mark.parametrize("name", ["Othello", "Tribolo", "Checkers"])
def test_a_single_game_is_tensors(name):
    env, twin = NumpyToTorchOfOne(gymnasium.make(f"othello_env/{name}-v0")), gymnasium.make(f"othello_env/{name}-v0")
    (_, info), (_, expected_info) = env.reset(seed=1), twin.reset(seed=1)
    over = False
    while not over:
        assert_same(info, expected_info)
        action = int(expected_info["action_mask"].argmax())
        *_, over, _, info = env.step(torch.tensor(action))
        expected_info = twin.step(action)[4]
    assert_same(info, expected_info)
