"""The results of finished games: the score of one agent against another, and the scores of a whole tournament."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from statistics import NormalDist
from typing import Any, TypeVar

from othello_env.arena.number import interval_text, score_text
from othello_env.arena.play.records import GameRecord, forfeits
from othello_env.arena.statistics import PairedTest, paired_test
from othello_env.support.notebook import table
from othello_env.support.numbers import check_each, check_whole

__all__ = [
    "Z95",
    "MatchResult",
    "Tournament",
    "interval_of",
    "overall",
    "score_interval",
]

_T = TypeVar("_T")

Z95 = NormalDist().inv_cdf(0.975)
"""Half the width of a normal 95% interval, in standard errors."""


@dataclass(frozen=True)
class MatchResult:
    """The results of an agent against an opponent, in a match, in a tournament or on the ladder of rated opponents.

    In a game of three players, the agent wins against the opponent if it has a better place: a better result, or the
    same result with a better margin.

    Attributes:
        agents: the name of the agent, and the name of the opponent.
        records: the games in which both agents played.
    """

    agents: tuple[str, str]
    records: tuple[GameRecord, ...]

    def __repr__(self) -> str:
        faults = {"the first": self.faults(0), "the second": self.faults(1)}
        forfeited = "".join(f", {name} forfeited {len(records)}" for name, records in faults.items() if records)
        return (
            f"<MatchResult {self.games} games: {self.wins} wins, {self.draws} draws, {self.losses} losses, "
            f"score {score_text(self.score)} ({interval_text(*self.interval)}), margin {self.margin:+.1f}{forfeited}>"
        )

    def _repr_html_(self) -> str:
        """A notebook shows the result as a table."""
        score = f"{score_text(self.score)} ({interval_text(*self.interval)})"
        counts = [str(count) for count in (self.games, self.wins, self.draws, self.losses)]
        head = ("agents", "games", "won", "drawn", "lost", "score (95%)", "mean disc difference")
        return table(head, [(" against ".join(self.agents), *counts, score, f"{self.margin:+.1f}")])

    @property
    def games(self) -> int:
        return len(self.records)

    @property
    def wins(self) -> int:
        return self._points.count(1.0)

    @property
    def draws(self) -> int:
        return self._points.count(0.5)

    @property
    def losses(self) -> int:
        return self._points.count(0.0)

    @property
    def score(self) -> float:
        """(wins + draws / 2) / games; NaN without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of `score`; see `score_interval` and `independent_points`."""
        return score_interval([sum(points) / len(points) for points in self.independent_points().values()])

    @property
    def draw_rate(self) -> float:
        """The share of drawn games; NaN without games."""
        return self.draws / self.games if self.games else math.nan

    @property
    def pairs(self) -> tuple[int, int, int, int, int]:
        """Five numbers: in how many colour-swapped pairs of games the agent had 0, 1/2, 1, 1 1/2 and 2 points.

        A pair is two games with the same opening. An opening with fewer or more than two games is left out.
        """
        points = [round(2 * sum(pair)) for pair in self.points_by_opening() if len(pair) == 2]
        none, half, one, more, two = (points.count(k) for k in range(5))
        return none, half, one, more, two

    def paired_test(self) -> PairedTest:
        """Test whether the agents are equally good; the games with the same opening are one pair, see
        `independent_points`.

        The difference is the agent's mean result, with 1 for a win, 0 for a draw and -1 for a loss: 2 * score - 1. Its
        interval is computed in the same way from that of the score.

        Raises:
            ValueError: there are no games.
        """
        scores = [sum(points) / len(points) for points in self.independent_points().values()]
        low, high = self.interval
        return replace(paired_test(scores, [1 - score for score in scores]), interval=(2 * low - 1, 2 * high - 1))

    @property
    def margin(self) -> float:
        """The mean margin of a game, in the unit of the game's scores (discs in Othello); NaN without games.

        In a game of two players, this margin is the agent's margin in the record. In a game of three players, it is
        (the agent's margin - the opponent's margin) / 2.
        """
        margins = [(mine - theirs) / 2 for mine, theirs in (self._of_both(r, r.margins) for r in self.records)]
        return sum(margins) / self.games if self.games else math.nan

    @cached_property
    def _points(self) -> list[float]:
        """The agent's points in each game: 1 for a win, 0.5 for a draw, 0 for a loss."""
        results = [self._of_both(record, record.places) for record in self.records]
        return [0.5 + 0.5 * ((mine > theirs) - (mine < theirs)) for mine, theirs in results]

    def _of_both(self, record: GameRecord, numbers: Sequence[_T]) -> tuple[_T, _T]:
        """The agent's number and the opponent's number. `numbers` has a number for each player of the game."""
        first, second = self.agents
        return numbers[record.agents.index(first)], numbers[record.agents.index(second)]

    def points_by_opening(self) -> list[list[float]]:
        """For each opening, the agent's points in the games with this opening: 1 for a win, 0.5 for a draw, else 0."""
        by_opening: dict[int, list[float]] = defaultdict(list)
        for record, points in zip(self.records, self._points, strict=True):
            by_opening[record.opening].append(points)
        return list(by_opening.values())

    def independent_points(self) -> dict[int, list[float]]:
        """As `points_by_opening`, by the number of the opening and without games that repeat others move by move; for
        intervals, ratings and tests.

        Agents without random choices repeat their games when a list of openings begins again, which tells nothing new.
        Random openings are drawn anew each time, so their games all count.
        """
        games: dict[int, list[GameRecord]] = defaultdict(list)
        for record in self.records:
            games[record.opening].append(record)
        units: dict[Any, tuple[int, list[float]]] = {}
        for (number, records), points in zip(games.items(), self.points_by_opening(), strict=True):
            is_drawn = (records[0].openings or "").startswith("random")
            played = sorted((r.position or (), r.opening_moves, r.agents, r.moves) for r in records)
            units.setdefault(number if is_drawn else tuple(played), (number, points))
        return dict(units.values())

    def to_json(self) -> dict[str, Any]:
        """The results as plain values.

        `mean_disc_difference` is the value of `margin`. `illegal_or_failed` is the number of games that the agent
        forfeited.
        """
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "draw_rate": round(self.draw_rate, 4),
            "pairs": [*self.pairs],
            "score": round(self.score, 4),
            "interval95": [round(end, 4) for end in self.interval],
            "mean_disc_difference": round(self.margin, 2),
            "illegal_or_failed": len(self.faults(0)),
        }

    def faults(self, agent: int) -> list[str]:
        """The reasons why the agent (`agent` is 0) or the opponent (`agent` is 1) forfeited games."""
        return forfeits(self.agents[check_whole("agent", agent, 0, 1)], self.records)


