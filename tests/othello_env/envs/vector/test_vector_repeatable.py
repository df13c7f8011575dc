"""The same seed gives the same games: with threads, in a copy and after an interrupt."""

import copy
import pickle

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from random_steps import play

from othello_env import make_vec_env, sample_legal

pytestmark = pytest.mark.nojit


@pytest.fixture
def assert_same(assert_same_info):
    def check(a, b):
        for found, expected in zip(a, b, strict=True):
            for x, y in zip(found[:4], expected[:4], strict=True):
                assert_same_info(x, y)
            assert found[4] == expected[4]

    return check


@pytest.mark.usefixtures("always_shared")
@pytest.mark.parametrize("opponent", [None, "random"])
def test_threads_and_copies_make_no_difference(opponent, assert_same):
    plain = play(make_vec_env(7, 4, opponent, openings="random:2"), 25)
    for arguments in ({"num_threads": 3}, {"copy": False}, {"copy": False, "num_threads": 20}):
        env = make_vec_env(7, 4, opponent, openings="random:2", **arguments)
        found = play(env, 25)
        if not arguments.get("copy", True):  # then the entries of the games that ended are left out
            assert not any("final_obs" in step[3] or "final_info" in step[3] for step in found)
            plain = [(*step[:3], _without_final(step[3]), step[4]) for step in plain]
        assert_same(plain, found)
        env.close()


def _without_final(info):
    return {name: value for name, value in info.items() if "final_" not in name}


def failing(cause):
    """A kernel that fails as Numba's kernels do if an error is raised in them."""

    def kernel(*args):
        raise SystemError("a kernel returned a result with an exception set") from cause()

    return kernel


@pytest.mark.parametrize("kernel", ["step", "observe"])
def test_ctrl_c_in_a_kernel_of_a_step(kernel, monkeypatch):
    env = make_vec_env(4, 4, openings="random:2")
    observation, _ = env.reset(seed=1)
    actions = observation["action_mask"].argmax(axis=1)
    with monkeypatch.context() as patched:
        patched.setattr(env._batch, kernel, failing(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            env.step(actions)
    with pytest.raises(ResetNeeded):
        env.step(actions)
    np.testing.assert_equal(env.reset(seed=1)[0], observation)


@pytest.mark.usefixtures("always_shared")
@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_of_the_environment_goes_its_own_way(clone):
    env = make_vec_env(5, 4, copy=False, num_threads=2)
    observation, _ = env.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(4):
        observation, *_ = env.step(sample_legal(observation["action_mask"], rng))
    twin = clone(env)
    masks = observation["action_mask"].copy()
    for _ in range(20):
        actions = sample_legal(masks, rng)
        (a, ra, *_), (b, rb, *_) = env.step(actions), twin.step(actions)
        np.testing.assert_equal((a, ra), (b, rb))
        assert a["observation"] is not b["observation"]
        masks = a["action_mask"].copy()
    env.close()
    twin.close()
