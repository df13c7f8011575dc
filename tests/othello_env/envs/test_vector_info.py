"""The info that is made when it is looked at; legal samples; Gymnasium's vector wrappers."""

import copy
import inspect
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers

from othello_env import sample_legal
from othello_env.envs.vector import OthelloVectorEnv
from othello_env.envs.vector_info import StepInfo

pytestmark = pytest.mark.nojit


def made():
    """An info with two entries still to be made, and the list that grows when they are."""
    calls = []

    def make():
        calls.append(1)
        return {"b": 2, "c": 3}

    return StepInfo({"a": 1}, ("b", "c"), make), calls


WHOLE = {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize(
    "look",
    [
        dict,
        lambda info: {**info},
        lambda info: dict(info.items()),
        lambda info: dict(zip(info.keys(), info.values(), strict=True)),
        lambda info: {name: info[name] for name in info},
        lambda info: {name: info[name] for name in reversed(info)},
        copy.copy,
        copy.deepcopy,
        lambda info: info.copy(),
        lambda info: pickle.loads(pickle.dumps(info)),
        lambda info: info | {},
        lambda info: {} | info,
        lambda info: {"a": info.get("a"), "b": info.get("b"), "c": info.get("c")},
        lambda info: {name: info.pop(name) for name in ("a", "b", "c")},
        lambda info: {name: info.setdefault(name) for name in ("a", "b", "c")},
        lambda info: dict([info.popitem() for _ in range(3)]),
        lambda info: eval(repr(info)),
    ],
)
def test_however_one_looks_all_is_there(look):
    info, calls = made()
    assert look(info) == WHOLE
    assert len(calls) == 1


def test_asking_what_is_there_makes_nothing():
    info, calls = made()
    assert "a" in info
    assert "b" in info
    assert "z" not in info
    assert len(info) == 3
    assert info["a"] == info.get("a") == 1
    assert info.get("z", 5) == 5
    with pytest.raises(KeyError):
        info["z"]
    info["d"] = 4
    assert not calls
    assert info == WHOLE | {"d": 4}
    assert len(calls) == 1


def test_what_is_replaced_or_removed_stays_so():
    info, _ = made()
    info["b"] = 20
    assert info == {"a": 1, "b": 20, "c": 3}
    info, _ = made()
    del info["b"]
    assert info == {"a": 1, "c": 3}
    info, _ = made()
    info.update(c=30)
    info |= {"b": 20}
    assert info == {"a": 1, "b": 20, "c": 30}
    info, calls = made()
    info.clear()
    assert len(info) == 0
    assert "b" not in info
    assert not calls


def test_samples_are_uniform_and_legal():
    rng = np.random.default_rng(0)
    mask = np.zeros((1, 65), np.int8)
    mask[0, [0, 7, 40, 64]] = 1
    counts = np.bincount(sample_legal(np.repeat(mask, 40000, axis=0), rng), minlength=65)
    assert counts.sum() == counts[[0, 7, 40, 64]].sum() == 40000
    assert abs(counts[[0, 7, 40, 64]] - 10000).max() < 4.5 * np.sqrt(40000 * 0.25 * 0.75)
    masks = (rng.random((5000, 17)) < 0.1).astype(np.int8)
    actions = sample_legal(masks, rng)
    has = masks.any(axis=1)
    assert masks[np.arange(5000), actions][has].all()
    assert not actions[~has].any()
    assert (~has).sum() > 100


def test_samples_repeat_with_their_generator_and_take_any_layout():
    masks = (np.random.default_rng(1).random((300, 65)) < 0.2).astype(np.int8)
    first = sample_legal(masks, np.random.default_rng(5))
    for same in (masks.astype(bool), masks.astype(np.uint8), np.asfortranarray(masks), masks[::1, ::-1][:, ::-1]):
        same.flags.writeable = False
        np.testing.assert_array_equal(sample_legal(same, np.random.default_rng(5)), first)
    assert (sample_legal(masks, np.random.default_rng(6)) != first).any()
    assert sample_legal(np.zeros((0, 65), np.int8), np.random.default_rng(0)).shape == (0,)


@pytest.mark.parametrize(
    "masks", [np.zeros(65, np.int8), np.zeros((2, 65)), np.zeros((2, 65), np.int64), [[True], [1.5]]]
)
def test_what_is_no_mask_is_named(masks):
    with pytest.raises(ValueError, match="expected masks of shape"):
        sample_legal(masks, np.random.default_rng(0))


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize("opponent", [None, "random"])
def test_episode_statistics_count_what_was_played(mode, opponent):
    plain = OthelloVectorEnv(8, 4, opponent, autoreset_mode=mode)
    env = wrappers.RecordEpisodeStatistics(plain)
    if mode == AutoresetMode.SAME_STEP and mode.name not in inspect.getsource(type(env)):
        pytest.skip("this Gymnasium's wrapper knows no SAME_STEP and miscounts")
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=0)
    length, earned, finished, before = np.zeros(8, int), np.zeros(8), 0, np.zeros(8, bool)
    for _ in range(120):
        observation, rewards, terminated, _, info = env.step(sample_legal(observation["action_mask"], rng))
        if mode == AutoresetMode.NEXT_STEP:
            length[before], earned[before] = -1, 0.0
        length += 1
        earned += rewards
        if terminated.any():
            np.testing.assert_array_equal(info["episode"]["l"][terminated], length[terminated])
            np.testing.assert_allclose(info["episode"]["r"][terminated], earned[terminated])
            finished += terminated.sum()
            if mode == AutoresetMode.SAME_STEP:
                length[terminated], earned[terminated] = 0, 0.0
        before = terminated
    assert env.episode_count == finished > 20


