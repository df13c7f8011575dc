"""TorchRL's PPO really trains on the vector environment and plays only legal moves."""

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own, on import
    torchrl = pytest.importorskip("torchrl", reason="this trainer is an optional extra")

import numpy as np
import torch
from torchrl.envs import PettingZooWrapper

from othello_env import Othello, othello_v0

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")


def test_its_wrapper_plays_the_pettingzoo_environment_by_its_masks():
    env = PettingZooWrapper(othello_v0.env(size=4), use_mask=True, categorical_actions=True)
    env.set_seed(1)
    played = env.rollout(100, break_when_any_done=False)  # random actions
    turns, ended = [], 0
    for player in ("black", "white"):
        data, after = played[f"{player}_0"], played["next", f"{player}_0"]
        turn = data["mask"].flatten()
        legal = data["action_mask"].flatten(1).gather(1, data["action"].reshape(-1, 1)).flatten()
        assert bool(legal[turn].all())
        turns.append(turn)
        over = after["done"].flatten()
        ended += int(over.sum())
        assert bool((after["reward"].flatten()[over].abs() <= 1).all())
    assert bool((turns[0] ^ turns[1]).all())  # one player at a time
    assert ended > 4  # several games


@pytest.fixture(scope="module")
def recipe_of_torchrl(recipe):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return recipe("train_torchrl")


def test_it_learns_and_resets_what_has_ended(recipe_of_torchrl, tmp_path):
    torch.manual_seed(1)
    env = recipe_of_torchrl.make_env(32, size=4, strict=True)  # an illegal action would raise
    env.set_seed(1)
    learner = recipe_of_torchrl.Learner(env, size=4)
    before = learner.score("random")
    for _ in range(12):
        played = learner.iterate()
        legal = played["action_mask"].gather(-1, played["action"].unsqueeze(-1))
        assert bool(legal.all())
        over = played["next", "done"]
        assert not bool(played["next", "action_mask"][over.squeeze(-1)].any())
        assert int(over.sum()) > 32  # games go on after the first ones have ended
        assert not bool(played["next", "reward"][~over].any())
    after = learner.score("random")
    assert after > before + 0.05
    assert after > 0.6
    torch.save(learner.scores.state_dict(), tmp_path / "kept.pt")
    kept = recipe_of_torchrl.load(tmp_path / "kept.pt", size=4)
    start = Othello(4)
    seen = np.array([start.observation(0)]), np.array([start.action_mask()])
    assert kept(*seen) == recipe_of_torchrl.as_policy(learner.scores)(*seen)
