"""The start on 4x4, its first legal action, and random steps, for several tests of the vector environment."""

import copy

import numpy as np

from othello_env import Othello, sample_legal

START = Othello(4)
FIRST = START.legal_actions()[0]


def play(env, steps, seed=0, actions_seed=0):
    """Copies of all values that `steps` random steps return."""
    rng = np.random.default_rng(actions_seed)
    observation, info = env.reset(seed=seed)
    told = []
    for _ in range(steps):
        actions = sample_legal(observation["action_mask"], rng)
        observation, rewards, terminated, _, info = env.step(actions)
        moves = [env.final_position(i).moves for i in np.flatnonzero(terminated)]
        told.append(copy.deepcopy((observation, rewards, terminated, dict(info), moves)))
    return told
