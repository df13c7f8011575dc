"""Tianshou's DQN really trains on the PettingZoo environment and plays only legal moves."""

import pytest

tianshou = pytest.importorskip("tianshou", reason="this trainer is an optional package")

pytestmark = pytest.mark.filterwarnings("ignore")  # its own


def test_it_learns_to_play_black(recipe):
    learner = recipe("train_tianshou").Learner(size=4, strict=True)  # an illegal action would raise
    before = learner.score()
    learner.train(epochs=4)
    after = learner.score()
    assert after > before + 0.05
    assert after > 0.55
