"""The loop of a training: Ctrl-C keeps what was learned."""

import pytest

from othello_agents.training import Trainer, train


def trained(trainer, score, **limits):
    """The curve, whether Ctrl-C ended the training, the numbers of games that were kept, and what was shown."""
    kept, shown = [], []
    curve, interrupted = train(
        trainer,
        **{"seconds": None, "games": None} | limits,
        keep=lambda: kept.append(trainer.games),
        every=1e9,
        score=score,
        show=lambda _, *progress: shown.append(progress),
    )
    return curve, interrupted, kept, shown


@pytest.mark.parametrize("interrupted_score", [1, 2])
def test_an_interrupt_while_the_learner_is_measured_keeps_what_was_learned(interrupted_score):
    scores = iter(range(1, 10))

    def score(_):
        if next(scores) == interrupted_score:
            raise KeyboardInterrupt
        return "random", 0.5

    trainer = Trainer(4, seed=1)
    curve, interrupted, kept, _ = trained(trainer, score, games=200)
    assert interrupted
    assert kept[-1] == trainer.games == (0 if interrupted_score == 1 else 200)
    assert len(curve) == interrupted_score - 1


def test_an_interrupt_of_the_training_keeps_what_was_learned_and_measures_it(monkeypatch):
    run = Trainer.run

    def interrupted_run(trainer, **_):
        run(trainer, games=16)
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "run", interrupted_run)
    curve, interrupted, kept, shown = trained(
        Trainer(4, seed=1), lambda found: ("random", found.games / 100), seconds=60
    )
    assert interrupted
    assert kept[0] == 0
    assert kept[-1] == 16
    assert [score for _, score in curve] == [0, 0.16]
    assert shown == [(0, 0, 0.0)]
