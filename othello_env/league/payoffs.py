"""The payoffs of a league: the scores of its members against each other, and statistics of these scores.

**Transitivity.** Balduzzi et al. (Open-ended learning in symmetric zero-sum games, ICML 2019) split the results of a
league into two parts. Ratings explain the transitive part. The cyclic part is like rock, paper, scissors: A beats B, B
beats C, and C beats A. Here, the transitive part is the part that Elo ratings explain. The cyclic part is the rest,
after the effect of chance has been subtracted.

**Nash averaging** finds a mixture (a probability for each member) that no member beats. Balduzzi et al. (Re-evaluating
evaluation, NeurIPS 2018) describe the comparison of agents as a game between two people. Each person chooses an agent,
and these two agents play. The Nash equilibrium of this game gives each agent a probability, its share. An agent that
beats only weak agents gets no share, even if there are many weak agents. There may be several equilibria. `nash` takes
the equilibrium with the largest entropy, because it gives equal shares to agents with equal results.

In shapes, M is the number of members.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from othello_env.arena.rating.elo import (
    LEAST_EXPECTED,
    Comparison,
    Ratings,
    chi_square_tail,
    expected_score,
    find_anchor,
    rate,
)
from othello_env.arena.tournament.results import interval_of
from othello_env.drawing.charts import matrix_chart, png, rating_chart
from othello_env.league.members import Member, Results
from othello_env.support.notebook import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Payoffs",
    "Transitivity",
    "Worst",
    "nash",
    "payoff_chart",
    "payoff_picture",
    "rating_picture",
    "snapshot_chart",
]

_CLOSE = 1e-6
_ENOUGH, _LEAST_SPREAD = 20, 0.1
_GAME, _PAIR = (0.0, 0.5, 1.0), (0.0, 0.5, 1.0, 1.5, 2.0)
_Numbers = npt.NDArray[np.float64]


_Unit = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], float]
"""The results of two members: (counts, points, expected score).

