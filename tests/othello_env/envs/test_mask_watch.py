"""The warning of environments about a learner that ignores the mask."""

import warnings

import numpy as np
import pytest

from othello_env import IgnoredMaskWarning, make_vec_env, sample_legal
from othello_env.envs import GameAEC, GameEnv
from othello_env.envs.conventions import MaskWatch

pytestmark = pytest.mark.nojit


def single(env, illegal):
    """Play a game in an environment for one game, either to the end or with one illegal action."""
    env.reset(seed=0)
    over = False
    while not over:
        mask = env.action_masks()
        *_, over, _, _ = env.step(int(mask.argmin() if illegal else mask.argmax()))


def aec(env, illegal):
    env.reset()
    while not any(env.terminations.values()):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(mask.argmin() if illegal else mask.argmax()))


@pytest.mark.parametrize(("play", "env"), [(single, GameEnv("checkers")), (aec, GameAEC("tribolo"))])
def test_it_is_said_once_and_names_the_mask(play, env):
    for _ in range(MaskWatch.GAMES - 1):  # a warning in these games would fail the test
        play(env, illegal=True)
    with pytest.warns(
        IgnoredMaskWarning, match=r"20 of 20 games .* action_mask \(in the observation or in info\).*MaskablePPO"
    ):
        play(env, illegal=True)
    for _ in range(5):
        play(env, illegal=True)


@pytest.mark.usefixtures("always_shared")
@pytest.mark.parametrize(("mode", "opponent", "num_threads"), [("SameStep", None, 1), ("NextStep", "random", 2)])
def test_a_batch_says_it_once_too(mode, opponent, num_threads):
    env = make_vec_env(8, 4, opponent, autoreset_mode=mode, num_threads=num_threads)
    env.reset(seed=0)
    ended, told = 0, []
    for _ in range(12):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            terminated = env.step(np.full(8, 5))[2]  # never legal, because a disc is there
        ended += terminated.sum()
        told += [(ended, str(each.message)) for each in caught]
    env.close()
    ((when, text),) = told
    assert when == 24
    assert "24 of 24 games" in text


def test_a_batch_says_nothing_of_a_learner_that_reads_the_mask():
    env = make_vec_env(50, 4, None)
    observation, _ = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(60):
        actions = sample_legal(observation["action_mask"], rng)
        actions[0] = 0  # game 0 always ends by an illegal action; the 49 other games never do
        observation, *_ = env.step(actions)
