"""How well one rating explains an agent's scores against several opponents."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

__all__ = ["LEAST_EXPECTED", "Fit", "chi_square_tail"]

LEAST_EXPECTED = 5.0
"""If one of two agents is expected to get fewer points than this number, a chi-square does not count their games."""


@dataclass(frozen=True)
class Fit:
    """A chi-square test (Pearson): does one rating explain an agent's scores against the rungs of a ladder?

    A rung is an opponent with a known rating; see `othello_env.arena.rating.ladder`.

    Attributes:
        chi_square: the sum over rungs of (the agent's points - its expected points)^2 / variance of the points.
        rungs: the number of rungs in the sum. A rung is left out if the agent or the rung is expected to get fewer than
            5 points.
    """

    chi_square: float
    rungs: int

    @classmethod
    def of(cls, scores: Iterable[tuple[Sequence[float], float]]) -> Fit:
        """The test of an agent's scores against several rungs.

        Args:
            scores: a pair (points, expected) for each rung. `points` is a list with the agent's points, 0 to 2, in each
                colour-swapped pair of games. `expected` is the agent's expected score in one game, 0 to 1.
        """
        terms = []
        for points, p in scores:
            n, variance = len(points), p * (1 - p)
            if 2 * n * min(p, 1 - p) >= LEAST_EXPECTED:
                # Limit the squares, so that a pair counts as 1 to 2 independent games (see `elo`).
                squares = sum((x - 2 * p) ** 2 for x in points)
                squares = min(max(squares, 2 * n * variance), 4 * n * variance)
                terms.append((sum(points) - 2 * n * p) ** 2 / squares)
        return cls(sum(terms), len(terms))

    @property
    def p_value(self) -> float:
        """The probability of a chi-square as large as `chi_square` or larger, if one rating explains all scores."""
        return chi_square_tail(self.chi_square, self.rungs - 1)


def chi_square_tail(chi_square: float, freedom: int) -> float:
    """The probability that a chi-square variable is at least `chi_square`; 1 if `freedom` is below 1.

    `freedom` is the number of degrees of freedom. The approximation is by Wilson and Hilferty (PNAS 17, 1931).
    """
    if freedom < 1:
        return 1.0
    spread = 2 / (9 * freedom)
    return 1 - NormalDist(1 - spread, math.sqrt(spread)).cdf(math.cbrt(chi_square / freedom))
