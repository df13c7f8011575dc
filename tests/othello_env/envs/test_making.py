"""The functions `make_env` and `make_vec_env`."""

import copy
import inspect
import pickle

import pytest

from othello_env import make_env, make_vec_env, othello_v0
from othello_env.envs import GameEnv, GameVectorEnv

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize(("make", "cls"), [(make_env, GameEnv), (make_vec_env, GameVectorEnv)])
def test_a_maker_passes_on_its_parameters(make, cls):
    known = inspect.signature(cls).parameters
    for name, parameter in inspect.signature(make).parameters.items():
        if name != "size":
            assert parameter.default == known[name].default
            assert parameter.annotation in (known[name].annotation, "Opponent")
    env = make(size=4, side="white", reward="margin")
    assert type(env) is cls
    assert env.spec.id == "othello_env/Othello-v0"
    assert env.spec.kwargs["side"] == "white"
    env.reset(seed=1)
    env.close()
    assert make.__doc__


def test_an_environment_says_what_it_is():
    assert repr(GameEnv("tribolo", width=9)) == "GameEnv('tribolo:width=9')"
    assert repr(othello_v0.env(4)) == "GameAEC('othello:size=4')"
    assert repr(copy.deepcopy(make_env(size=6))) == "GameEnv('othello:size=6')"
    assert repr(pickle.loads(pickle.dumps(make_vec_env(2, 4)))) == "GameVectorEnv('othello:size=4', num_envs=2)"


def test_arguments_go_by_place_too():
    assert make_env(6, "random", "black").action_space.n == 37
    envs = make_vec_env(3, 6, None)
    assert (envs.num_envs, envs.opponents) == (3, ())
