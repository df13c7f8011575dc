"""The metrics of sequence models: perfect, random and broken models, and a count of all suffixes on 4x4."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
from scipy.stats import bootstrap

from othello_env import Othello
from othello_env.games.othello.tokens import VOCABULARIES
from othello_env.sequences import SequenceStream, alpha_scores, legal_tokens, measure_sequences
from othello_env.sequences.metrics import _boundaries, _pairs

RULES = "othello:size=4"


def perfect(vocabulary="othello-gpt", game="othello"):
    """A model that finds all legal tokens equally likely."""
    return lambda rows: np.where(legal_tokens(rows, vocabulary, game), 0.0, -np.inf)


def uniform(count):
    return lambda rows: np.zeros((*rows.shape, count), np.float32)


def forgetful(rows):
    """A model whose logits depend only on the last token, and on nothing else."""
    numbers = np.random.default_rng(3).normal(size=(13, 13)) * 4
    return numbers[rows]


def partly(rows):
    """A model that depends on the last two tokens and knows a part of the rules."""
    legal = legal_tokens(rows, "othello-gpt", RULES)
    before = np.pad(rows, ((0, 0), (1, 0)))[:, :-1]
    noise = np.random.default_rng(4).normal(size=(13, 13, 13)) * 3
    return noise[before, rows] + 2.0 * legal


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_a_perfect_model(vocabulary):
    report = measure_sequences(perfect(vocabulary), games=30, pairs=30, vocabulary=vocabulary, seed=1)
    assert report.error.value == 0
    assert report.legal_mass.value == pytest.approx(1)
    assert report.compression.value == report.precision.value == report.recall.value == 1
    assert report.compression.numbers == 30
    assert len(report.errors) == len(report.legal_masses) == 59
    assert report.error.low == 0 < report.error.high < 0.2
    assert report.errors[3].numbers == 30


def test_a_model_that_finds_all_tokens_equally_likely():
    report = measure_sequences(uniform(61), games=50, pairs=30, seed=2)
    stream = SequenceStream(50, seed=2 + 2**62, legal=True)
    legal = stream.batch(0).legal[:, :-1]
    known = legal.any(axis=2)
    shares = [legal[i][known[i]].mean() for i in range(50)]
    assert report.legal_mass.value == pytest.approx(np.mean(shares), rel=1e-5)
    assert report.error.value == 1  # the likeliest token is the first of all, which is no move
    assert report.compression.value == 1  # it accepts everything, so it has no boundary
    assert np.isnan(report.precision.value)
    assert report.precision.numbers == 0
    assert report.recall.value == 0
    assert report.row()["precision"] is None


@pytest.mark.parametrize("model", [forgetful, partly])
def test_the_unit_of_an_interval_is_the_game(model):
    """The tokens of a game count together. The bootstrap draws whole games."""
    games = 300
    report = measure_sequences(model, games=games, pairs=0, game=RULES, seed=8)
    batch = SequenceStream(games, seed=8 + 2**62, game=RULES, legal=True).batch(0)
    legal, logits = batch.legal[:, :-1], model(batch.tokens[:, :-1])
    weights = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    known = legal.any(axis=2)
    right = np.take_along_axis(legal, logits.argmax(axis=2)[..., None], axis=2)[..., 0]
    for share, values in ((report.error, ~right), (report.legal_mass, (weights * legal).sum(axis=2))):
        by_game = (values * known).sum(axis=1) / known.sum(axis=1)
        drawn = bootstrap((by_game,), np.mean, rng=np.random.default_rng(1)).confidence_interval
        assert share.value == pytest.approx(by_game.mean(), rel=1e-5)
        assert share[1:3] == pytest.approx(drawn, abs=0.06 * (drawn.high - drawn.low))
    for k in range(11):
        for share, values in ((report.errors[k], ~right), (report.legal_masses[k], (weights * legal).sum(axis=2))):
            mean = values[known[:, k], k].mean()
            assert share.value == pytest.approx(mean, rel=1e-5)
            assert share.low <= mean <= share.high
    assert np.isnan(report.compression.value)
    assert report.legal_masses[5].high - report.legal_masses[5].low < 0.1
    one = measure_sequences(model, games=1, pairs=0, game=RULES, seed=8)
    assert one.legal_mass.high - one.legal_mass.low > 0.5  # a single game does not tell how others vary


def all_suffixes(accepts, begin, depth):
    """All suffixes of 1 to `depth` tokens that are accepted after a sequence, one call for each token."""
    found, nodes = set(), [()]
    for _ in range(depth):
        nodes = [(*node, token) for node in nodes for token in range(1, 13) if accepts((*begin, *node), token)]
        found.update(nodes)
    return found


def boundary(one, two):
    """The shortest suffixes of one set that are not in the other set."""
    return {suffix for suffix in one - two if all(suffix[:k] in two for k in range(1, len(suffix)))}


def by_model(model, threshold):
    @cache
    def probabilities(sequence):
        logits = np.asarray(model(np.array([sequence]))[0, -1], float)
        return np.exp(logits) / max(np.exp(logits).sum(), 1e-300)

    return lambda sequence, token: probabilities(sequence)[token] > threshold


@pytest.mark.parametrize("model", [forgetful, partly])
def test_boundaries_are_those_of_all_suffixes(model):
    stream = SequenceStream(64, seed=5, game=RULES)
    same, different = _pairs(stream, 6, depth=3)
    accepts, by_rules = by_model(model, 0.05), by_model(perfect(game=RULES), 0)
    for pairs in (same, different):
        found, some = _boundaries(model, stream, pairs, 3, 0.05).T.tolist(), 0
        for k, (first, second) in enumerate(pairs.transpose(1, 0, 2)):
            sides = [tuple(side[side > 0].tolist()) for side in (first, second)]
            told = [all_suffixes(accepts, side, 3) for side in sides]
            true = [all_suffixes(by_rules, side, 3) for side in sides]
            own, right = boundary(*told), boundary(*true)
            assert found[k] == [
                len(own),
                len({each for each in own if each in true[0] and each not in true[1]}),
                len(right),
                len({each for each in right if each in told[0] and each not in told[1]}),
            ]
            some += len(own) * len(right)
            assert (len(right) == 0) or pairs is different
        assert some or pairs is same


@pytest.mark.parametrize("game", ["othello", RULES])
def test_pairs_lead_to_the_same_position_or_to_different_ones(game):
    stream = SequenceStream(256, seed=6, game=game)
    words = stream.vocabulary
    same, different = _pairs(stream, 100, depth=2)
    for pairs, equal in ((same, True), (different, False)):
        assert pairs.shape == (2, 100, words.length)
        for first, second in pairs.transpose(1, 0, 2):
            assert first.tolist() != second.tolist()
            one, two = (
                Othello(words.size).play_transcript([int(words.actions[token]) for token in side if token])
                for side in (first, second)
            )
            assert (one == two) == equal
            assert (first > 0).sum() == (second > 0).sum() >= 4
    if game == "othello":  # a game gives one pair, so that the pairs are independent; on 4x4, games are alike
        assert len({tuple(row) for row in same[0].tolist()}) == 100
    lengths = (same[0] > 0).sum(axis=1)
    assert lengths.max() > words.length // 2  # not only near the start


def test_models_of_other_libraries():
    torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")
    numbers = np.random.default_rng(3).normal(size=(13, 13)).astype(np.float32)

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding.from_pretrained(torch.from_numpy(numbers), freeze=False)
            self.drop = torch.nn.Dropout(0.5)

        def forward(self, rows):
            return self.drop(self.table(rows)), None  # minGPT returns a loss, too

    kinds = {
        "numpy": lambda rows: numbers[rows],
        "module": Module(),
        "tensors": lambda rows: torch.from_numpy(numbers).requires_grad_()[torch.from_numpy(rows)],
    }
    if find_spec("jax"):
        kinds["jax"] = lambda rows: import_module("jax.numpy").asarray(numbers)[rows]
    reports = {
        name: measure_sequences(model, games=10, pairs=5, game=RULES, seed=1).row() for name, model in kinds.items()
    }
    assert all(report == reports["numpy"] for report in reports.values())
    assert kinds["module"].training


def perfect_answers(row, starts):
    """What MetaOthello's perfect model answers after each token of a sequence: a dict by token."""
    states, chances, answers = list(starts), [1.0] * len(starts), []
    for token in row:
        for i, state in enumerate(states):
            legal = [] if state is None else [action + 1 for action in state.legal_actions()]
            chances[i] *= (token in legal) / max(len(legal), 1)
            states[i] = state.play(token - 1) if token in legal else None
        going = [i for i, state in enumerate(states) if state is not None and not state.is_over]
        total, answer = sum(chances[i] for i in going), {}
        for i in going:
            legal = states[i].legal_actions()
            for action in legal:
                answer[action + 1] = answer.get(action + 1, 0) + chances[i] / total / len(legal)
        answers.append(answer)
    return answers


