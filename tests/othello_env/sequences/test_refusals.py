"""What the calls of this room refuse: a row is a call and the words of its ValueError."""

from types import SimpleNamespace

import numpy as np
import pytest

from othello_env.sequences import (
    SequenceStream,
    alpha_scores,
    draw_cases,
    fit_probe,
    legal_tokens,
    measure_interventions,
    measure_probes,
    measure_sequences,
)

SMALL = "othello:size=4"


def alike(count):
    return lambda rows: np.zeros((*rows.shape, count), np.float32)


def unknown(rows):
    return alike(13)(rows) * np.nan


X, Y = np.zeros((3, 2, 4)), np.zeros((3, 2, 16), int)
WRONG = SimpleNamespace(layers=lambda rows: [np.zeros((*rows.shape, 3))[:, :-1]])
REFUSED = [
    (lambda: SequenceStream(0), "batch_size"),
    (lambda: SequenceStream(vocabulary="gpt"), "vocabulary must be one of 'othello-gpt', 'metaothello', not 'gpt'"),
    (lambda: SequenceStream(game="checkers"), "are for games of othello and its variants, not of checkers"),
    (lambda: legal_tokens([[61, 0]]), "tokens must be 0 to 60, not 0 to 61"),
    (
        lambda: measure_sequences(alike(61), games=10, pairs=0, game=SMALL),
        r"the model must return logits \(10, 11, 13\), not an array of shape \(10",
    ),
    (lambda: measure_sequences(unknown, games=10, pairs=0, game=SMALL), "the model's logits have NaN"),
    (lambda: measure_sequences(alike(13), depth=0, game=SMALL), "depth"),
    (lambda: measure_sequences(alike(13), depth=9, game=SMALL), "depth"),
    (
        lambda: alpha_scores(alike(66), [[1]], games=("othello", SMALL)),
        "boards of one size, got othello, othello:size=4",
    ),
    (lambda: fit_probe(X[:2], Y[:2]), "at least 3 games"),
    (lambda: fit_probe(X, Y[:, :1]), r"got \(3, 2, 4\) and \(3, 1, 16\)"),
    (lambda: fit_probe(X[0], Y), "expected activations"),
    (lambda: fit_probe(X * np.nan, Y), "must be finite"),
    (lambda: measure_probes(WRONG, games=3, game=SMALL), "layer 0 must be finite numbers"),
    (lambda: measure_interventions(alike(13), [], draw_cases(1, game=SMALL)), "at least one layer"),
    (lambda: measure_interventions(alike(13), [], draw_cases(1, game=SMALL), scale=-1), "scale"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_a_wrong_call_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
