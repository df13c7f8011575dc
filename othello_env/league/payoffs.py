"""The payoffs of a league: the scores of its members against each other, their ratings, and pictures of both.

In shapes, M is the number of members.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from othello_env.arena.elo import Comparison, Ratings, find_anchor, rate
from othello_env.arena.tournament.results import interval_of
from othello_env.drawing.charts import matrix_chart, png
from othello_env.league.files import MemberState
from othello_env.league.members import Member, Results
from othello_env.support.notebook import picture
from othello_env.support.numbers import check_type

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Payoffs", "Worst", "payoff_chart"]

_GAME, _PAIR = (0.0, 0.5, 1.0), (0.0, 0.5, 1.0, 1.5, 2.0)
_Numbers = npt.NDArray[np.float64]


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
    def from_results(cls, members: Iterable[Member | MemberState], results: Results) -> Payoffs:
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
        intervals = np.empty((*self.games.shape, 2))
        for i, j in np.ndindex(self.games.shape):
            counts, values = self._units(i, j)
            n, scores = int(counts.sum()), values / values[-1]
            mean = float(counts @ scores) / n if n else 0.0
            intervals[i, j] = interval_of(n, mean, float(counts @ (scores - mean) ** 2))
        return intervals

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
        comparisons = []
        for i, j in combinations(range(len(self.names)), 2):
            counts, values = self._units(i, j)
            for count, points in zip(counts.tolist(), values.tolist(), strict=True):
                if count:
                    comparisons.append(Comparison(self.names[i], self.names[j], points, int(values[-1]), count))
        return comparisons

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


def payoff_chart(payoffs: Payoffs) -> Figure:
    """A heat map of the scores between members. The members are in the order in which they were added."""
    games = int(check_type("payoffs", payoffs, Payoffs).games.sum()) // 2
    subtitle = f"score of each row against each column, {games:,} games"
    return matrix_chart("Payoffs of the league", subtitle, payoffs.names, payoffs.scores.tolist())
