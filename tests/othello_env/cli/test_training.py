"""Training as the command does it."""

import pytest

from othello_agents.ntuple import Trainer
from othello_env.cli import _training


@pytest.mark.parametrize("interrupted_score", [1, 2])
def test_an_interrupt_while_the_learner_is_measured_keeps_what_was_learned(monkeypatch, interrupted_score):
    scores = iter(range(1, 10))

    def score(_):
        if next(scores) == interrupted_score:
            raise KeyboardInterrupt
        return 0.5

    monkeypatch.setattr(_training, "_score", score)
    trainer, kept = Trainer(4, seed=1), []
    curve, interrupted = _training.train(
        trainer, seconds=None, games=200, keep=lambda: kept.append(trainer.games), every=1e9
    )
    assert interrupted
    assert kept[-1] == trainer.games == (0 if interrupted_score == 1 else 200)
    assert len(curve) == interrupted_score - 1
