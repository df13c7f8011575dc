"""Statistics for a paper: a paired test of two agents, and means over seeds with their intervals.

Two agents are compared best where everything else is equal: in the same positions, from the same openings, in the same
pairs of games. Then only the differences count, and the difficulty of a position or an opening cancels out. The test is
the sign-flip test (Fisher, The Design of Experiments, 1935, section 21): if the agents are equally good, each
difference is as likely as its negative. So the p-value is the share of all assignments of signs whose sum is at least
as far from 0 as the observed sum. It needs no normal distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.game import check_seed

__all__ = ["Mean", "PairedTest", "interquartile_mean", "mean_interval", "paired_test"]

_MOST_WORK = 2**26
"""The exact test is made if the number of differences times the sum of their sizes, in quarters, is at most this."""
_FLIPS = 100_000
_SMALLEST_SHOWN = 1e-15
"""A smaller p-value is printed as a bound: it says no more than this one, and its size is that of rounding errors."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of independent numbers, such as the ratings of runs with different seeds.

    Attributes:
        values: the numbers.
        mean: their mean.
        interval: the 95% interval of the mean by Student's t; infinite ends for a single number.
    """

    values: tuple[float, ...]
    mean: float
    interval: tuple[float, float]

    @property
    def deviation(self) -> float:
        """The standard deviation of the numbers, with n - 1 in the denominator; NaN for a single number."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else math.nan

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest of the numbers."""
        return min(self.values), max(self.values)

    @property
    def interquartile(self) -> tuple[float, tuple[float, float]]:
        """The interquartile mean of the numbers and its 95% interval; see `interquartile_mean`."""
        return interquartile_mean([[value] for value in self.values])


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A comparison of two agents in the same N situations.

    Attributes:
        count: the number N of pairs.
        difference: the mean of the differences, first agent minus second.
        interval: the 95% interval of `difference`. None if all differences are equal, as a single one is: they do not
            show how much others would differ.
        p_value: the two-sided p-value of the sign-flip test, above 0.
        exact: whether all assignments of signs were counted. Otherwise 100,000 random ones were.
    """

    count: int
    difference: float
    interval: tuple[float, float] | None
    p_value: float
    exact: bool

    def __str__(self) -> str:
        interval = "{:+.3f} to {:+.3f}".format(*self.interval) if self.interval else "no interval"
        p = f"p < {_SMALLEST_SHOWN:g}" if self.p_value < _SMALLEST_SHOWN else f"p = {self.p_value:.3g}"
        return (
            f"{self.difference:+.3f} ({interval}), {p} "
            f"({'exact' if self.exact else 'random'} sign-flip test, {self.count} pairs)"
        )


def mean_interval(values: Sequence[float]) -> Mean:
    """The mean of independent numbers, and its 95% interval by Student's t with n - 1 degrees of freedom.

    The interval is exact if the numbers are normally distributed.

    Raises:
        ValueError: there is no number, or a number is not finite.

    >>> mean_interval([1400, 1450, 1430]).interval  # doctest: +ELLIPSIS
    (1364.1..., 1489.1...)
    """
    numbers = _numbers("values", values)
    mean, n = float(numbers.mean()), len(numbers)
    if n == 1:
        return Mean((mean,), mean, (-math.inf, math.inf))
    from scipy.special import stdtrit  # not above: the import would make every command start later

    half = float(stdtrit(n - 1, 0.975) * numbers.std(ddof=1)) / math.sqrt(n)
    return Mean(tuple(numbers.tolist()), mean, (mean - half, mean + half))


def interquartile_mean(scores: npt.ArrayLike) -> tuple[float, tuple[float, float]]:
    """The mean of the middle half of all scores, and its 95% interval by the stratified bootstrap.

    Of the scores in order, a quarter (rounded down) is left out at each end. A single lucky or failed run moves this
    mean less than the plain mean. For the interval, the runs are drawn anew within each task, 9,999 times, and the
    interval has the middle 95% of the means. With few runs it is too narrow. (Agarwal and others, "Deep Reinforcement
    Learning at the Edge of the Statistical Precipice", 2021.)

    Args:
        scores: (R, T), the scores of R runs in T tasks, on one scale.

    Returns:
        The mean, and the ends of its interval, which are infinite for a single run.

    Raises:
        ValueError: the shape is wrong, there is no score, or a score is not finite.

    >>> interquartile_mean([[1400], [1450], [1430], [900]])[0]
    1415.0
    """
    from scipy.stats import bootstrap, trim_mean  # not above: the import would make every command start later

    runs = np.asarray(scores, np.float64)
    if runs.ndim != 2 or not runs.size or not np.isfinite(runs).all():
        raise ValueError(f"expected finite scores of shape (runs, tasks), got shape {runs.shape}: {scores!r:.80}")

    def middle(*tasks: npt.NDArray[np.float64], axis: int = -1) -> Any:
        return trim_mean(np.concatenate(tasks, axis=axis), 0.25, axis=axis)

    mean = float(middle(*runs.T))
    if len(runs) == 1:
        return mean, (-math.inf, math.inf)
    options: Any = {
        "method": "percentile",
        "random_state": 0,
    }  # since SciPy 1.15 also `rng`, the only name in its hints
    drawn = bootstrap(tuple(runs.T), middle, **options).confidence_interval
    return mean, (float(drawn.low), float(drawn.high))