def test_the_alpha_scores_of_two_worlds(nomidflip):
    """By the definition, token by token, for random logits; 1 for the perfect model, 0 for the uniform one."""
    games = ("othello", "nomidflip")
    rows = np.concatenate(
        [SequenceStream(4, game=game, vocabulary="metaothello", seed=2).batch(0).tokens for game in games]
    )
    answers = [perfect_answers(row[row > 0], (Othello(), nomidflip())) for row in rows]
    logits = np.random.default_rng(5).normal(size=(66, 66)) * 2
    found = alpha_scores(lambda tokens: logits[tokens], rows, games=games)
    assert found.shape == rows.shape
    scores = 0
    for row, of_row, scored in zip(rows, answers, found, strict=True):
        for token, p, alpha in zip(row, of_row, scored, strict=False):
            if not p:
                assert np.isnan(alpha)
                continue
            q = logits[token] - np.log(np.exp(logits[token]).sum())
            loss = sum(chance * (np.log(chance) - q[each]) for each, chance in p.items())
            assert alpha == pytest.approx(
                1 - loss / sum(chance * np.log(66 * chance) for chance in p.values()), abs=1e-5
            )
            scores += 1
    assert scores > 450
    right = np.full((*rows.shape, 66), -np.inf)
    for i, of_row in enumerate(answers):
        for k, p in enumerate(of_row):
            right[i, k, list(p)] = np.log(list(p.values())) if p else 0
    np.testing.assert_allclose(np.nan_to_num(alpha_scores(lambda _: right, rows, games=games), nan=1), 1, atol=1e-6)
    np.testing.assert_allclose(np.nan_to_num(alpha_scores(uniform(66), rows, games=games)), 0, atol=1e-6)
    alone = alpha_scores(perfect("metaothello"), rows[:4])
    np.testing.assert_allclose(np.nan_to_num(alone, nan=1), 1, atol=1e-6)
    assert np.isnan(alpha_scores(uniform(66), [[1, 2]], games=games)).all()
