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
        assert name == "size" or parameter.default == known[name].default
    env = make(size=4, side="white", reward="margin")
    assert type(env) is cls
    assert (env.spec.id, env.spec.kwargs["side"]) == ("othello_env/Othello-v0", "white")


def test_an_environment_says_what_it_is():
    assert repr(GameEnv("tribolo", width=9)) == "GameEnv('tribolo:width=9')"
    assert repr(othello_v0.env(4)) == "GameAEC('othello:size=4')"
    assert repr(copy.deepcopy(make_env(size=6))) == "GameEnv('othello:size=6')"
    assert repr(pickle.loads(pickle.dumps(make_vec_env(2, 4)))) == "GameVectorEnv('othello:size=4', num_envs=2)"
