"""RLlib's PPO really trains on the PettingZoo environment and plays only legal moves."""

import warnings

import pytest
from snippets import run_snippet

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the warnings of Ray's import
    pytest.importorskip("ray.rllib", reason="this trainer is an optional package")

import ray
import torch

from othello_env.arena.match import play_match

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own warnings


def test_it_learns_to_play_both_sides():
    torch.set_num_threads(1)
    ray.init("local", include_dashboard=False, log_to_driver=False, num_cpus=1)
    scores = []
    for iterations in ("0", "8"):  # the environment is strict: an illegal action raises an error
        best = run_snippet("how-to/trainers.md", "RLlib", board_size="4", iterations=iterations, steps="1000")["best"]
        match = play_match(best, "random", games=400, openings="random:2", seed=1, game="othello:size=4")
        assert not match.faults(0)
        scores.append(match.score)
    ray.shutdown()
    before, after = scores
    assert after > before + 0.05
    assert after > 0.6
