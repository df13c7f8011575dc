"""The sequential probability ratio test (SPRT), a test of two agents that ends as soon as the result is clear.

The test compares two hypotheses about the Elo difference of two agents. After each colour-swapped pair of games, it
computes the logarithm of the likelihood ratio (LLR) of the two hypotheses. The test ends when the LLR reaches one of
the bounds of Wald (Sequential tests of statistical hypotheses, Ann. Math. Stat. 16, 1945).

A hypothesis says only what the expected score of a pair is. It does not give the probabilities of the five possible
scores of a pair (0, 1/2, 1, 1 1/2, 2 points). Many sets of probabilities have the same expected score. So for each
hypothesis, the test looks at all sets with the expected score of the hypothesis, and takes the set that fits the games
best. This method is the generalised SPRT (Li, Liu, Ying: Generalized sequential probability ratio test for separate
families of hypotheses, Sequential Analysis 33, 2014). Owen showed how to compute such probabilities (Empirical
likelihood ratio confidence intervals for a single functional, Biometrika 75, 1988). Van den Bergh used the method for
matches of chess programs (The generalized maximum likelihood ratio for the expectation value of a distribution, 2019).
Fishtest, the testing framework of Stockfish, works in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from othello_env.support.numbers import check_real, check_whole

__all__ = ["Sprt", "Verdict"]

_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
_UNSEEN = 1e-3  # if a score did not occur, its count is this number instead of 0, as in Fishtest
_MOST_ELO = 2000.0
_STEPS = 100
_CLOSE = 1e-12


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a test so far.

    Attributes:
        llr: the logarithm of the likelihood ratio (LLR) of the two Elo differences in `Sprt`. If it is positive, the
            games fit `elo1` better than `elo0`.
        bounds: two values of the LLR. At or below the first value, `elo0` is accepted. At or above the second value,
            `elo1` is accepted.
        accepted: the Elo difference that is accepted, or None if the test has not ended.
    """

    llr: float
    bounds: tuple[float, float]
    accepted: float | None

    def __str__(self) -> str:
        low, high = self.bounds
        what = "undecided" if self.accepted is None else f"{self.accepted:.15g} Elo accepted"
        return f"{what}, LLR {self.llr:.2f} ({low:.2f} to {high:.2f})"


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test that decides whether the first agent is `elo1` Elo points stronger than the second, or only `elo0` points.

    Args:
        elo0: the smaller Elo difference, such as 0.
        elo1: the larger Elo difference, such as 10. Both differences are in the usual Elo points, as in
            `othello_env.arena.elo`. (Fishtest, the testing framework of Stockfish, uses normalised Elo.)
        alpha: the probability that `elo1` is accepted although the difference is `elo0`; above 0, below 1/2.
        beta: the probability that `elo0` is accepted although the difference is `elo1`; above 0, below 1/2.

    Raises:
        TypeError: an argument is not a number.
        ValueError: a number is out of its range, or elo0 is not less than elo1.

    >>> print(Sprt(0, 10).judge((10, 5, 40, 20, 30)))
    undecided, LLR 1.65 (-2.94 to 2.94)
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1", "alpha", "beta"):
            check_real(name, getattr(self, name))
        if not -_MOST_ELO <= self.elo0 < self.elo1 <= _MOST_ELO:
            raise ValueError(
                f"expected two Elo differences, the smaller one first, within {_MOST_ELO:g} of 0, got "
                f"{self.elo0:.15g} and {self.elo1:.15g}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"alpha and beta must be above 0 and below 0.5, not {self.alpha} and {self.beta}")

    def __str__(self) -> str:
        return f"SPRT of {self.elo0:.15g} against {self.elo1:.15g} Elo"

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's lower and upper bound of the LLR."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[int]) -> float:
        """The logarithm of the likelihood ratio (LLR); 0 without games.

        Args:
            pairs: the numbers of colour-swapped pairs in which the first agent had 0, 1/2, 1, 1 1/2 and 2 points, as
                in `MatchResult.pairs`.

        Raises:
            TypeError: a number of pairs is not an integer.
            ValueError: there are not five numbers, or a number is negative or above 2**53.
        """
        if len(pairs) != len(_SCORES):
            raise ValueError(f"expected five numbers of pairs, for 0, 1/2, 1, 1 1/2 and 2 points, got {pairs!r}")
        pairs = [check_whole("a number of pairs", count, 0, 2**53) for count in pairs]
        if not any(pairs):
            return 0.0
        counts = [count or _UNSEEN for count in pairs]
        total = sum(counts)
        shares = [count / total for count in counts]
        logs = [_logs(shares, 1 / (1 + math.pow(10, -elo / 400))) for elo in (self.elo0, self.elo1)]
        zero, one = logs
        return math.fsum(count * (a - b) for count, a, b in zip(counts, zero, one, strict=True))

    def judge(self, pairs: Sequence[int]) -> Verdict:
        """The result of the test after these pairs of games; see `llr` for the argument and the errors."""
        llr, (low, high) = self.llr(pairs), self.bounds
        return Verdict(llr, (low, high), self.elo0 if llr <= low else self.elo1 if llr >= high else None)


def _logs(shares: Sequence[float], mean: float) -> list[float]:
    """For each possible score of a pair, compare its observed share with a fitted probability.

    `shares` has the share of each score among the pairs that were played. With the fitted probabilities, the expected
    score is `mean`. Of all sets of probabilities with this expected score, the fitted set makes the observed shares
    most likely (maximum likelihood).

    Returns:
        For each score, the logarithm of (observed share / fitted probability).
    """
    # The fitted probability of a score is share / (1 + x * (score - mean)). The number x is the same for all scores.
    # Let `value` be the sum of (score - mean) * probability over all scores. As x grows, `value` becomes smaller. The
    # loop finds the x for which `value` is 0.
    apart = [score - mean for score in _SCORES]
    low, high, x = -1 / apart[-1], -1 / apart[0], 0.0
    for _ in range(_STEPS):
        ratios = [a / (1 + x * a) for a in apart]
        value = sum(share * ratio for share, ratio in zip(shares, ratios, strict=True))
        if value > 0:
            low = x
        else:
            high = x
        step = value / sum(share * ratio * ratio for share, ratio in zip(shares, ratios, strict=True))  # Newton's step
        following = x + step if low < x + step < high else (low + high) / 2
        if abs(following - x) < _CLOSE * (1 + abs(x)):
            break
        x = following
    return [math.log1p(x * a) for a in apart]
