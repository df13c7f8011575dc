"""RLlib's PPO really trains on the PettingZoo environment and plays only legal moves."""

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the warnings of Ray's import
    rllib = pytest.importorskip("ray.rllib", reason="this trainer is an optional package")

import ray
import torch

from othello_env.arena.match import play_match

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own warnings


@pytest.fixture(scope="module")
def recipe_of_rllib(recipe):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        ray.init("local", include_dashboard=False, log_to_driver=False, num_cpus=1)
        yield recipe("rllib")
        ray.shutdown()


def match(policy):
    return play_match(policy, "random", games=400, openings="random:2", seed=1, game="othello:size=4")


def test_it_learns_and_keeps_what_it_learned(recipe_of_rllib, tmp_path):
    algorithm = recipe_of_rllib.make_algorithm(seed=1, steps=1000, size=4, strict=True)  # illegal actions raise errors
    before = match(recipe_of_rllib.as_policy(algorithm.get_module("both")))
    for _ in range(8):
        algorithm.train()
    after = match(recipe_of_rllib.as_policy(algorithm.get_module("both")))
    assert not before.faults(0)
    assert not after.faults(0)
    assert after.score > before.score + 0.05
    assert after.score > 0.6
    algorithm.save_to_path(tmp_path / "kept")
    algorithm.stop()
    assert match(recipe_of_rllib.load(tmp_path / "kept")).records == after.records
