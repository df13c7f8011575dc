"""The info of a batch; random legal actions."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from othello_env import Othello, make_vec_env, sample_legal

pytestmark = pytest.mark.nojit


MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED]


def steps(env, count, seed, wild):
    """The values that a batch returns at a reset and at some steps. The actions are random, and some may be illegal."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    yield observation, np.zeros(env.num_envs), np.zeros(env.num_envs, bool), info
    for _ in range(count):
        masks = observation["action_mask"]
        actions = np.where(rng.random(len(masks)) < wild, 0, sample_legal(masks, rng))
        observation, rewards, terminated, _, info = env.step(actions)
        yield observation, rewards, terminated, info
        if env.metadata["autoreset_mode"] == AutoresetMode.DISABLED and terminated.any():
            observation, _ = env.reset(options={"reset_mask": terminated.copy()})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponent", [None, "random"])
def test_what_ended_can_be_looked_up(mode, opponent):
    """Also without copies, when the info has no entries about the games that ended."""
    env = make_vec_env(6, 4, opponent, autoreset_mode=mode, copy=False)
    ends = 0
    for _, _, terminated, info in steps(env, 40, 2, 0.05):
        assert not any("final" in name for name in info)
        ended = env.ended()
        assert sorted(ended.game) == np.flatnonzero(terminated).tolist()
        for k, i in enumerate(ended.game.tolist()):
            last, illegal = env.final_position(i), int(ended.illegal_action[k])
            if opponent is None:
                np.testing.assert_array_equal(env.final_observations()[k], last.observation(last.to_move))
            assert (ended.plies[k], tuple(ended.discs[k])) == (len(last.moves), last.discs())
            assert last == Othello.from_moves(last.moves, size=4)
            won = last.returns().index(1.0) if any(last.returns()) else -1
            assert (ended.winner[k], last.is_over) == ((won, True) if illegal < 0 else (-1, False))
            assert not last.is_legal(illegal)
        for i in np.flatnonzero(~terminated).tolist():
            with pytest.raises(LookupError, match=f"no game {i} ended"):
                env.final_position(i)
        ends += terminated.sum()
    assert ends > 6


def test_the_info_names_opponents_that_were_set():
    def policy(observations, masks):
        return masks.argmax(axis=1)

    env = make_vec_env(40, 4, {"random": 1.0, "maximizer:eval=count": 1.0})
    assert env.opponents == ("random", "maximizer:eval=count")
    env.reset(seed=0)
    env.set_opponents(policy)
    env.reset()
    assert env.opponents[-1] == policy.__qualname__
    info = env.step(env.action_masks().argmax(axis=1))[4]
    assert {env.opponents[number] for number in info["opponent"]} == {policy.__qualname__}
    assert make_vec_env(2, 4, None).opponents == ()


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
