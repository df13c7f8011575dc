"""Environments in other processes, and the two ways in which people make such processes."""

import multiprocessing
import os
import subprocess
import sys

import pytest

from othello_env import Othello, make_agent, make_env

PROGRAM = """
import sys
import gymnasium
import numpy as np
import othello_env

def make():
    return gymnasium.make("othello_env/Othello-v0", opponent="alphabeta:depth=1")

def play(envs):
    rng = np.random.default_rng(1)
    observations, _ = envs.reset(seed=5)
    for _ in range(40):
        yield observations
        actions = othello_env.sample_legal(observations["action_mask"], rng)
        observations, rewards, *_ = envs.step(actions)
        yield rewards
    envs.close()

if __name__ == "__main__":
    others = play(gymnasium.vector.AsyncVectorEnv([make, make], context=sys.argv[1]))
    for _ in range(3):  # the other processes compile or load the kernels that this one has not used yet
        next(others)
    here = [*play(gymnasium.vector.SyncVectorEnv([make, make]))][3:]
    np.testing.assert_equal([*others], here)
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_environments_in_other_processes_play_the_same_games(tmp_path, method):
    program = tmp_path / "play.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, program, method], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def told_by_forks(tell):
    """What each of two forked processes tells."""
    told = []
    for _ in range(2):
        reader, writer = os.pipe()
        if os.fork() == 0:
            try:
                os.write(writer, str(tell()).encode())
            finally:
                os._exit(0)
        os.close(writer)
        told.append(os.read(reader, 1 << 16))
    assert all(told)
    return told


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_what_has_no_seed_and_was_not_used_before_a_fork_differs_in_each_process():
    env, agent = make_env(openings="random:20"), make_agent("random")

    def position():
        env.reset()
        return env.position.to_text()

    def moves():
        state = Othello()
        while not state.is_over:
            state = state.play(agent.act(state))
        return state.moves

    for tell in (position, moves):
        one, other = told_by_forks(tell)
        assert one != other
