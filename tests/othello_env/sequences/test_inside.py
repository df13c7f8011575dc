"""Probes and interventions, with models whose layers have the board itself, a part of it, or nothing."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from othello_env import Othello
from othello_env.data import from_tokens
from othello_env.games.othello.tokens import VOCABULARIES, vocabulary_of
from othello_env.sequences import (
    SequenceStream,
    draw_cases,
    fit_probe,
    measure_interventions,
    measure_probes,
    sequences,
)

SMALL = "othello:size=4"


def boards(rows, vocabulary="othello-gpt", field="relative"):
    """The labels after each of the tokens (N, K)."""
    found = sequences(from_tokens(rows, vocabulary, SMALL), vocabulary, boards=True)
    return vars(found)[field][:, : rows.shape[1]]


class Board:
    """A model whose layers have nothing, and the board as a one of three numbers for each square and some noise."""

    def __init__(self, vocabulary="othello-gpt"):
        self.vocabulary = vocabulary

    def layers(self, rows):
        rng = np.random.default_rng(1)
        labels = boards(rows, self.vocabulary)
        hot = (labels[..., None] == np.arange(3)).reshape(*rows.shape, -1)
        return [rng.normal(size=(*rows.shape, 5)), hot + 0.01 * rng.normal(size=hot.shape)]


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_a_probe_finds_the_board_where_it_is(vocabulary):
    model = Board(vocabulary)
    report = measure_probes(model, model, games=90, game=SMALL, vocabulary=vocabulary)
    nothing, board = report.probes["mine and yours"]
    assert board.accuracy.value == board.boards.value == 1
    assert board.accuracy.numbers == 30
    assert (board.squares == 1).all()
    assert nothing.accuracy.value < nothing.majority.value + 0.02
    assert nothing.boards.value < 0.1
    # "Black and white" is not a linear function of "mine and yours": whose turn it is multiplies.
    assert report.probes["black and white"][1].accuracy.value < 0.95
    assert [row["layer"] for row in report.rows()] == [0, 1, 0, 1]
    assert report.rows()[1]["untrained"] == report.rows()[1]["accuracy"]
    assert str(report).count("\n") == 6
    assert report.picture().startswith(b"\x89PNG")


def test_the_numbers_of_a_probe_are_those_of_a_slow_count():
    """A third of the games is held out. The majority is counted by ply and square in the other games alone."""
    rng = np.random.default_rng(2)
    labels = SequenceStream(30, game=SMALL, boards=True, seed=5).batch(0).board.copy()
    labels[25, 7:] = -1  # a game that ends early
    x = rng.normal(size=(*labels.shape[:2], 3)) + labels[..., :3]
    probe = fit_probe(x, labels)
    right, whole, usual, by_square = [], [], [], []
    for game in range(20, 30):
        places = np.flatnonzero(labels[game, :, 0] >= 0)
        answers = [probe.read(x[game, place]) == labels[game, place] for place in places]
        right.append(np.mean(answers))
        by_square += answers
        whole.append(np.mean([each.all() for each in answers]))
        majority = [
            [np.bincount(labels[:20, place, square][labels[:20, place, square] >= 0]).argmax() for square in range(16)]
            for place in places
        ]
        usual.append(np.mean(labels[game, places] == majority))
    assert probe.accuracy.value == pytest.approx(np.mean(right))
    assert probe.boards.value == pytest.approx(np.mean(whole))
    assert probe.squares == pytest.approx(np.mean(by_square, axis=0))
    assert probe.majority.value == pytest.approx(np.mean(usual))
    drawn = bootstrap((usual,), np.mean, rng=np.random.default_rng(1)).confidence_interval
    assert probe.majority[1:3] == pytest.approx(drawn, abs=0.2 * (drawn.high - drawn.low))
    np.testing.assert_array_equal(fit_probe(x[:21], labels[:21]).weights.shape, (4, 16, 3))
    assert not np.array_equal(fit_probe(x[:21], labels[:21]).weights, probe.weights)


def test_a_probe_is_not_fitted_to_the_games_that_test_it():
    """The labels are noise, and there are enough numbers to remember those of all games."""
    rng = np.random.default_rng(3)
    assert fit_probe(rng.normal(size=(30, 10, 400)), rng.integers(3, size=(30, 10, 4))).accuracy.value < 0.45


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("game", [SMALL, "othello"])
def test_cases_are_positions_with_a_turned_disc(game, vocabulary):
    cases = draw_cases(60, game=game, vocabulary=vocabulary, seed=4)
    size = 4 if game == SMALL else 8
    words = vocabulary_of(vocabulary, size)
    assert len(cases) == 60
    assert len(set(np.count_nonzero(cases.tokens, axis=1).tolist())) > 3
    assert 5 < cases.mine.sum() < 55
    for k in range(60):
        state = Othello(size).play_transcript([int(words.actions[t]) for t in cases.tokens[k] if t])
        action = int(words.squares[cases.square[k]])
        cells = list(state.to_text())
        assert cells[action] == "XO"[state.to_move if cases.mine[k] else 1 - state.to_move]
        cells[action] = {"X": "O", "O": "X"}[cells[action]]
        turned = Othello.from_text("".join(cells), state.player_names[state.to_move])
        for legal, position in ((cases.before[k], state), (cases.after[k], turned)):
            assert {int(words.actions[t]) for t in np.flatnonzero(legal)} == set(position.legal_actions())
        assert (cases.before[k] != cases.after[k]).any()
        assert not state.must_pass
    again, others = (draw_cases(60, game=game, vocabulary=vocabulary, seed=seed) for seed in (4, 5))
    np.testing.assert_array_equal(again.square, cases.square)
    assert not np.array_equal(others.tokens, cases.tokens)


def test_interventions_turn_the_moves_of_a_model_that_uses_its_board_and_of_no_other():
    torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")
    words = vocabulary_of("othello-gpt", 4)

    class Layer(torch.nn.Module):
        def forward(self, rows):
            relative, board = (boards(rows.numpy(), field=field) for field in ("relative", "board"))
            turn = (relative == board)[..., :1] & (relative[..., :1] >= 0)
            hot = (relative[..., None] == np.arange(3)).reshape(*rows.shape, -1)
            return torch.from_numpy(np.concatenate([hot, turn], axis=2)).float()

    class Model(torch.nn.Module):
        """Its legal moves are those of the board in its layer, or those by the tokens."""

        def __init__(self, uses):
            super().__init__()
            self.layer, self.uses = Layer(), uses

        def layers(self, rows):
            return [self.layer(rows)]

        def forward(self, rows):
            x = self.layer(rows).double().numpy()
            if not self.uses:
                x = Layer()(rows).numpy()
            logits = np.zeros((*rows.shape, words.count), np.float32)
            for place in np.ndindex(*rows.shape):
                cells = ["XXX"] * 16
                for k, square in enumerate(words.squares.tolist()):
                    cells[square] = "X-O"[x[place][3 * k : 3 * k + 3].argmax()]
                board = Othello.from_text("".join(cells), "black")  # mine are black
                logits[(*place, words.tokens[[a for a in board.legal_actions() if a < 16]])] = 1
            return torch.from_numpy(logits)

    cases = draw_cases(40, game=SMALL, seed=1)
    for uses in (True, False):
        model = Model(uses)
        (probe,) = measure_probes(model, games=60, game=SMALL).probes["mine and yours"]
        assert probe.accuracy.value == 1
        found = measure_interventions(model, [(model.layer, probe)], cases)
        assert found.none.mean > 1
        assert found.none.values == measure_interventions(model, [(model.layer, probe)], cases, seed=2).none.values
        if uses:
            assert found.probe.mean < 0.25 * found.none.mean
            assert found.random.mean > 0.5 * found.none.mean
            assert str(found).startswith("no change ")
            still = measure_interventions(model, [(model.layer, probe)], cases, scale=0)
            assert still.none == still.random == still.probe == found.none
        else:
            assert found.none == found.random == found.probe
    assert not model.layer._forward_hooks
