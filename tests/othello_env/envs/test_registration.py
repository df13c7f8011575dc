"""The names under which the environments are registered."""

import subprocess
import sys

import gymnasium
import pettingzoo
import pytest

import othello_env  # noqa: F401 - registers the environments
from othello_env.envs import GameAEC

GAMES = ("Othello", "Othello-flat", "Tribolo", "Checkers")


def test_gymnasium_imports_the_package_for_a_qualified_id() -> None:
    code = (
        "import gymnasium; env = gymnasium.make('othello_env:othello_env/Othello-v0', size=6); "
        "print(env.action_space.n)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "37"


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry since 1.27")
def test_pettingzoo_makes_the_environments_with_their_arguments() -> None:
    for name, arguments in (("othello", {"size": 6}), ("tribolo", {"width": 9}), ("checkers", {"size": 6})):
        env = pettingzoo.make("aec", f"othello_env/{name}-v0", **arguments)
        assert type(env) is GameAEC
        assert env.state_space.shape[-1] == next(iter(arguments.values()))


@pytest.mark.parametrize("name", GAMES)
def test_the_direct_base_is_gymnasiums(name: str) -> None:
    """Some trainers, such as skrl, look only at the direct bases of a class to find out what kind of env it is."""
    env = gymnasium.make(f"othello_env/{name}-v0").unwrapped
    assert gymnasium.Env in type(env).__bases__
    assert gymnasium.vector.VectorEnv in type(gymnasium.make_vec(f"othello_env/{name}-v0", num_envs=2)).__bases__


def test_the_bound_of_the_steps_is_known() -> None:
    env = gymnasium.make("othello_env/Othello-flat-v0", size=6)
    envs = gymnasium.make_vec("othello_env/Othello-flat-v0", num_envs=2, size=6)
    for spec in (env.spec, envs.spec):
        assert spec is not None
        assert spec.max_episode_steps == 64
    gymnasium.wrappers.TimeAwareObservation(env).reset(seed=1)  # it reads the bound
    assert gymnasium.make_vec(envs.spec).single_observation_space == envs.single_observation_space