The results are counted in units. If the results come from matches, a unit is a pair of games. If they come from
training, a unit is one game. ``counts[k]`` is the number of units in which the first member had ``points[k]`` points.
The expected score, 0 to 1, is the score that the ratings predict for the first member in one game.
"""


@dataclass(frozen=True)
class Worst:
    """The opponent against which a member scores least.

    Attributes:
        opponent: the opponent's name.
        score: the member's score against this opponent, 0 to 1.
        interval: the 95% interval of the score. The score is the lowest of several scores, so the true score is
            probably a little higher. The interval ignores this.
    """

    opponent: str
    score: float
    interval: tuple[float, float]


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


@dataclass(frozen=True)
class Payoffs:
    """The results of M members against each other.

    The score of one member against another comes from their matches. If they have played no matches, the score comes
    from the training of the learner. The training games of a snapshot are the games that the learner played after the
    previous snapshot was added and before this snapshot was added. These games had the openings and the exploration of
    the training, and not those of the matches.

    Attributes:
        names: (M,), the members' names.
        played: (M,). For a snapshot, the number of plies, steps or games that the learner had played when the snapshot
            was added; for a fixed member, None.
        pairs: (M, M, 5) int64, results of matches. A pair of games is two games from one opening with swapped colours.
            The five entries are the numbers of pairs in which the row's member had 0, 1/2, 1, 1 1/2 and 2 points
            against the column's member.
        training: (M, M, 3) int64, the numbers of training games that the row's member lost, drew and won against the
            column's member.
    """

    names: tuple[str, ...]
    played: tuple[int | None, ...]
    pairs: npt.NDArray[np.int64]
    training: npt.NDArray[np.int64]

    @classmethod
    def of(cls, members: Iterable[Member], results: Results) -> Payoffs:
        """The results of these members against each other."""
        members = [*members]
        place = {member.number: i for i, member in enumerate(members)}
        m = len(members)
        pairs, training = np.zeros((m, m, len(_PAIR)), np.int64), np.zeros((m, m, len(_GAME)), np.int64)
        for (a, b), meeting in results.meetings.items():
            i, j = place[a], place[b]
            pairs[i, j], training[i, j] = meeting.pairs, meeting.training
            pairs[j, i], training[j, i] = meeting.pairs[::-1], meeting.training[::-1]
        played = tuple(None if member.fixed else member.played for member in members)
        return cls(tuple(member.name for member in members), played, pairs, training)

    def __str__(self) -> str:
        met = int(np.count_nonzero(np.triu(self.games)))
        return f"{len(self.names)} members: {met} of {math.comb(len(self.names), 2)} pairs have met"

    def __repr__(self) -> str:
        return f"<Payoffs of {self}>"

    def _repr_html_(self) -> str | None:
        """A notebook shows the scores as a heat map."""
        return picture(png(payoff_chart(self)), repr(self)) if self.names else None

    @cached_property
    def from_matches(self) -> npt.NDArray[np.bool_]:
        """(M, M) bool, whether the score of two members comes from matches. Otherwise it comes from training."""
        return np.asarray(self.pairs.any(axis=2))

    @cached_property
    def games(self) -> npt.NDArray[np.int64]:
        """(M, M) int64, the number of games on which the score of two members is based."""
        return np.asarray(np.where(self.from_matches, 2 * self.pairs.sum(axis=2), self.training.sum(axis=2)))

    @cached_property
    def scores(self) -> _Numbers:
        """(M, M) float64, the score, 0 to 1, of each row's member against each column's member; NaN without games."""
        points = np.where(self.from_matches, self.pairs @ np.array(_PAIR), self.training @ np.array(_GAME))
        return np.where(self.games > 0, points / np.maximum(self.games, 1), np.nan)

    @cached_property
    def intervals(self) -> _Numbers:
        """(M, M, 2) float64, the 95% interval of each score; (0, 1) if two members have not met."""
        found = np.empty((*self.games.shape, 2))
        for i, j in np.ndindex(self.games.shape):
            counts, values = self._units(i, j)
            n, scores = int(counts.sum()), values / values[-1]
            mean = float(counts @ scores) / n if n else 0.0
            found[i, j] = interval_of(n, mean, float(counts @ (scores - mean) ** 2))
        return found

    def _units(self, i: int, j: int) -> tuple[npt.NDArray[np.int64], _Numbers]:
        """How many times member i had each possible number of points against member j.

        The points are those of a pair of games (in matches) or of a single game (in training).

        Returns:
            (counts, points): member i had `points[k]` points `counts[k]` times.
        """
        if self.from_matches[i, j]:
            return self.pairs[i, j], np.array(_PAIR)
        return self.training[i, j], np.array(_GAME)

    def _comparisons(self) -> list[Comparison]:
        found = []
        for i, j in combinations(range(len(self.names)), 2):
            counts, values = self._units(i, j)
            for count, points in zip(counts.tolist(), values.tolist(), strict=True):
                if count:
                    found.append(Comparison(self.names[i], self.names[j], points, int(values[-1]), count))
        return found

    def ratings(self, anchor: str | None = None) -> Ratings:
        """Elo ratings of the members.

        Args:
            anchor: the member whose rating is 0; by default ``random`` if it is a member, otherwise the first member.

        Raises:
            ValueError: there is no such member, or games do not connect every member with the anchor, directly or
                through other members.
        """
        return rate(self._comparisons(), {find_anchor(anchor, self.names): 0.0}, self.names)

    def worst(self, name: str) -> Worst:
        """The opponent against which a member scores least: the greatest weakness of the member in the league.

        Against an opponent outside the league, the member may score even less.

        Raises:
            ValueError: there is no such member, or it has met no other member.
        """
        row = self.scores[self._place(name)]
        if np.isnan(row).all():
            raise ValueError(f"{name!r} has met no other member")
        j = int(np.nanargmin(row))
        low, high = self.intervals[self._place(name), j].tolist()
        return Worst(self.names[j], float(row[j]), (low, high))

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(f"expected one of {', '.join(self.names)}, got {name!r}")
        return self.names.index(name)

    def transitivity(self) -> Transitivity:
        """How well the scores can be explained by one rating for each member.

        Raises:
            ValueError: games do not connect all members, directly or through other members.
        """
        ratings = self.ratings()
        units = []
        for i, j in combinations(range(len(self.names)), 2):
            if self.games[i, j]:
                expected = expected_score(ratings.elo[self.names[i]] - ratings.elo[self.names[j]])
                units.append((*self._units(i, j), expected))
        return _fit_of(units, len(self.names))

    def nash(self) -> dict[str, float]:
        """The probability of each member, by name, in the Nash equilibrium (see `nash`).

        Raises:
            ValueError: two members have not met; `League.complete` lets them play.
        """
        scores = self.scores.copy()
        np.fill_diagonal(scores, 0.5)
        if np.isnan(scores).any():
            i, j = np.argwhere(np.isnan(scores))[0]
            raise ValueError(f"{self.names[i]!r} and {self.names[j]!r} have not met; complete the league's matches")
        return dict(zip(self.names, nash(scores - 0.5).tolist(), strict=True))

    def to_json(self) -> dict[str, Any]:
        """The attributes `names`, `played`, `scores`, `intervals` and `games` as values that JSON can hold.

        A score is None if two members have not met.
        """
        return {
            "names": [*self.names],
            "played": [*self.played],
            "scores": [[None if math.isnan(s) else round(s, 4) for s in row] for row in self.scores.tolist()],
            "intervals95": np.round(self.intervals, 4).tolist(),
            "games": self.games.tolist(),
        }


def _fit_of(units: Sequence[_Unit], members: int) -> Transitivity:
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


def nash(payoffs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Find a Nash equilibrium of a symmetric game for two players.

    If there are several equilibria, the result is the one with the largest entropy.

    SciPy first finds an equilibrium with a linear program. Then SciPy maximises the entropy. If
    the maximisation fails, the result is the equilibrium of the linear program.

    Args:
        payoffs: (M, M) float64, for M members. Entry [i, j] is the gain of member i against member j. It must be minus
            entry [j, i].

    Returns:
        (M,) float64, a probability for each member. The probabilities add up to 1. Against an opponent that is drawn
        with these probabilities, no member has an average gain above 0.

    Raises:
        ValueError: the matrix is not antisymmetric, or the linear program found no equilibrium.
    """
    if not np.allclose(payoffs, -payoffs.T, atol=_CLOSE):
        raise ValueError("expected an antisymmetric matrix: the gain of one member must be the loss of the other")
    from scipy import optimize

    m = len(payoffs)
    simplex = np.ones((1, m))
    found = optimize.linprog(
        np.zeros(m), A_ub=payoffs, b_ub=np.zeros(m), A_eq=simplex, b_eq=[1.0], bounds=(0, 1), method="highs"
    )
    if not found.success:
        raise ValueError(f"no equilibrium was found: {found.message}")
    even = optimize.minimize(
        lambda p: float(np.sum(p * np.log(np.maximum(p, 1e-300)))),
        np.clip(found.x, 0, 1),
        jac=lambda p: np.log(np.maximum(p, 1e-12)) + 1,
        bounds=[(0, 1)] * m,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: simplex[0]},
            {"type": "ineq", "fun": lambda p: -payoffs @ p, "jac": lambda p: -payoffs},
        ],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    best = np.clip(even.x, 0, None)
    if not even.success or (payoffs @ best).max() > _CLOSE or abs(best.sum() - 1) > _CLOSE:
        best = np.clip(found.x, 0, None)
    return np.asarray(best / best.sum())


