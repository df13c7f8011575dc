"""The sequential test of two agents."""

import math

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
    assert Sprt(*elos).llr([0] * 5) == 0


def test_the_bounds_are_walds():
    test = Sprt(0, 200, alpha=0.01, beta=0.2)
    low, high = test.bounds
    assert (low, high) == pytest.approx((math.log(0.2 / 0.99), math.log(0.8 / 0.01)))
    seen = set()
    for won, lost in ((k, 120 - k) for k in range(121)):
        verdict = test.judge((lost, 0, 9, 0, won))
        expected = 0 if verdict.llr <= low else 200 if verdict.llr >= high else None
        assert (verdict.accepted, verdict.bounds) == (expected, (low, high))
        seen.add(expected)
    assert seen == {0, None, 200}


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
