"""The arguments of the vector environment, and its errors when they are wrong."""

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from random_steps import FIRST, START

from othello_env import Othello, drawing, make_env, make_vec_env

pytestmark = pytest.mark.nojit


def test_a_finished_game_waits_for_its_reset_when_autoreset_is_disabled():
    env = make_vec_env(2, 4, None, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=0)
    env.step([FIRST, 0])  # the second is illegal
    with pytest.raises(ResetNeeded, match="game 1 is over"):
        env.step([FIRST, FIRST])
    before = env.position(0)
    observation, _ = env.reset(options={"reset_mask": np.array([False, True])})
    assert env.position(0) == before
    assert env.position(1) == START
    assert observation["action_mask"][1].sum() == 4


@pytest.mark.parametrize(
    "options",
    [
        {"moves": "c1d1"} | {"side": "white"},
        {"position": "-----XO--OX-----", "side": "black"},
        {"position": Othello(4).play(FIRST), "random_plies": 2},
        {"random_plies": 3},
        {"side": "white"},
    ],
)
def test_options_say_what_they_say_to_a_single_environment(options):
    if "moves" in options:
        state = START.play(FIRST)
        options |= {"moves": START.action_to_text(FIRST) + START.action_to_text(state.legal_actions()[0])}
    n = 12
    env = make_vec_env(n, 4, openings="random:2")
    env.reset(seed=7 * np.arange(n), options=options)
    singles = [make_env(4, openings="random:2") for _ in range(n)]
    for i, single in enumerate(singles):
        single.reset(seed=7 * i, options=options)
        assert (env.position(i), env.position(i).moves) == (single.position, single.position.moves)
    env.reset()  # the options apply to one reset only
    for i, single in enumerate(singles):
        single.reset()
        assert env.position(i) == single.position


def test_arrays_are_the_callers_unless_not_copied():
    for copied in (True, False):
        env = make_vec_env(3, 4, None, copy=copied)
        first, _ = env.reset(seed=0)
        second, *_, truncated, info = env.step([FIRST] * 3)
        assert (first["observation"] is second["observation"]) != copied
        truncated[:] = True
        second.pop("observation")
        second, *_, truncated, info = env.step(second["action_mask"].argmax(axis=1))
        assert not truncated.any()
        assert info["action_mask"] is second["action_mask"]
        assert env.observation_space.contains(second)
        assert env.action_masks().dtype == np.bool_
        np.testing.assert_array_equal(env.action_masks(), second["action_mask"])


def test_openings_can_change():
    env = make_vec_env(4, 4, None)
    env.reset(seed=0)
    pool = [START.play(action) for action in START.legal_actions()]
    env.set_openings(pool)
    assert env.position(0) == START
    env.reset()
    assert all(env.position(i) in pool and len(env.position(i).moves) == 1 for i in range(4))


def test_pictures_of_each_game():
    env = make_vec_env(2, 4, None, render_mode="ansi")
    env.reset(seed=0)
    env.step([FIRST, START.legal_actions()[-1]])
    assert env.render() == tuple(drawing.text(env.position(i)) for i in range(2))
