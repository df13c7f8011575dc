"""AgileRL's PPO really trains on the vector environment and plays only legal moves."""

import warnings

import pytest
from snippets import run_snippet

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the warnings of AgileRL's import
    pytest.importorskip("agilerl", reason="this trainer is an optional package")

import torch

from othello_env.arena.match import play_match

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # AgileRL's own warnings
    pytest.mark.usefixtures("one_thread"),
]


def test_it_learns():
    changes = {"board_size": "4", "max_steps": "60_000", "evo_steps": "30_000"}
    best = run_snippet("how-to/trainers.md", "AgileRL", **changes)["best"]
    torch.manual_seed(1)
    match = play_match(best, "random", games=1000, openings="random:2", seed=1, game="othello:size=4")
    assert not match.faults(0)
    assert match.score > 0.6
