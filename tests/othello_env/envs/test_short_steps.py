"""A single step stays short: how many functions of this package it calls, in how many files."""

import sys
from pathlib import Path

import pytest

import othello_agents
import othello_env
from othello_env import othello_v0
from othello_env.envs.othello import OthelloEnv, OthelloVectorEnv
from othello_env.support.jit import is_compiled

HOMES = tuple(str(Path(package.__file__).parent) for package in (othello_env, othello_agents))

pytestmark = pytest.mark.skipif(not is_compiled(), reason="as plain Python, kernels call many functions")


def own_calls(call):
    """The (file, function) of each call of a function of this package, kernels included."""
    seen = []

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(HOMES):
            seen.append((frame.f_code.co_filename, frame.f_code.co_name))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def test_a_step_against_alphabeta():
    env = OthelloEnv(opponent="alphabeta:depth=2,eval=weighted", side="black")
    env.reset(seed=1)
    for _ in range(3):
        env.step(env.position.legal_actions()[0])
    action = env.position.legal_actions()[0]
    calls = own_calls(lambda: env.step(action))
    assert [name for _, name in calls].count("play") >= 3, "the learner's move, the opponent's turn and its move"
    assert len(calls) <= 21, calls
    assert len({file for file, _ in calls}) <= 8, calls


def test_a_step_of_pettingzoo():
    env = othello_v0.env()
    env.reset(seed=1)
    action = env.position.legal_actions()[0]
    calls = own_calls(lambda: env.step(action))
    assert len(env.position.moves) == 1
    assert len(calls) <= 10, calls
    assert len({file for file, _ in calls}) <= 5, calls
    calls = own_calls(env.last)
    assert len(calls) <= 6, calls


@pytest.mark.parametrize(
    ("opponent", "most_calls", "most_files"), [(None, 12, 5), ("random", 50, 12), ("alphabeta:depth=2", 50, 12)]
)
def test_a_step_of_a_batch(opponent, most_calls, most_files):
    env = OthelloVectorEnv(16, opponent=opponent, copy=False)
    observation, _ = env.reset(seed=1)
    for _ in range(2):
        actions = observation["action_mask"].argmax(axis=1)
        calls = own_calls(lambda actions=actions: env.step(actions))
    assert len(calls) <= most_calls, calls
    assert len({file for file, _ in calls}) <= most_files, calls
