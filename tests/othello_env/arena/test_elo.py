"""Ratings from results with a known answer: computed by hand, by brute force or by simulation."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env.arena.elo import Comparison, expected_score, rate

pytestmark = pytest.mark.nojit

ELO = 400 / math.log(10)


def simulate(rng, true, pairs, *, draws=0.0, together=0.0):
    """Results of a round robin. `draws` is the probability of a draw.

    With the probability `together`, both games of a pair have the same result.
    """
    names = list(true)
    units = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            p = expected_score(true[a] - true[b])
            for _ in range(pairs):
                q = p - draws / 2
                results = [1.0 if u < q else 0.5 if u < q + draws else 0.0 for u in rng.random(2)]
                if rng.random() < together:
                    results[1] = results[0]
                units.append(Comparison(a, b, sum(results), 2))
    return units


@pytest.mark.parametrize(("wins", "games"), [(0, 1), (3, 10), (10, 10), (750, 1000)])
def test_two_agents_have_the_textbook_answer(wins, games):
    """To estimate one log odds, Firth adds one half to the wins and one half to the losses (Haldane, Anscombe)."""
    units = [Comparison("a", "b", float(i < wins), 1) for i in range(games)]
    ratings = rate(units, {"b": 0.0})
    assert ratings.elo["b"] == 0
    assert ratings.elo["a"] == pytest.approx(ELO * math.log((wins + 0.5) / (games - wins + 0.5)), abs=1e-6)
    p = expected_score(ratings.elo["a"])
    assert ratings.error("a") == pytest.approx(ELO / math.sqrt(games * p * (1 - p)), rel=0.15)
    better = NormalDist().cdf(ratings.elo["a"] / ratings.error("a"))
    assert (ratings.superiority("a", "b"), ratings.superiority("b", "a")) == pytest.approx((better, 1 - better))


@pytest.mark.parametrize(
    ("points", "variance"),
    [
        ((0, 2), 4),  # both games of each pair have one result, so a pair counts as one game
        ((1,), 2),  # at most as two independent games
        ((0, 2, 0, 2, 1), 3.2),  # 4 / 5 of the pairs are as the first, and the others as the second
    ],
)
def test_a_pair_of_games_counts_as_one_or_two_games(points, variance):
    units = [Comparison("a", "b", points[k % len(points)]) for k in range(1000)]
    assert rate(units, {"b": 0.0}).error("a") == pytest.approx(ELO * math.sqrt(variance / 1000), rel=1e-3)


def test_it_is_the_maximum_of_the_penalised_likelihood():
    """At the ratings, the gradient of (log likelihood + log det information / 2) is zero.

    Separate code computes the gradient by differences.
    """
    rng = np.random.default_rng(5)
    units = simulate(rng, {"a": 0, "b": 150, "c": 420, "d": 900}, 12, draws=0.05)
    elo = rate(units, {"a": 0.0}).elo
    names = ["b", "c", "d"]

    def objective(values):
        strengths = dict(zip(names, values, strict=True), a=0.0)
        information = np.zeros((3, 3))
        total = 0.0
        for unit in units:
            p = 1 / (1 + math.exp(strengths[unit.b] - strengths[unit.a]))
            total += unit.points * math.log(p) + (unit.games - unit.points) * math.log(1 - p)
            x = np.array([(unit.a == name) - (unit.b == name) for name in names], float)
            information += unit.games * p * (1 - p) * np.outer(x, x)
        return total + np.linalg.slogdet(information)[1] / 2

    found = np.array([elo[name] / ELO for name in names])
    for i in range(3):
        change = np.eye(3)[i] * 1e-4
        assert abs(objective(found + change) - objective(found - change)) / 2e-4 < 1e-4
        assert objective(found) > objective(found + 100 * change)
        assert objective(found) > objective(found - 100 * change)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=8),
    st.integers(0, 2**32 - 1),
)
def test_the_first_games_of_a_tournament_have_ratings(results, seed):
    """Agents that met once or twice, in any order and with any results, have finite ratings and finite errors."""
    rng = np.random.default_rng(seed)
    chain = [Comparison(f"agent {i}", f"agent {i + 1}", float(rng.integers(3)) / 2, 1) for i in range(6)]
    more = [Comparison(f"agent {i}", f"agent {i + 1}", points, 1) for i, points in results]
    ratings = rate(chain + more, {"agent 3": 0.0})
    assert all(math.isfinite(elo) and math.isfinite(ratings.error(name)) for name, elo in ratings.elo.items())


@pytest.mark.slow
@pytest.mark.parametrize("together", [0.0, 1.0])
def test_intervals_cover_whether_the_games_of_a_pair_are_independent_or_one(together):
    true = {"a": 0.0, "b": 100.0, "c": 350.0}
    rng = np.random.default_rng(7)
    covered = {"b": 0, "c": 0}
    superior = []
    for _ in range(400):
        ratings = rate(simulate(rng, true, 40, together=together), {"a": 0.0})
        for name in covered:
            low, high = ratings.interval(name)
            covered[name] += low <= true[name] <= high
        superior.append(ratings.superiority("b", "a"))
    for count in covered.values():
        assert 0.92 <= count / 400 <= 0.985
    assert np.mean(superior) > 0.9


def three_players(rng, true, openings, *, together=False):
    """Units of three games between the agents `true` (a dict of Elo), each a list of comparisons, and the points of b
    and c. The order at the end is drawn by strengths (Plackett and Luce); `together` repeats it in all three games."""
    names, strengths = list(true), np.exp(np.array([*true.values()]) / ELO)
    units = []
    for _ in range(openings):
        # Of exponential waiting times with these rates, the shortest takes the first place.
        places = (rng.exponential(size=(3, 3)) / strengths).argsort(axis=1).argsort(axis=1)
        places = places[[0, 0, 0]] if together else places
        units.append(
            [
                Comparison(names[i], names[j], float((places[:, i] < places[:, j]).sum()), 3)
                for i, j in ((0, 1), (0, 2), (1, 2))
            ]
        )
    return units


@pytest.mark.parametrize("together", [False, True])
def test_intervals_of_three_players_count_games_not_comparisons(together):
    true, rng = {"a": 0.0, "b": 150.0, "c": 400.0}, np.random.default_rng(3)
    covered, narrow = 0, 0
    for _ in range(150):
        units = three_players(rng, true, 60, together=together)
        found, apart = (rate(given, {"a": 0.0}) for given in (units, [each for unit in units for each in unit]))
        assert found.elo == apart.elo
        for name in ("b", "c"):
            covered += found.interval(name)[0] <= true[name] <= found.interval(name)[1]
            narrow += apart.interval(name)[0] <= true[name] <= apart.interval(name)[1]
    assert 0.92 < covered / 300 < 0.98
    assert narrow < covered


def test_one_agent_against_two_has_the_textbook_answer():
    """Against two fixed ratings that are equal, the rating is Haldane's; its variance is that of sums over games."""
    rng = np.random.default_rng(4)
    points = rng.integers(0, 2, (40, 2))
    points[:20, 1] = points[:20, 0]
    units = [[Comparison("x", "a", float(u), 1), Comparison("x", "b", float(v), 1)] for u, v in points]
    found, won = rate(units, {"a": 100.0, "b": 100.0}), points.sum()
    assert found.elo["x"] == pytest.approx(100 + ELO * math.log((won + 0.5) / (80 - won + 0.5)))
    p = expected_score(found.elo["x"] - 100)
    squares = ((points.sum(axis=1) - 2 * p) ** 2).sum() * 40 / 39
    assert squares > 80 * p * (1 - p)
    assert found.error("x") == pytest.approx(ELO * math.sqrt(squares) / (80 * p * (1 - p)))
    alike = rate([[Comparison("x", name, 1.0, 2) for name in "ab"]] * 30, {"a": 0.0, "b": 0.0})
    assert alike.error("x") == pytest.approx(ELO / math.sqrt(120 / 4)), "at least as if all were independent"


@pytest.mark.parametrize(
    ("points", "limits"),
    [
        ({"ab": 8}, {"b": (True, True), "a": (True, False)}),
        ({"ab": 7.5}, {"a": (True, True)}),
        ({"ab": 0}, {"a": (False, True)}),
        # a chain: c has met only a
        ({"ab": 8, "ca": 3}, {"a": (True, False), "c": (True, False)}),
        ({"ab": 4, "ca": 8}, {"a": (True, True), "c": (True, False)}),
        ({"ab": 8, "ca": 0}, {"a": (True, False), "c": (False, False)}),
        # a circle: every rating has a lower and an upper limit
        ({"ab": 8, "ca": 8, "cb": 0}, {"a": (True, True), "c": (True, True)}),
    ],
)
def test_an_interval_has_no_end_where_the_results_set_no_limit(points, limits):
    units = [Comparison(a, b, won, 8) for (a, b), won in points.items()]
    ratings = rate(units, {"b": 0.0})
    for name, finite in limits.items():
        assert tuple(map(math.isfinite, ratings.interval(name))) == finite
