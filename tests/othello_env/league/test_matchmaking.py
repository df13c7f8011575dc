"""Matchmaking: probabilities agree with formulas and with slow code, and the draws agree with the probabilities."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env.league import League
from othello_env.league.matchmaking import choose

shares = st.lists(st.integers(0, 20), min_size=1, max_size=12).filter(any)


@given(shares, st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_members_are_chosen_as_often_as_their_probability_says(weights, n, ticket):
    probabilities = [weight / sum(weights) for weight in weights]
    chosen = choose(probabilities, n, ticket / 2**32)
    assert chosen == sorted(chosen)
    assert len(chosen) == n
    for member, p in enumerate(probabilities):
        assert math.floor(n * p - 1e-9) <= chosen.count(member) <= math.ceil(n * p + 1e-9)
        if not weights[member]:
            assert member not in chosen


def test_draws_have_the_probabilities_on_average(ranked):
    league = League([ranked(k) for k in range(1, 6)], seed=3)
    for name, wins in zip([member.name for member in league], (0, 5, 10, 15, 20), strict=True):
        for game in range(20):
            league.record_game(name, float(game < wins))
    expected = league.probabilities()
    drawn = Counter(repr(player) for _ in range(4000) for player in league.draw(3))
    for name, p in expected.items():
        assert drawn[name] / 12_000 == pytest.approx(p, abs=4 * math.sqrt(p / 12_000))


class Twin:
    """The learner's results in a league, computed by definition. All games are stored and get weights at the end."""

    def __init__(self, half_life):
        self.games = {}
        self.half_life = half_life

    def score(self, name):
        games = self.games.get(name, [])
        weights = [0.5 ** (age / self.half_life) for age in reversed(range(len(games)))]
        points = sum(weight * each for weight, each in zip(weights, games, strict=True))
        return (points + 1) / (sum(weights) + 2)

    def probabilities(self, names):
        weights = {name: (1 - self.score(name)) ** 2 for name in names}
        return {name: weight / sum(weights.values()) for name, weight in weights.items()}


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0])), max_size=60),
    st.sampled_from([1.0, 7.5, 200.0]),
)
def test_prioritised_play_is_that_of_the_slow_twin(games, half_life):
    def first(observations, masks):
        return masks.argmax(axis=1)

    league, twin = League(half_life=half_life), Twin(half_life)
    names = [league.add(first).name for _ in range(4)]
    for k, points in games:
        league.record_game(names[k], points)
        twin.games.setdefault(names[k], []).append(points)
    for name in names:
        assert league[name].score == pytest.approx(twin.score(name))
    assert league.probabilities() == pytest.approx(twin.probabilities(names))


def test_uniform_and_latest(ranked):
    fixed, snapshots = [ranked(1), ranked(2)], [ranked(3), ranked(4), ranked(5)]
    uniform, latest, shared = (
        League(fixed, matchmaking="uniform"),
        League(fixed, matchmaking="latest"),
        League(fixed, matchmaking="latest", fixed_share=0.5),
    )
    for league in (uniform, latest, shared):
        assert [*league.probabilities().values()] == [0.5, 0.5]  # there is no snapshot yet
        for each in snapshots:
            league.add(each)
    assert [*uniform.probabilities().values()] == [0.2] * 5
    assert [*latest.probabilities().values()] == [0, 0, 0, 0, 1]
    assert [*shared.probabilities().values()] == [0.25, 0.25, 0, 0, 0.5]
    assert {repr(player) for player in latest.draw(20)} == {"snapshot 3"}


def test_the_share_of_fixed_members_and_the_opponents_of_a_batch(ranked):
    league = League([ranked(1), ranked(2)], fixed_share=0.25)
    league.add(ranked(3))
    for _ in range(10):
        league.record_game("ranked 1", 1.0)
    found = league.probabilities()
    assert found["snapshot 1"] == 0.75
    assert found["ranked 1"] + found["ranked 2"] == pytest.approx(0.25)
    assert found["ranked 1"] == pytest.approx(0.25 * (1 / 12) ** 2 / ((1 / 12) ** 2 + 0.25), rel=0.05)
    opponents = {repr(player): weight for player, weight in league.opponents(8).items()}
    assert opponents["snapshot 1"] == 6
    assert sum(opponents.values()) == 8


def test_the_weights_of_fixed_members_multiply_their_probabilities(tmp_path):
    league = League({"random": 1, "maximizer": 3.5, "minimax:depth=1": 0.5}, seed=1)
    assert league.probabilities() == pytest.approx({"random": 0.2, "maximizer": 0.7, "minimax:depth=1": 0.1})
    league.add("alphabeta:depth=2")
    assert league.probabilities()["snapshot 1"] == pytest.approx(1 / 6)
    league.save(tmp_path)
    assert League.load(tmp_path).probabilities() == league.probabilities()
