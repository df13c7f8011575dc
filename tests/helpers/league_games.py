"""A policy, a loop of games with a league, and the settings of its matches, for several tests of leagues."""

import numpy as np

from othello_env import sample_legal

MATCHES = {"game": "othello:size=4", "openings": "random:2"}


def first(observations, masks):
    return masks.argmax(axis=1)


def play(league, envs, rng, steps, every=8):
    """Play with random actions. Returns {name of an opponent: the learner's results against it}."""
    seen = {}
    observation, _ = envs.reset(seed=int(rng.integers(1000)))
    begun = np.ones(envs.num_envs, bool)
    for step in range(steps):
        if step % every == 0:
            envs.unwrapped.set_opponents(league.opponents(3))
        observation, rewards, terminated, _, info = envs.step(sample_legal(observation["action_mask"], rng))
        within = "final_info" in info
        for i in np.flatnonzero(terminated & begun):
            number = info["final_info"]["opponent"][i] if within else info["opponent"][i]
            seen.setdefault(envs.unwrapped.opponents[number], []).append((rewards[i] + 1) / 2)
        league.record(envs, rewards, terminated, info)
        if envs.unwrapped.autoreset_mode.value == "Disabled" and terminated.any():
            observation, _ = envs.reset(options={"reset_mask": terminated})
    return seen
