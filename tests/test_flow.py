"""How many files of the package a step, a match and a command go through.

A reader who follows one of them opens that many. A change that adds a file to the way has to raise a bound here.
"""

import sys
from pathlib import Path

import gymnasium
import pytest

import othello_agents
import othello_env
from othello_env import play_match
from othello_env.cli import main
from othello_env.support.jit import is_compiled

ROOTS = tuple(str(Path(str(package.__file__)).parent) for package in (othello_env, othello_agents))


def counted(work):
    """The number of files of the package whose functions are called while `work` runs."""
    files = set()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(ROOTS):
            files.add(frame.f_code.co_filename)

    work()  # what is compiled, imported or cached at the first call does not count
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(files)


def step_of(env):
    """A function that plays the first legal action in each game of an environment."""
    mask = env.reset(seed=1)[0]["action_mask"]

    def step():
        nonlocal mask
        mask = env.step(mask.argmax(axis=-1))[0]["action_mask"]

    return step


def match_command():
    with pytest.raises(SystemExit):
        main(["match", "random", OPPONENT, "--games", "2"])


ID, OPPONENT = "othello_env/Othello-v0", "alphabeta:depth=1"
WORKS = {
    "single step against alpha-beta": lambda: step_of(gymnasium.make(ID, opponent=OPPONENT).unwrapped),
    "vector step of self-play": lambda: step_of(gymnasium.make_vec(ID, num_envs=8, opponent=None)),
    "vector step against alpha-beta": lambda: step_of(gymnasium.make_vec(ID, num_envs=8, opponent=OPPONENT)),
    "play_match": lambda: lambda: play_match("random", OPPONENT, games=2),
    "othello-env match": lambda: match_command,
}
BOUNDS = {
    "single step against alpha-beta": 7,
    "vector step of self-play": 5,
    "vector step against alpha-beta": 9,
    "play_match": 25,
    "othello-env match": 32,
}


@pytest.mark.skipif(not is_compiled(), reason="without compiled code, every kernel calls functions")
@pytest.mark.parametrize("name", BOUNDS)
def test_the_path_is_short(name):
    assert counted(WORKS[name]()) <= BOUNDS[name]