@dataclass(frozen=True)
class Tournament:
    """The results of a tournament. The results do not depend on the order in which the games were played.

    Attributes:
        agents: the names of the agents.
        records: the games, sorted by opening. Games with the same opening are sorted by their agents, in the order of
            `agents`.
    """

    agents: tuple[str, ...]
    records: tuple[GameRecord, ...]

    def __repr__(self) -> str:
        faults = sum(record.fault is not None for record in self.records)
        forfeited = f", {faults} forfeited" if faults else ""
        return f"<Tournament of {len(self.agents)} agents: {len(self.records)} games{forfeited}>"

    @classmethod
    def from_records(cls, agents: Iterable[str], records: Iterable[GameRecord]) -> Tournament:
        """The results of these games between these agents."""
        names = tuple(agents)
        place = {name: i for i, name in enumerate(names)}
        given = list(check_each("records", records, GameRecord))
        if unknown := {name for record in given for name in record.agents} - set(names):
            raise ValueError(f"expected records of {', '.join(map(str, names))}, got records of {', '.join(unknown)}")
        return cls(names, tuple(sorted(given, key=lambda r: (r.opening, [place[name] for name in r.agents]))))

    def scores(self) -> dict[tuple[str, str], MatchResult]:
        """For all agents a and b that played each other, the results of a against b.

        The keys are (a, b), and also (b, a).
        """
        place = {name: i for i, name in enumerate(self.agents)}
        met: dict[tuple[str, str], list[GameRecord]] = defaultdict(list)
        for record in self.records:
            for a, b in combinations(sorted(record.agents, key=place.__getitem__), 2):
                met[a, b].append(record)
                met[b, a].append(record)
        return {pair: MatchResult(pair, tuple(records)) for pair, records in met.items()}

    def faults(self, agent: str) -> list[str]:
        """The reasons why an agent forfeited games."""
        return forfeits(agent, self.records)


def overall(matches: Collection[MatchResult]) -> tuple[int, float, float]:
    """The results of an agent against several opponents together.

    Returns:
        The number of games, the mean score against an opponent, and the agent's mean margin. If there are no games, all
        three are 0. In a game of three players, the agent has a score against each of the two opponents.
    """
    games = {id(record): (record, match.agents[0]) for match in matches for record in match.records}
    own = [record.margins[record.agents.index(agent)] for record, agent in games.values()]
    if not own:
        return 0, 0.0, 0.0
    score = sum(match.score * match.games for match in matches) / sum(match.games for match in matches)
    return len(own), score, sum(own) / len(own)


def score_interval(scores: Sequence[float], most: float = 2.0) -> tuple[float, float]:
    """The 95% interval of a mean score.

    The two games of a colour-swapped pair have the same opening and are not independent. So the interval is computed
    from the scores of pairs. The interval is Wilson's (J. Am. Stat. Assoc. 22, 1927), which is also valid for scores
    near 0 and 1. The interval needs a number of independent games: each pair counts as 1 to 2 such games. The less the
    scores of the pairs vary, the closer the count of a pair is to 2.

    Args:
        scores: the score of each pair, 0 to 1.
        most: the largest number of independent games that a pair may count as.
    """
    n = len(scores)
    score = sum(scores) / n if n else 0.0
    return interval_of(n, score, sum((x - score) ** 2 for x in scores), most)


def interval_of(n: int, score: float, squares: float, most: float = 2.0) -> tuple[float, float]:
    """The interval of `score_interval`, computed from three numbers that describe the scores of the pairs.

    Args:
        n: the number of pairs.
        score: the mean score of the pairs, 0 to 1.
        squares: the sum over the pairs of (score of the pair - mean score)^2.
        most: see `score_interval`.
    """
    if n == 0:
        return (0.0, 1.0)
    variance = squares / (n - 1) if n > 1 else 0.0
    # If all pairs have the same score, each pair counts as `most` games. There is one exception: if one agent wins all
    # games, each pair counts as one game. The scores of the pairs are then equal even if the two games of a pair are
    # not independent.
    alike = most if 0 < score < 1 else 1.0
    per_pair = score * (1 - score) / variance if variance > 0 else alike
    games = n * min(max(per_pair, 1.0), most)
    z2 = Z95**2
    centre = (score + z2 / (2 * games)) / (1 + z2 / games)
    half = Z95 / (1 + z2 / games) * math.sqrt(score * (1 - score) / games + z2 / (4 * games * games))
    return (max(0.0, centre - half), min(1.0, centre + half))
