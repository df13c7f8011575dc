"""The names under which the environments are registered."""

import subprocess
import sys

import gymnasium
import pettingzoo
import pytest

import othello_env  # noqa: F401 - registers the environments
from othello_env import WrongGameError, othello_v0


def test_gymnasium_imports_the_package_for_a_qualified_id() -> None:
    code = (
        "import gymnasium; env = gymnasium.make('othello_env:othello_env/Othello-v0', size=6); "
        "print(env.reset(seed=0)[0]['action_mask'].shape)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(37,)"


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry since 1.27")
def test_pettingzoo_makes_the_environment_with_its_arguments() -> None:
    env = pettingzoo.make("aec", "othello_env/othello-v0", size=6)
    assert isinstance(env, othello_v0.OthelloAEC)
    env.reset()
    assert env.position.size == 6


@pytest.mark.parametrize("opponent", ["ntuple", "alphabeta:eval=iago"])
def test_an_opponent_that_does_not_play_the_game_is_told_when_the_environment_is_made(opponent: str) -> None:
    with pytest.raises(WrongGameError, match="size 4"):
        gymnasium.make("othello_env/Othello-v0", opponent=opponent, size=4)
    with pytest.raises(WrongGameError, match="size 4"):
        gymnasium.make_vec("othello_env/Othello-v0", num_envs=2, opponent={"random": 1, opponent: 1}, size=4)
    with pytest.raises(WrongGameError, match=r"not (for )?Checkers"):
        gymnasium.make("othello_env/Checkers-v0", opponent=opponent)
    env = gymnasium.make_vec("othello_env/Othello-v0", num_envs=2, opponent="random", size=4)
    with pytest.raises(WrongGameError, match="size 4"):
        env.unwrapped.set_opponents(opponent)
    env.reset(seed=1)
