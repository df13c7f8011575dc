"""AgileRL's PPO really trains on the vector environment, its agents evolve, and they play only legal moves."""

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the warnings of AgileRL's import
    agilerl = pytest.importorskip("agilerl", reason="this trainer is an optional package")

import torch

from othello_env import Othello, make_vec_env
from othello_env.arena.match import play_match

pytestmark = pytest.mark.filterwarnings("ignore")  # AgileRL's own warnings


@pytest.fixture(scope="module")
def recipe_of_agilerl(recipe):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        return recipe("agilerl_ppo")


def match(agilerl, agent):
    torch.manual_seed(1)
    return play_match(
        agilerl.as_policy(agent), "random", games=1000, openings="random:2", seed=1, new_game=lambda _: Othello(4)
    )


def test_it_learns_evolves_and_keeps_the_best(recipe_of_agilerl, tmp_path):
    env = make_vec_env(64, size=4, opponent="random", strict=True)  # strict: an illegal action raises an error
    population = recipe_of_agilerl.make_population(env, count=2, seed=1)
    before = match(recipe_of_agilerl, population[0])
    best = recipe_of_agilerl.train(env, population, steps=60_000, seed=1, out=tmp_path / "best.pt")
    after = match(recipe_of_agilerl, best)
    assert not before.faults(0)
    assert not after.faults(0)
    assert after.score > before.score + 0.05
    assert after.score > 0.6
    kept = recipe_of_agilerl.PPO.load(tmp_path / "best.pt")
    assert match(recipe_of_agilerl, kept).records == after.records
