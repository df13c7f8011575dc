"""The functions `make_env` and `make_vec_env`."""

import inspect

import pytest

from othello_env import OthelloEnv, OthelloVectorEnv, make_env, make_vec_env

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize(("make", "cls"), [(make_env, OthelloEnv), (make_vec_env, OthelloVectorEnv)])
def test_a_maker_makes_what_the_class_does_with_its_parameters(make, cls):
    signature = inspect.signature(make)
    assert signature.parameters == inspect.signature(cls).parameters
    assert signature.return_annotation == cls.__name__
    env = make(size=4, side="white", reward="margin")
    assert type(env) is cls
    assert env.spec.id == "othello_env/Othello-v0"
    assert env.spec.kwargs["side"] == "white"
    env.reset(seed=1)
    env.close()
    assert make.__doc__


def test_arguments_go_by_place_too():
    assert make_env(6, "random", "black").action_space.n == 37
    envs = make_vec_env(3, 6, None)
    assert (envs.num_envs, envs.opponents) == (3, ())
    with pytest.raises(TypeError, match="sise"):
        make_env(sise=4)
    with pytest.raises(ValueError, match="self-play"):
        envs.set_opponents("random")
