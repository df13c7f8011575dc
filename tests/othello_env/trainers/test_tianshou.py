"""Tianshou's DQN really trains on the PettingZoo environment and plays only legal moves."""

import pytest

tianshou = pytest.importorskip("tianshou", reason="this trainer is an optional package")

from othello_env import Othello  # noqa: E402
from othello_env.arena.match import play_match  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # its own


def test_it_learns_to_play_black(recipe, tmp_path):
    module = recipe("train_tianshou")
    learner = module.Learner(size=4, strict=True)  # an illegal action would raise
    before = learner.score()
    learner.train(epochs=4)
    after = learner.score()
    assert after > before + 0.05
    assert after > 0.55
    module.torch.save(learner.policy.model.state_dict(), tmp_path / "kept.pt")
    kept = module.load(tmp_path / "kept.pt", size=4)
    assert not play_match(kept, "random", games=20, openings="random:2", new_game=lambda _: Othello(4)).faults(0)
