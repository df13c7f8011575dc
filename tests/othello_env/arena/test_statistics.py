"""The paired test and the interval of a mean, against counting all signs, tables, SciPy and a simulation."""

from itertools import chain, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env.arena import mean_interval, paired_test, play_match
from othello_env.arena.statistics import interquartile_mean

pytestmark = pytest.mark.nojit


def slow_p(differences):
    """Count the assignments of signs whose sum is at least as far from 0."""
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(abs(total) >= abs(sum(differences)) for total in sums) / len(sums)


@given(st.lists(st.integers(-12, 12), min_size=1, max_size=9))
def test_the_exact_test_counts_all_signs(quarters):
    differences = [q / 4 for q in quarters]
    test = paired_test(differences, [0] * len(differences))
    assert test.exact
    assert test.p_value == pytest.approx(slow_p(differences))
    assert test.difference == pytest.approx(np.mean(differences))


def test_random_signs_come_close_to_all_signs():
    differences = [0.1, 0.3, -0.07, 0.9, 0.55, 0.21, 0.4, -0.3]
    test = paired_test(differences, [0] * 8, seed=1)
    assert not test.exact
    assert test.p_value == pytest.approx(slow_p(differences), abs=0.01)
    assert test == paired_test(differences, [0] * 8, seed=1)
    assert test.interval == mean_interval(differences).interval
    a, b = np.random.default_rng(0).integers(0, 10_000, (2, 500))
    assert not paired_test(a, b).exact  # too large to count all signs
    assert paired_test(a % 64, b % 64).exact


def test_a_tiny_p_value_is_printed_as_a_bound():
    test = paired_test([1] * 3000, [0] * 3000)
    assert test.exact
    assert test.p_value > 0
    assert "p < 1e-15" in str(test)
    assert "p = 0.125 " in str(paired_test([1] * 4, [0] * 4))


@pytest.mark.parametrize(("a", "b"), [([2], [0]), ([5, 2, 3], [3, 0, 1]), ([0.3, 0.2], [0.2, 0.1]), ([0, 1], [0, 1])])
def test_equal_differences_have_no_interval(a, b):
    test = paired_test(a, b)
    assert test.interval is None
    assert f"{test.difference:+.3f} (no interval), p = " in str(test)


@pytest.mark.parametrize(("n", "quantile"), [(2, 12.7062), (3, 4.30265), (6, 2.57058), (31, 2.04227), (121, 1.97993)])
def test_the_interval_is_students(n, quantile):
    """The quantiles are those of a printed table."""
    values = np.random.default_rng(n).normal(1400, 30, n)
    found = mean_interval(values)
    half = quantile * values.std(ddof=1) / n**0.5
    assert found.interval == pytest.approx((values.mean() - half, values.mean() + half), rel=1e-6)
    assert found.deviation == pytest.approx(values.std(ddof=1))
    one = mean_interval(values[:1])  # says nothing about others
    assert one.interval == (-np.inf, np.inf)
    assert np.isnan(one.deviation)


def slow_interquartile_means(runs):
    """The interquartile mean of each way to draw the runs anew within each task, in order."""
    columns = [list(product(task, repeat=len(task))) for task in zip(*runs, strict=True)]
    means = []
    for drawn in product(*columns):
        scores = sorted(chain(*drawn))
        cut = len(scores) // 4
        means.append(np.mean(scores[cut : len(scores) - cut]))
    return sorted(means)


@pytest.mark.parametrize("tasks", [1, 2])
def test_the_interquartile_mean_draws_runs_within_tasks(tasks):
    runs = np.round(np.random.default_rng(tasks).normal([0, 100][:tasks], 30, (3, tasks)), 1)
    mean, (low, high) = interquartile_mean(runs)
    scores = sorted(runs.ravel())
    assert mean == pytest.approx(np.mean(scores if tasks == 1 else scores[1:5]))
    means = slow_interquartile_means(runs.tolist())
    for end, share in ((low, 0.025), (high, 0.975)):  # the shares of 9,999 draws differ by .0016
        first, last = (int((share + by) * len(means)) for by in (-0.006, 0.006))
        assert means[first] - 1e-9 <= end <= means[last] + 1e-9
    assert interquartile_mean([[1], [2], [3], [4], [100]])[0] == 3
    assert interquartile_mean(runs[:1])[1] == (-np.inf, np.inf)


def test_the_pairs_of_a_match():
    result = play_match("maximizer:eval=count", "random", games=20, seed=3)
    test = result.paired_test()
    assert test.count == 10
    assert test.difference == pytest.approx(2 * result.score - 1)
    none, half, _, more, two = result.pairs
    differences = [-1] * none + [-0.5] * half + [0.5] * more + [1] * two
    assert test.p_value == pytest.approx(slow_p(differences))
    assert test.interval == pytest.approx([2 * end - 1 for end in result.interval])
    swapped = type(result)(result.agents[::-1], result.records).paired_test()
    assert (swapped.difference, swapped.p_value) == (-test.difference, test.p_value)
