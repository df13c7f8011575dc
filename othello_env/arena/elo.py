"""Elo ratings from results, the errors of the ratings, and the likelihood that one agent is stronger than another.

The model is by Bradley and Terry (Biometrika 39, 1952), on Elo's scale: A's expected score against B is
``1 / (1 + 10 ** ((B - A) / 400))``. A draw counts one half. The ratings maximise the model's likelihood, multiplied
by the penalty of Firth (Biometrika 80, 1993). This penalty is also known as Jeffreys' prior. It removes the first-order
bias of the ratings. It also keeps ratings finite, even for an agent that won or lost all its games. If there are only
two agents, the penalty has the same effect as one more game, which is a draw. So the more games are played, the less
the penalty matters.

The two games from one opening with swapped colours are not independent, so they form one unit. The covariance is a
sandwich estimate: the squared residuals of the units, multiplied on both sides by the inverse of the information
matrix. The squared residuals are unreliable if there are few games or if the games are one-sided. So limits are set to
the squared residuals: a pair of games counts as at least one and at most two independent games.

A game of three agents is three comparisons, one for each two of them: who has the better place? The model then assumes
that the order of two agents does not depend on the third (the choice axiom of Luce, 1959; the rankings of Plackett,
1975), so alliances and weak third players are not seen. The comparisons of a game are not independent. So all games
from one opening form one unit, whose residuals are added up before they are squared. Its comparisons count at least as
if all were independent, and at most as if all were one.

Suppose that one group of agents won every game against the agents outside the group. Then the results say that the
group is stronger, but they set no upper limit to the difference (Ford, Am. Math. Mon. 64, 1957). Only the penalty would
limit it. So a rating that depends on this difference has an interval with an infinite end.

This module computes the ratings itself, because common packages for this model treat all games as independent and can
fix only one rating.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from othello_env.arena.number import Number
from othello_env.arena.tournament.results import Z95, MatchResult, Tournament
from othello_env.support.numbers import check_each, check_real, check_type

__all__ = [
    "Comparison",
    "Fit",
    "Ratings",
    "comparisons",
    "expected_score",
    "find_anchor",
    "rate",
    "rate_tournament",
]

_ELO = 400 / math.log(10)
"""The number of Elo points in one unit of log odds."""
_NORMAL = NormalDist()
_STEPS = 500
_CLOSE = 1e-10
_LONGEST_STEP = 2.0
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Comparison:
    """The games of two agents from one opening. These games count as one unit.

    Attributes:
        a: the name of an agent.
        b: the name of another agent.
        points: the points of agent `a` in these games: 1 for a win, 0.5 for a draw.
        games: the number of games in one unit.
        count: this object stands for this number of units, which all have the same agents, points and games.
    """

    a: str
    b: str
    points: float
    games: int = 2
    count: int = 1


@dataclass(frozen=True)
class Ratings:
    """Ratings of K agents.

    Attributes:
        elo: the ratings by name. Agents with fixed ratings come first. An agent without a rating has NaN.
        covariance: (K, K) float64, the covariance of the ratings in the order of `elo`, in squared Elo points; 0 for
            fixed ratings.
        limited: two sets of agents. The results set a lower limit to the rating of each agent in the first set, and an
            upper limit to the rating of each agent in the second set.
    """

    elo: dict[str, float]
    covariance: npt.NDArray[np.float64]
    limited: tuple[frozenset[str], frozenset[str]]

    def __repr__(self) -> str:
        shown = [f"{agent} {self.number(agent).brief}" for agent in self.order[:_SHOWN]]
        return f"<Ratings {', '.join([*shown, *['...'] * (len(self.elo) > _SHOWN)])}>"

    def error(self, agent: str) -> float:
        """The standard error of a rating, in Elo points."""
        i = list(self.elo).index(agent)
        return math.sqrt(self.covariance[i, i])

    @property
    def order(self) -> list[str]:
        """The agents from the best to the worst. Agents without a rating come last."""
        return sorted(self.elo, key=lambda agent: math.inf if math.isnan(self.elo[agent]) else -self.elo[agent])

    def without(self, agents: Collection[str]) -> Ratings:
        """The same ratings, except that the ratings of these agents are NaN."""
        below, above = self.limited
        elo = {agent: math.nan if agent in agents else elo for agent, elo in self.elo.items()}
        return replace(self, elo=elo, limited=(below.difference(agents), above.difference(agents)))

    def interval(self, agent: str) -> tuple[float, float]:
        """The 95% interval of a rating. An end is infinite if the results do not limit the rating in that direction."""
        half, (below, above) = Z95 * self.error(agent), self.limited
        return (
            self.elo[agent] - half if agent in below else -math.inf,
            self.elo[agent] + half if agent in above else math.inf,
        )

    def number(self, agent: str) -> Number:
        """A rating with its 95% interval."""
        elo = self.elo[agent]
        return Number("Elo", "", None if math.isnan(elo) else elo, "elo", *self.interval(agent))

    def superiority(self, a: str, b: str) -> float:
        """The likelihood, 0 to 1, that agent `a` is stronger than agent `b`; NaN if either has no rating."""
        i, j = list(self.elo).index(a), list(self.elo).index(b)
        difference = self.elo[a] - self.elo[b]
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        if variance <= 0:
            return 0.5 + 0.5 * ((difference > 0) - (difference < 0))
        return _NORMAL.cdf(difference / math.sqrt(variance))


def expected_score(difference: float) -> float:
    """The expected score, 0 to 1, of an agent that is rated this many points above its opponent.

    >>> round(expected_score(200), 4)
    0.7597
    """
    return 1 / (1 + math.exp(-difference / _ELO))


class _Meetings:
    """The comparisons, added up for each pair of agents. M = pairs of agents that met, F = ratings to be found.

    Attributes:
        names: the names of the agents. Agents with fixed ratings come first.
        free: for each name, True if the rating must be found, False if it is fixed.
        given: for each name, the fixed rating in log odds; 0 if the rating must be found.
        games, points, ss, sg, gg: (M,) each, the five sums that `_sums` returns for each pair.
        design: (M, F), a row for each pair. The row has 1 in the first agent's column, -1 in the second agent's column,
            and 0 in the other columns.
        offset: (M,), the entry of `given` for the first agent minus the entry for the second agent.
        limited: see `Ratings`.
        units: the points and the games of each unit, (U, M) each; None if each unit is of two agents.
    """

    def __init__(
        self,
        comparisons: Iterable[Comparison | Sequence[Comparison]],
        fixed: Mapping[str, float],
        agents: Iterable[str],
    ) -> None:
        units = [unit if isinstance(unit, Sequence) else [unit] for unit in comparisons]
        flat = [each for unit in units for each in unit]
        sums = _sums(flat)
        self.names = list(dict.fromkeys([*fixed, *(name for each in flat for name in (each.a, each.b)), *agents]))
        self.free = np.array([name not in fixed for name in self.names])
        reached = _reached(set(fixed), {*sums, *((b, a) for a, b in sums)})
        if missing := [name for name in self.names if name not in reached]:
            raise ValueError(f"no games lead from {missing[0]} to {' or '.join(sorted(fixed))}, whose rating is fixed")
        both = np.zeros((len(sums), len(self.names)))
        for row, (a, b) in zip(both, sums, strict=True):
            row[self.names.index(a)], row[self.names.index(b)] = 1.0, -1.0
        self.design: npt.NDArray[np.float64] = both[:, self.free]
        self.given = np.array([fixed.get(name, 0.0) / _ELO for name in self.names])
        self.offset = both @ self.given
        self.games, self.points, self.ss, self.sg, self.gg = np.array(list(sums.values())).reshape(-1, 5).T
        self.limited = _limits(sums, set(fixed))
        self.units: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None = None
        if any(len(unit) > 1 for unit in units):
            place, (points, games) = {pair: m for m, pair in enumerate(sums)}, np.zeros((2, len(units), len(sums)))
            for u, unit in enumerate(units):
                for c in unit:
                    m = place[min(c.a, c.b), max(c.a, c.b)]
                    points[u, m] += c.points if c.a < c.b else c.games - c.points
                    games[u, m] += c.games
            self.units = points, games

    def information(
        self, p: npt.NDArray[np.float64], games: npt.NDArray[np.float64] | None = None
    ) -> npt.NDArray[np.float64]:
        """Fisher's information matrix, (F, F), for the expected scores p, (M,).

        `games`, (M,), is the number of games of each pair; None for the games that were played.
        """
        weight = (self.games if games is None else games) * p * (1 - p)
        information: npt.NDArray[np.float64] = self.design.T @ (self.design * weight[:, np.newaxis])
        return information

    def squares(self, p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The sum over the units of their squared residuals, (F, F), for the expected scores p, (M,).

        It is limited in every direction; see the top of this file.
        """
        if self.units is None:
            squares = self.ss - 2 * p * self.sg + p * p * self.gg
            binomial = p * (1 - p)
            squares = np.clip(squares, self.games * binomial, self.gg * binomial)
            return np.asarray(self.design.T @ (self.design * squares[:, np.newaxis]))
        points, games = self.units
        residuals = (points - games * p) @ self.design
        root = np.linalg.cholesky(self.information(p))
        scaled = np.linalg.solve(root, residuals.T)  # of independent games, the squares would add up to the unit matrix
        factors, directions = np.linalg.eigh(scaled @ scaled.T * len(games) / max(len(games) - 1, 1))
        turned = root @ directions
        return np.asarray(turned * np.clip(factors, 1.0, games.sum(axis=1).max()) @ turned.T)

    def probabilities(self, strength: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """For each of the M pairs, the score (M,) that the model expects for the first agent.

        `strength`, (F,), has the strengths of the agents whose ratings are not fixed, in log odds.
        """
        odds: npt.NDArray[np.float64] = np.exp(self.design @ strength + self.offset)
        return odds / (1 + odds)


def _sums(units: Iterable[Comparison]) -> dict[tuple[str, str], npt.NDArray[np.float64]]:
    """For each pair of agents that met, five sums over their comparisons.

    The keys of the result are the names of the two agents, in alphabetical order. In a comparison of g games, the first
    agent has s points. The five sums are the sums of g, s, s * s, s * g and g * g.

    Raises:
        ValueError: a comparison is impossible, for example because it has more points than games.
    """
    sums: dict[tuple[str, str], npt.NDArray[np.float64]] = defaultdict(lambda: np.zeros(5))
    for c in check_each("comparisons", units, Comparison):
        if c.a == c.b or not 0 <= c.points <= c.games or c.games < 1:
            raise ValueError(f"expected two agents with 0 to {c.games} points in at least one game, got {c}")
        if c.count < 1:
            raise ValueError(f"expected a count of at least 1, got {c}")
        (a, b), s, g = ((c.a, c.b), c.points, c.games) if c.a < c.b else ((c.b, c.a), c.games - c.points, c.games)
        sums[a, b] += np.array((g, s, s * s, s * g, g * g), np.float64) * c.count
    return sums


def _limits(
    sums: Mapping[tuple[str, str], npt.NDArray[np.float64]], fixed: set[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """The agents whose ratings have a lower limit, and the agents whose ratings have an upper limit; see `Ratings`.

    A fixed rating has both limits. If agent A took points from agent B, A cannot be much weaker than B. So a lower
    limit of B's rating also gives a lower limit of A's rating. For the same reason, an upper limit of A's rating also
    gives an upper limit of B's rating.
    """
    took = {(a, b) for (a, b), (games, points, *_) in sums.items() if points > 0}
    took |= {(b, a) for (a, b), (games, points, *_) in sums.items() if points < games}
    return _reached(fixed, {(b, a) for a, b in took}), _reached(fixed, took)


def find_anchor(anchor: str | None, agents: Sequence[str]) -> str:
    """The anchor, the agent whose rating is 0: by default ``random`` if it is one of the agents, else the first agent.

    Raises:
        ValueError: the anchor is not one of the agents.
    """
    if anchor is None:
        return "random" if "random" in agents else agents[0]
    if anchor not in agents:
        raise ValueError(f"expected one of {', '.join(agents)} as the anchor, got {anchor!r}")
    return anchor


def rate(
    comparisons: Iterable[Comparison | Sequence[Comparison]], fixed: Mapping[str, float], agents: Iterable[str] = ()
) -> Ratings:
    """Compute the Elo ratings of agents from their results.

    Args:
        comparisons: the results. Those that are not independent of each other, as in games of three agents, are
            together in a list.
        fixed: at least one known rating by name, such as ``{"random": 0}``. The other ratings are relative to the
            fixed ratings.
        agents: agents that must have a rating. An error is raised if such an agent has no games.

    Raises:
        ValueError: a comparison is impossible, no rating is fixed, the ratings do not converge, or no chain of games
            leads from an agent to an agent with a fixed rating.
    """
    if not check_type("fixed", fixed, Mapping):
        raise ValueError("expected at least one fixed rating; the other ratings are relative to it")
    for name, elo in fixed.items():
        check_real(f"the rating of {name}", elo)
    meetings = _Meetings(comparisons, fixed, agents)
    strength = np.zeros(meetings.design.shape[1])
    for _ in range(_STEPS):
        p = meetings.probabilities(strength)
        inverse = np.linalg.inv(meetings.information(p))
        weight = meetings.games * p * (1 - p)
        leverage = weight * np.einsum("mi,ij,mj->m", meetings.design, inverse, meetings.design)
        residual = meetings.points - meetings.games * p + leverage * (0.5 - p)
        # For each pair of agents, the penalty has the effect of `leverage` more games. `slope` counts these games, too.
        # Without them, the loop would not converge for two agents with only one game: each step would go too far.
        slope = meetings.information(p, meetings.games + leverage)
        step = np.linalg.solve(slope, meetings.design.T @ residual)
        largest = float(np.abs(step).max(initial=0.0))
        strength += step * min(1.0, _LONGEST_STEP / max(largest, _CLOSE))
        if largest < _CLOSE:
            break
    else:
        raise ValueError("the ratings do not converge; agents that met in only a few games are too far apart")
    return _ratings(meetings, strength)


def _ratings(meetings: _Meetings, strength: npt.NDArray[np.float64]) -> Ratings:
    """The ratings with their covariance, from strengths in log odds, (F,)."""
    p = meetings.probabilities(strength)
    inverse = np.linalg.inv(meetings.information(p))
    sandwich = inverse @ meetings.squares(p) @ inverse
    n = len(meetings.names)
    covariance = np.zeros((n, n))
    covariance[np.ix_(meetings.free, meetings.free)] = sandwich * _ELO**2
    values = meetings.given.copy()
    values[meetings.free] = strength
    elo = dict(zip(meetings.names, (values * _ELO).tolist(), strict=True))
    return Ratings(elo, covariance, meetings.limited)


def _reached(names: set[str], arrows: set[tuple[str, str]]) -> frozenset[str]:
    """The given names, and every name that can be reached from them by following arrows (begin, end)."""
    while more := {end for begin, end in arrows if begin in names} - names:
        names = names | more
    return frozenset(names)


_LEAST_EXPECTED = 5.0
"""If one of two agents is expected to get fewer points than this number, a chi-square does not count their games."""


@dataclass(frozen=True)
class Fit:
    """A chi-square test (Pearson): does one rating explain an agent's scores against the rungs of a ladder?

    A rung is an opponent with a known rating; see `othello_env.arena.benchmark.ladder`.

    Attributes:
        chi_square: the sum over rungs of (the agent's points - its expected points)^2 / variance of the points.
        rungs: the number of rungs in the sum. A rung is left out if the agent or the rung is expected to get fewer than
            5 points.
        deviation: the standard deviation of the scores (0 to 1) from the expected scores, without the effect of chance.
    """

    chi_square: float
    rungs: int
    deviation: float = 0.0

    @classmethod
    def from_scores(cls, scores: Iterable[tuple[Sequence[float], float]]) -> Fit:
        """The test of an agent's scores against several rungs.

        Args:
            scores: a pair (points, expected) for each rung. `points` is a list with the agent's points, 0 to 2, in each
                colour-swapped pair of games. `expected` is the agent's expected score in one game, 0 to 1.
        """
        terms, apart = [], []
        for points, p in scores:
            n, variance = len(points), p * (1 - p)
            if 2 * n * min(p, 1 - p) >= _LEAST_EXPECTED:
                # Limit the squares, so that a pair counts as 1 to 2 independent games (see `elo`).
                squares = sum((x - 2 * p) ** 2 for x in points)
                squares = min(max(squares, 2 * n * variance), 4 * n * variance)
                difference = (sum(points) - 2 * n * p) ** 2
                terms.append(difference / squares)
                apart.append((difference - squares) / (2 * n) ** 2)
        return cls(sum(terms), len(terms), max(sum(apart) / len(apart), 0.0) ** 0.5 if apart else 0.0)

    @property
    def p_value(self) -> float:
        """The probability of a chi-square as large as `chi_square` or larger, if one rating explains all scores."""
        from scipy.special import chdtrc  # not above: the import would make every command start later

        return float(chdtrc(self.rungs - 1, self.chi_square)) if self.rungs > 1 else 1.0


def comparisons(matches: Iterable[MatchResult]) -> list[list[Comparison]]:
    """The results of agents against each other: a list for each unit, with a `Comparison` for each two agents in it.

    The units are those of `MatchResult.independent_points`. In games of three agents, the matches share them.
    """
    units: dict[object, list[Comparison]] = defaultdict(list)
    for number, match in enumerate(matches):
        shared = len(match.records[0].agents) > 2
        for opening, points in match.independent_points().items():
            unit = units[opening if shared else (number, opening)]
            unit.append(Comparison(*match.agents, sum(points), len(points)))
    return list(units.values())


def rate_tournament(result: Tournament, anchor: str | None = None) -> Ratings:
    """Elo ratings of the agents of a tournament. One agent, called the anchor, has the rating 0.

    The scale is that of these games alone: other agents or openings give other numbers, also to an agent that has a
    rating on a ladder.

    The rating of an agent that forfeited all its games is NaN. If this agent is the anchor, all ratings are NaN.

    Args:
        result: the tournament.
        anchor: the name of the anchor; by default ``random`` if it plays, otherwise the first agent.

    Raises:
        ValueError: the anchor does not play, the ratings do not converge, or no chain of games leads from an agent to
            the anchor.
    """
    anchor = find_anchor(anchor, check_type("the result", result, Tournament).agents)
    scores = result.scores()
    place = {name: i for i, name in enumerate(result.agents)}
    played = {
        agent
        for record in result.records
        for player, agent in enumerate(record.agents)
        if record.fault is None or record.fault[0] != player
    }
    units = comparisons(match for (a, b), match in scores.items() if place[a] < place[b])
    without = {*result.agents} - played
    return rate(units, {anchor: 0.0}).without({*result.agents} if anchor in without else without)