def paired_test(a: Sequence[float], b: Sequence[float], *, seed: int = 0) -> PairedTest:
    """Compare two agents by the numbers that they got in the same N situations.

    For example, the numbers are the losses of `othello_env.arena.measure_positions` in its positions, or the points
    against the same opponent from each opening. For a match of the two agents, see
    `othello_env.arena.tournament.results.MatchResult.paired_test`.

    The interval is Student's t, which takes the mean difference as normally distributed. It is too narrow if nearly all
    differences are equal, and may contradict the p-value of few pairs.

    Args:
        a: the numbers of the first agent.
        b: the numbers of the second agent, in the same order.
        seed: determines the random signs. They are drawn only if the differences are no multiples of 1/4 or are too
            many to count all signs.

    Raises:
        TypeError: the seed is not an integer.
        ValueError: there is no number, the lengths differ, a number is not finite, or the seed is negative.

    >>> test = paired_test([0, 0, 2, 0, 0, 0], [1, 3, 2, 4, 2, 0])
    >>> test.difference, test.p_value  # 2 of the 16 assignments of signs are as far from 0
    (-1.6666666666666667, 0.125)
    """
    first, second, seed = _numbers("a", a), _numbers("b", b), check_seed(seed)
    if len(first) != len(second):
        raise ValueError(f"expected as many numbers for both agents, got {len(first)} and {len(second)}")
    differences = first - second
    mean = mean_interval(differences.tolist())
    differ = np.ptp(differences) > 1e-12 * np.abs((first, second)).max()  # by more than the errors of the subtraction
    quarters = 4 * differences
    is_exact = bool((quarters == np.rint(quarters)).all()) and len(quarters) * np.abs(quarters).sum() <= _MOST_WORK
    p = _exact_p(quarters.astype(np.int64)) if is_exact else _random_p(differences, seed)
    return PairedTest(len(differences), mean.mean, mean.interval if differ else None, p, is_exact)


def _exact_p(differences: npt.NDArray[np.int64]) -> float:
    """The p-value for whole differences: add them one by one, with both signs, to the distribution of the sum.

    (`scipy.stats.permutation_test` counts all signs of at most 16 differences.)
    """
    total = abs(int(differences.sum()))
    sizes = np.abs(differences[differences != 0])
    unit = int(np.gcd.reduce(sizes)) if len(sizes) else 1
    largest = int(sizes.sum()) // unit
    shares = np.zeros(2 * largest + 1)  # entry k: the share of assignments with the sum k - largest
    shares[largest] = 1.0
    for size in (sizes // unit).tolist():
        shares = (np.roll(shares, size) + np.roll(shares, -size)) / 2  # no sum so far reaches the ends
    sums = np.abs(np.arange(-largest, largest + 1)) * unit
    p = float(shares[sums >= total].sum())
    return min(1.0, max(p, np.finfo(np.float64).tiny))  # the shares of more than a thousand pairs can round to 0


def _random_p(differences: npt.NDArray[np.float64], seed: int) -> float:
    """The p-value from random signs. The observed signs count as one assignment, so it is never 0."""
    rng, total = np.random.default_rng(seed), abs(differences.sum())
    far, drawn = 1, 0
    while drawn < _FLIPS:
        rows = min(_FLIPS - drawn, max(1, 2**22 // len(differences)))
        signs = rng.integers(0, 2, (rows, len(differences)), np.int8) * 2.0 - 1.0
        far += int((np.abs(signs @ differences) >= total * (1 - 1e-12)).sum())
        drawn += rows
    return far / (_FLIPS + 1)


def _numbers(name: str, values: Sequence[float]) -> npt.NDArray[np.float64]:
    numbers = np.asarray(values)
    if numbers.ndim == 1 and (numbers.dtype.kind not in "iuf" or any(isinstance(value, bool) for value in values)):
        raise TypeError(f"{name} must be numbers, not {values!r:.80}")
    if numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite numbers, at least one, not {values!r:.80}")
    return numbers.astype(np.float64)
