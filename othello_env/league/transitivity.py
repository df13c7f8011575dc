"""Measure how well ratings explain the results of a league. Results that ratings explain are called transitive.

Balduzzi et al. (Open-ended learning in symmetric zero-sum games, ICML 2019) split the results of a league into two
parts. Ratings explain the transitive part. The cyclic part is like rock, paper, scissors: A beats B, B beats C, and C
beats A. In this module, the transitive part is the part that Elo ratings explain. The cyclic part is the rest, after
the effect of chance has been subtracted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from othello_env.arena.rating.fit import LEAST_EXPECTED, chi_square_tail

__all__ = ["Transitivity", "fit_of"]

_ENOUGH, _LEAST_SPREAD = 20, 0.1

_Unit = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], float]
"""The results of two members: (counts, points, expected score).

The results are counted in units. If the results come from matches, a unit is a pair of games. If they come from
training, a unit is one game. ``counts[k]`` is the number of units in which the first member had ``points[k]`` points.
The expected score, 0 to 1, is the score that the ratings predict for the first member in one game.
"""


@dataclass(frozen=True)
class Transitivity:
    """How well ratings explain the scores of pairs of members.

    Attributes:
        unexplained: how much of the differences between the scores and 1/2 the ratings do not explain, 0 to 1. This is
            the mean square of (score - expected score), divided by the mean square of (score - 1/2). The expected
            effect of chance is subtracted from both means. Without results, the value is 0.
        deviation: the standard deviation of the scores from the expected scores, without the effect of chance.
        chi_square: Pearson's chi-square of the scores. Two members that met count only if each of them is expected to
            get at least 5 points against the other.
        freedom: the degrees of freedom of `chi_square`.
    """

    unexplained: float
    deviation: float
    chi_square: float
    freedom: int

    @property
    def p_value(self) -> float:
        """The probability of a value of at least `chi_square`, if ratings and chance explain all scores."""
        return chi_square_tail(self.chi_square, self.freedom)

    def __str__(self) -> str:
        return (
            f"ratings leave {100 * self.unexplained:.0f} % of the differences unexplained "
            f"(scores deviate by {self.deviation:.3f} beyond chance, p = {self.p_value:.3f})"
        )


def fit_of(units: Sequence[_Unit], members: int) -> Transitivity:
    """The fit of ratings to the scores of pairs of members.

    Args:
        units: for every two members that met, their results and the expected score.
        members: the number of members.
    """
    spreads = {most: _spread([unit for unit in units if unit[1][-1] == most]) for most in {u[1][-1] for u in units}}
    chi_square = apart = from_half = 0.0
    used = 0
    for counts, values, p in units:
        games, points = int(counts.sum()) * float(values[-1]), float(counts @ values)
        squares = spreads[values[-1]] * games * p * (1 - p)
        chance = squares / games**2
        apart += (points / games - p) ** 2 - chance
        from_half += (points / games - 0.5) ** 2 - chance
        if games * min(p, 1 - p) >= LEAST_EXPECTED:
            chi_square += (points - games * p) ** 2 / squares
            used += 1
    apart = max(apart, 0.0)
    share = 0.0 if apart == 0 else 1.0 if from_half <= apart else apart / from_half
    deviation = (apart / len(units)) ** 0.5 if units else 0.0
    return Transitivity(share, deviation, chi_square, max(used - (members - 1), 0))


def _spread(units: Sequence[_Unit]) -> float:
    """The ratio of two variances: of the results of the same two members, and of independent games without draws.

    There are two reasons for a value other than 1. If a unit is a pair of games, its two games have the same opening,
    so they are not independent. Draws make the variance smaller. The games of two members alone are too few, so the
    variance is estimated from the games of all members together. If even these games are too few, the result is 1.
    """
    varied = expected = 0.0
    freedom = 0
    for counts, values, p in units:
        n = int(counts.sum())
        if n > 1:
            mean = float(counts @ values) / n
            varied += n / (n - 1) * float(counts @ (values - mean) ** 2)
            expected += n * float(values[-1]) * p * (1 - p)
            freedom += n - 1
    return min(max(varied / expected, _LEAST_SPREAD), float(units[0][1][-1])) if freedom >= _ENOUGH else 1.0
