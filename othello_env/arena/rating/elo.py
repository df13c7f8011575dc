"""Elo ratings from results, how sure they are, and who is better than whom.

The model is that of Bradley and Terry (Biometrika 39, 1952) on Elo's scale: A's expected score against B is
``1 / (1 + 10 ** ((B - A) / 400))``, where a draw counts one half. Ratings maximise its likelihood with Firth's penalty
(Biometrika 80, 1993), which is Jeffreys' prior. It removes the first-order bias. It also keeps ratings finite, even for
an agent that won or lost all its games. Between only two agents it is worth half a win and half a loss; the more games
there are, the less it matters.

The games of an opening with swapped colours are not independent, so they are one unit. The covariance is the sandwich
of the inverse information around the squared residuals of the units. The residuals of few or of one-sided games are a
poor measure. So two games of a pair never count as less than one independent game, or as more than two.

If one group of agents took every point against the others, the results limit the difference in one direction only
(Ford, Am. Math. Mon. 64, 1957). In the other direction only the penalty would limit it, so that end of the interval is
infinite. Common packages for the model treat all games as independent and take no fixed ratings but one anchor; so this
module has the few lines that are needed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from othello_env.arena.tournament.results import Z95

__all__ = ["Comparison", "Ratings", "expected_score", "rate"]

_ELO = 400 / math.log(10)
"""Elo points in a unit of log odds."""
_NORMAL = NormalDist()
_STEPS = 500
_CLOSE = 1e-10
_LONGEST_STEP = 2.0
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Comparison:
    """The games of two agents from one opening, which count as one unit.

    Attributes:
        a: an agent.
        b: another.
        points: a's points: 1 for a win, 0.5 for a draw.
        games: the number of games.
    """

    a: str
    b: str
    points: float
    games: int = 2


@dataclass(frozen=True)
class Ratings:
    """Ratings of K agents.

    Attributes:
        elo: by agent, in the order in which the agents first appear; NaN for an agent without a rating.
        covariance: (K, K) float64 of the ratings in that order, in squared Elo points; 0 for fixed ratings.
        limited: the agents whose ratings the results limit from below, and those whose ratings they limit from above.
    """

    elo: dict[str, float]
    covariance: npt.NDArray[np.float64]
    limited: tuple[frozenset[str], frozenset[str]]

    def __repr__(self) -> str:
        shown = [f"{agent} {_text(self.elo[agent], *self.interval(agent))}" for agent in self.order[:_SHOWN]]
        return f"<Ratings {', '.join([*shown, *['...'] * (len(self.elo) > _SHOWN)])}>"

    def error(self, agent: str) -> float:
        """The standard error of a rating."""
        i = list(self.elo).index(agent)
        return math.sqrt(self.covariance[i, i])

    @property
    def order(self) -> list[str]:
        """The agents from the best down, those without a rating last."""
        return sorted(self.elo, key=lambda agent: math.inf if math.isnan(self.elo[agent]) else -self.elo[agent])

    def without(self, agents: Collection[str]) -> Ratings:
        """The same ratings without those of these agents, which become NaN."""
        below, above = self.limited
        elo = {agent: math.nan if agent in agents else elo for agent, elo in self.elo.items()}
        return replace(self, elo=elo, limited=(below.difference(agents), above.difference(agents)))

    def interval(self, agent: str) -> tuple[float, float]:
        """The 95% interval of a rating, infinite where the results do not limit it."""
        half, (below, above) = Z95 * self.error(agent), self.limited
        return (
            self.elo[agent] - half if agent in below else -math.inf,
            self.elo[agent] + half if agent in above else math.inf,
        )

    def superiority(self, a: str, b: str) -> float:
        """The likelihood that a is stronger than b, 0 to 1; NaN if one of them has no rating."""
        i, j = list(self.elo).index(a), list(self.elo).index(b)
        difference = self.elo[a] - self.elo[b]
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        if variance <= 0:
            return 0.5 + 0.5 * ((difference > 0) - (difference < 0))
        return _NORMAL.cdf(difference / math.sqrt(variance))


def _text(elo: float, low: float, high: float) -> str:
    """A rating in a few words; a number only if it has a lower limit."""
    if math.isinf(low):
        return "without a limit" if math.isinf(high) else f"at most {high:.0f}"
    return f"at least {low:.0f}" if math.isinf(high) else f"{elo:.0f} ({low:.0f} to {high:.0f})"


def expected_score(difference: float) -> float:
    """The expected score, 0 to 1, of an agent that is rated this many points above its opponent.

    >>> round(expected_score(200), 4)
    0.7597
    """
    return 1 / (1 + math.exp(-difference / _ELO))


class _Meetings:
    """The comparisons as sums over those of each two agents; M = pairs of agents that met, F = free ratings.

    Attributes:
        names: of the agents, those with fixed ratings first.
        free: for each name, whether its rating is to be found.
        given: for each name its fixed rating in log odds, 0 for a free one.
        games, points, ss, sg, gg: (M,) what `_sums` adds up.
        design: (M, F) 1 for the first agent of each pair, -1 for the second.
        offset: (M,) the difference of the fixed ratings of each pair, in log odds.
        limited: see `Ratings`.
    """

    def __init__(self, comparisons: Iterable[Comparison], fixed: Mapping[str, float]) -> None:
        units = list(comparisons)
        sums = _sums(units)
        self.names = list(dict.fromkeys([*fixed, *(name for unit in units for name in (unit.a, unit.b))]))
        self.free = np.array([name not in fixed for name in self.names])
        _check_connected(list(sums), set(fixed), [name for name in self.names if name not in fixed])
        both = np.zeros((len(sums), len(self.names)))
        for row, (a, b) in zip(both, sums, strict=True):
            row[self.names.index(a)], row[self.names.index(b)] = 1.0, -1.0
        self.design: npt.NDArray[np.float64] = both[:, self.free]
        self.given = np.array([fixed.get(name, 0.0) / _ELO for name in self.names])
        self.offset = both @ self.given
        self.games, self.points, self.ss, self.sg, self.gg = np.array(list(sums.values())).reshape(-1, 5).T
        self.limited = _limits(sums, set(fixed))

    def information(self, p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """(F, F) Fisher's information, where p (M,) are the expected scores."""
        weighted: npt.NDArray[np.float64] = self.design * (self.games * p * (1 - p))[:, np.newaxis]
        information: npt.NDArray[np.float64] = self.design.T @ weighted
        return information

    def probabilities(self, strength: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """(M,) the expected score of the first agent of each pair, from strengths (F,) in log odds."""
        odds: npt.NDArray[np.float64] = np.exp(self.design @ strength + self.offset)
        return odds / (1 + odds)


def _sums(units: Iterable[Comparison]) -> dict[tuple[str, str], npt.NDArray[np.float64]]:
    """For each two agents that met, in alphabetical order: the sums of g, s, s * s, s * g and g * g.

    A unit of g games in which the first of the two has s points adds to them.

    Raises:
        ValueError: a comparison is not possible.
    """
    sums: dict[tuple[str, str], npt.NDArray[np.float64]] = defaultdict(lambda: np.zeros(5))
    for c in units:
        if c.a == c.b or not 0 <= c.points <= c.games or c.games < 1:
            raise ValueError(f"expected two agents with 0 to {c.games} points in at least one game, got {c}")
        (a, b), s, g = ((c.a, c.b), c.points, c.games) if c.a < c.b else ((c.b, c.a), c.games - c.points, c.games)
        sums[a, b] += (g, s, s * s, s * g, g * g)
    return sums


def _limits(
    sums: Mapping[tuple[str, str], npt.NDArray[np.float64]], fixed: set[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """The agents whose ratings results limit from below, and from above.

    An agent that took points from another is not much weaker; so limits spread from the fixed ratings along points.
    """
    took = {(a, b) for (a, b), (games, points, *_) in sums.items() if points > 0}
    took |= {(b, a) for (a, b), (games, points, *_) in sums.items() if points < games}
    return _reached(fixed, {(b, a) for a, b in took}), _reached(fixed, took)


def rate(comparisons: Iterable[Comparison], fixed: Mapping[str, float]) -> Ratings:
    """Rate agents.

    Args:
        comparisons: the results.
        fixed: known ratings, to which the others are relative: one anchor such as ``{"random": 0}``, or more.

    Raises:
        ValueError: a comparison is not possible, no rating is fixed, or no games lead from an agent to a fixed one.
    """
    if not fixed:
        raise ValueError("expected at least one fixed rating, which the others refer to")
    meetings = _Meetings(comparisons, fixed)
    strength = np.zeros(meetings.design.shape[1])
    for _ in range(_STEPS):
        p = meetings.probabilities(strength)
        inverse = np.linalg.inv(meetings.information(p))
        weight = meetings.games * p * (1 - p)
        leverage = weight * np.einsum("mi,ij,mj->m", meetings.design, inverse, meetings.design)
        residual = meetings.points - meetings.games * p + leverage * (0.5 - p)
        step = inverse @ (meetings.design.T @ residual)
        largest = float(np.abs(step).max(initial=0.0))
        strength += step * min(1.0, _LONGEST_STEP / max(largest, _CLOSE))
        if largest < _CLOSE:
            break
    else:
        raise ValueError("the ratings do not settle; agents that hardly met are too far apart")
    return _ratings(meetings, strength)


def _ratings(meetings: _Meetings, strength: npt.NDArray[np.float64]) -> Ratings:
    """The ratings with their covariance, from strengths (F,) in log odds."""
    p = meetings.probabilities(strength)
    squares = meetings.ss - 2 * p * meetings.sg + p * p * meetings.gg
    binomial = p * (1 - p)
    squares = np.clip(squares, meetings.games * binomial, meetings.gg * binomial)
    inverse = np.linalg.inv(meetings.information(p))
    sandwich = inverse @ (meetings.design.T @ (meetings.design * squares[:, np.newaxis])) @ inverse
    n = len(meetings.names)
    covariance = np.zeros((n, n))
    covariance[np.ix_(meetings.free, meetings.free)] = sandwich * _ELO**2
    values = meetings.given.copy()
    values[meetings.free] = strength
    elo = dict(zip(meetings.names, (values * _ELO).tolist(), strict=True))
    return Ratings(elo, covariance, meetings.limited)


def _reached(found: set[str], arrows: set[tuple[str, str]]) -> frozenset[str]:
    """These names, and all to which arrows lead from them."""
    while more := {end for begin, end in arrows if begin in found} - found:
        found = found | more
    return frozenset(found)


def _check_connected(met: list[tuple[str, str]], fixed: set[str], free: list[str]) -> None:
    reached = _reached(fixed, {*met, *((b, a) for a, b in met)})
    if missing := [name for name in free if name not in reached]:
        raise ValueError(f"no games lead from {missing[0]} to {' or '.join(sorted(fixed))}, whose rating is fixed")
