"""The sequential test of two agents."""

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env.arena import Sprt, play_match
from othello_env.arena.tournament.results import MatchResult

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
counts = st.lists(st.integers(0, 200), min_size=5, max_size=5).filter(any)


def likeliest(shares, mean):
    """Of all probabilities with this mean, those that make the shares likeliest. Bisection finds them slowly."""
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(200):
        x = (low + high) / 2
        if sum(p * (a - mean) / (1 + x * (a - mean)) for p, a in zip(shares, SCORES, strict=True)) > 0:
            low = x
        else:
            high = x
    return [p / (1 + x * (a - mean)) for p, a in zip(shares, SCORES, strict=True)]


def twin(pairs, elos):
    """The logarithm of the likelihood ratio, computed by its definition."""
    seen = [count or 1e-3 for count in pairs]
    shares = [count / sum(seen) for count in seen]
    zero, one = (likeliest(shares, 1 / (1 + 10 ** (-elo / 400))) for elo in elos)
    for found, elo in ((zero, elos[0]), (one, elos[1])):
        assert sum(found) == pytest.approx(1)
        expected = 1 / (1 + 10 ** (-elo / 400))
        assert sum(p * a for p, a in zip(found, SCORES, strict=True)) == pytest.approx(expected)
    return sum(n * math.log(b / a) for n, a, b in zip(seen, zero, one, strict=True))


@given(counts, st.sampled_from([(0, 10), (-5, 5), (0, 200), (50, 400), (-1.75, 0.25)]))
def test_the_ratio_is_that_of_the_slow_twin(pairs, elos):
    assert Sprt(*elos).llr(pairs) == pytest.approx(twin(pairs, elos), abs=1e-6, rel=1e-6)


def test_even_results_speak_for_neither_of_opposite_differences():
    assert Sprt(-1, 1).llr((10, 5, 2, 5, 10)) == pytest.approx(0, abs=1e-9)
    assert Sprt(0, 10).llr((0, 0, 0, 0, 0)) == 0


def test_a_test_without_draws_in_pairs_of_one_game_is_walds():
    """If only the scores 0 and 1 occur, the test is the same as Wald's test of the tosses of a coin."""
    p0, p1 = (1 / (1 + 10 ** (-elo / 400)) for elo in (0, 100))
    expected = 30 * math.log((1 - p1) / (1 - p0)) + 50 * math.log(p1 / p0)
    assert Sprt(0, 100).llr((30, 0, 0, 0, 50)) == pytest.approx(expected, abs=1e-3)


BASE = (0.16, 0.03, 0.6, 0.04, 0.17)


def outcomes(elo):
    """The probabilities of the scores of a pair between two agents with this Elo difference."""
    return likeliest(BASE, 1 / (1 + 10 ** (-elo / 400)))


def simulate(test, elo, runs, seed):
    """The share of tests that accept `elo1`, and the mean number of games."""
    rng, shares = random.Random(seed), outcomes(elo)
    accepted = games = 0
    for _ in range(runs):
        pairs = [0] * 5
        for points in itertools.repeat(range(5)):
            pairs[rng.choices(points, shares)[0]] += 1
            verdict = test.judge(pairs)
            if verdict.accepted is not None:
                break
        accepted += verdict.accepted == test.elo1
        games += 2 * sum(pairs)
    return accepted / runs, games / runs


def test_errors_are_as_rare_as_stated_and_games_are_saved():
    test, runs = Sprt(0, 60), 100
    wrong, games0 = simulate(test, 0, runs, 1)
    right, games1 = simulate(test, 60, runs, 2)
    spread = 3 * math.sqrt(0.05 * 0.95 / runs)
    assert wrong < 0.05 + spread
    assert 1 - right < 0.05 + spread
    # `fixed` is the number of games that a test of fixed length needs if it may be wrong in 5% of cases. Then the two
    # expected scores are 2 * 1.645 standard errors apart.
    variance = sum(p * (a - 0.5) ** 2 for p, a in zip(outcomes(0), SCORES, strict=True))
    apart = 1 / (1 + 10 ** (-60 / 400)) - 0.5
    fixed = 2 * variance * (2 * 1.645 / apart) ** 2
    assert max(games0, games1) < 0.7 * fixed


def test_a_match_ends_when_the_answer_is_known():
    test = Sprt(0, 200)
    told = []
    short = play_match("maximizer:eval=weighted", "random", games=400, sprt=test, progress=told.append)
    assert short.games < 400
    assert tuple(told) == short.records
    assert test.judge(short.pairs).accepted == 200
    # `short` has the first games of `whole`, up to the pair that decides the test.
    whole = play_match("maximizer:eval=weighted", "random", games=short.games + 20)
    assert whole.records[: short.games] == short.records
    before = MatchResult(short.agents, short.records[:-2])
    assert test.judge(before.pairs).accepted is None


def test_pairs_and_draws_of_a_match():
    result = play_match("random", "random", games=60, seed=2)
    by_hand = [0] * 5
    for one, other in result.points_by_opening():
        by_hand[int(2 * (one + other))] += 1
    assert result.pairs == tuple(by_hand)
    assert sum(result.pairs) == 30
    assert result.draw_rate == result.draws / 60
    assert result.to_json()["pairs"] == by_hand
    assert result.to_json()["draw_rate"] == round(result.draws / 60, 4)
    half = MatchResult(result.agents, result.records[:3])
    assert sum(half.pairs) == 1  # the second pair is not complete