def test_other_wrappers_of_gymnasium_take_it():
    env = gymnasium.make_vec("othello_env:othello_env/Othello-v0", num_envs=4, size=4, opponent=None)
    assert isinstance(env.unwrapped, OthelloVectorEnv)
    assert env.spec.kwargs["num_envs"] == 4
    env = wrappers.DictInfoToList(wrappers.ClipReward(env, -0.5, 0.5))
    rng = np.random.default_rng(0)
    observation, infos = env.reset(seed=1)
    assert len(infos) == 4
    ends = 0
    for _ in range(30):
        observation, rewards, terminated, _, infos = env.step(sample_legal(observation["action_mask"], rng))
        assert abs(rewards).max() <= 0.5
        for over, info in zip(terminated, infos, strict=True):
            assert ("final_info" in info) == over
            ends += over
            if over:
                assert sum(info["final_info"]["discs"]) >= 4
                assert info["final_obs"]["observation"].shape == (2, 4, 4)
    assert ends > 3


def test_observation_wrappers_take_the_mode_that_they_know():
    space = gymnasium.spaces.Box(0, 1, (2, 4, 4), np.int8)

    def planes(observation):
        return observation["observation"]

    whole = wrappers.TransformObservation(
        OthelloVectorEnv(4, 4, None, autoreset_mode=AutoresetMode.NEXT_STEP),
        planes,
        gymnasium.vector.utils.batch_space(space, 4),
        space,
    )
    each = wrappers.VectorizeTransformObservation(
        OthelloVectorEnv(4, 4, None, autoreset_mode=AutoresetMode.NEXT_STEP),
        gymnasium.wrappers.TransformObservation,
        func=planes,
        observation_space=space,
    )
    rng = np.random.default_rng(0)
    _, info = whole.reset(seed=1)
    each.reset(seed=1)
    for _ in range(30):
        actions = sample_legal(info["action_mask"], rng)
        observation, *_, info = whole.step(actions)
        assert observation.shape == (4, 2, 4, 4)
        np.testing.assert_array_equal(each.step(actions)[0], observation)
