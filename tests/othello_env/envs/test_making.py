"""The functions `make_env` and `make_vec_env`."""

import inspect
from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

import pytest

from othello_env import Othello, OthelloEnv, OthelloVectorEnv, make_env, make_vec_env
from othello_env.envs.vector.opponents import Opponents

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


@pytest.mark.parametrize("mode", [5, "x", ["ansi"], "rgb_array_list"])
@pytest.mark.parametrize("make", [make_env, make_vec_env])
def test_a_wrong_render_mode_is_named(make, mode):
    with pytest.raises(ValueError, match=r"render_mode must be one of None, .*, not "):
        make(render_mode=mode)


def test_a_type_checker_knows_the_position():
    assert get_type_hints(OthelloEnv.position.fget)["return"] is Othello


def test_a_type_checker_takes_opponents_of_several_kinds_together():
    def last(observations, masks):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)

    assert Mapping[Any, float] in get_args(Opponents)
    assert make_vec_env(2, opponent={last: 1, "random": 2}).opponents[1] == "random"