def payoff_picture(payoffs: Payoffs, title: str = "Payoffs of the league") -> Image.Image:
    """A heat map of the scores between members. The members are in the order in which they were added."""
    return _image(payoff_chart(payoffs, title))


def payoff_chart(payoffs: Payoffs, title: str = "Payoffs of the league") -> Figure:
    """The heat map of `payoff_picture` as a matplotlib figure."""
    games = int(payoffs.games.sum()) // 2
    return matrix_chart(
        title, f"score of each row against each column, {games:,} games", payoffs.names, payoffs.scores.tolist()
    )


def rating_picture(
    payoffs: Payoffs, anchor: str | None = None, title: str = "Ratings of the snapshots", unit: str = "plies"
) -> Image.Image:
    """A chart of the snapshots' Elo ratings over training, with 95% intervals.

    A horizontal line shows the rating of each fixed member.

    Args:
        payoffs: the results. Games must connect all members, directly or through other members.
        anchor: the member whose rating is 0, as in `Payoffs.ratings`.
        title: the text at the top.
        unit: the unit of `Payoffs.played`, which the label of the horizontal axis names.

    Raises:
        ValueError: games do not connect all members, or there is no snapshot.
    """
    return _image(snapshot_chart(payoffs, anchor, title, unit))


def snapshot_chart(
    payoffs: Payoffs, anchor: str | None = None, title: str = "Ratings of the snapshots", unit: str = "plies"
) -> Figure:
    """The chart of `rating_picture` as a matplotlib figure."""
    ratings = payoffs.ratings(anchor)
    points, lines = [], {}
    for name, played in zip(payoffs.names, payoffs.played, strict=True):
        elo, (low, high) = ratings.elo[name], ratings.interval(name)
        if played is None:
            lines[name] = elo
        else:
            points.append((played, elo, low if math.isfinite(low) else elo, high if math.isfinite(high) else elo))
    zero = next(name for name, elo in ratings.elo.items() if elo == 0)
    return rating_chart(title, f"Elo, {zero} = 0, with 95% intervals", points, lines, f"{unit} of training")


def _image(chart: Figure) -> Image.Image:
    return Image.open(io.BytesIO(png(chart))).convert("RGB")
