"""A match of two agents: colour-swapped pairs of games, the score and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from othello_env.agent import Agent, Policy, make_agent
from othello_env.arena.faults import warn_of_faults
from othello_env.arena.openings import find_openings, opening_start
from othello_env.arena.play.games import Pairing, Record, check_games, play_games
from othello_env.games.game import State, check_seed
from othello_env.games.hashing import mix_int
from othello_env.games.openings import Openings
from othello_env.games.othello.position import Othello

__all__ = ["Z95", "MatchResult", "pairings", "play_match", "score_interval"]

_MOST_PAIRS_AT_ONCE = 128
Z95 = NormalDist().inv_cdf(0.975)
"""Standard errors on either side of a normal 95% interval."""


@dataclass(frozen=True)
class MatchResult:
    """What the first agent of a match achieved.

    Attributes:
        records: the games, a colour-swapped pair after the other; the first agent has seat 0 in even games.
    """

    records: tuple[Record, ...]

    def __repr__(self) -> str:
        low, high = self.interval
        faults = {"the first": self.faults(0), "the second": self.faults(1)}
        forfeited = "".join(f", {name} forfeited {len(each)}" for name, each in faults.items() if each)
        return (
            f"<MatchResult {self.games} games: {self.wins} wins, {self.draws} draws, {self.losses} losses, "
            f"score {self.score:.3f} ({low:.3f} to {high:.3f}), margin {self.margin:+.1f}{forfeited}>"
        )

    @property
    def games(self) -> int:
        return len(self.records)

    def _results(self) -> list[float]:
        return [_of_first(record, record.returns) for record in self.records]

    @property
    def wins(self) -> int:
        return sum(result > 0 for result in self._results())

    @property
    def losses(self) -> int:
        return sum(result < 0 for result in self._results())

    @property
    def draws(self) -> int:
        return self.games - self.wins - self.losses

    @property
    def score(self) -> float:
        """(wins + draws / 2) / games; NaN without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the score."""
        return score_interval([points / 2 for points in self.pair_points()])

    def pair_points(self) -> list[float]:
        """What the two games of each pair brought together, 0 to 2; a draw counts one half."""
        points = [(result + 1) / 2 for result in self._results()]
        return [a + b for a, b in zip(points[::2], points[1::2], strict=True)]

    @property
    def margin(self) -> float:
        """The mean disc difference, empty squares given to the winner; NaN without games."""
        margins = [_of_first(record, record.margins) for record in self.records]
        return sum(margins) / self.games if self.games else math.nan

    def to_json(self) -> dict[str, Any]:
        """The results as plain values: the score is 0 to 1, the difference in discs a game."""
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": round(self.score, 4),
            "interval95": [round(end, 4) for end in self.interval],
            "mean_disc_difference": round(self.margin, 2),
            "illegal_or_failed": len(self.faults(0)),
        }

    def faults(self, agent: int) -> list[str]:
        """Why the first (0) or second (1) agent lost games on the spot."""
        return [
            str(record.fault)
            for record in self.records
            if record.faulty is not None and record.pairing.seats[record.faulty] == agent
        ]


def score_interval(pair_scores: Sequence[float]) -> tuple[float, float]:
    """The 95% interval of a mean score, from the scores of colour-swapped pairs, each 0 to 1.

    A pair's two games share an opening and are not independent, so the pair is the unit: Wilson's interval (J. Am.
    Stat. Assoc. 22, 1927), which holds at scores near 0 and 1 too, with as many games as the variance between pairs
    shows them to be worth: at least one a pair, at most two.
    """
    n = len(pair_scores)
    if n == 0:
        return (0.0, 1.0)
    score = sum(pair_scores) / n
    variance = sum((x - score) ** 2 for x in pair_scores) / (n - 1) if n > 1 else 0.0
    alike = 2.0 if 0 < score < 1 else 1.0  # pairs that do not differ, unless a clean score leaves them no choice
    worth = score * (1 - score) / variance if variance > 0 else alike
    games = n * min(max(worth, 1.0), 2.0)
    z2 = Z95**2
    centre = (score + z2 / (2 * games)) / (1 + z2 / games)
    half = Z95 / (1 + z2 / games) * math.sqrt(score * (1 - score) / games + z2 / (4 * games * games))
    return (max(0.0, centre - half), min(1.0, centre + half))


def pairings(
    pairs: int,
    openings: str | Sequence[str | State] | None = "random:10",
    seed: int = 0,
    new_game: Callable[[int], State] | None = None,
    first: int = 0,
) -> list[Pairing]:
    """Colour-swapped pairs of games of agents 0 and 1, both games of a pair from one opening.

    Args:
        pairs: the number of pairs.
        openings: None for the start, ``"random:PLIES"``, ``"balanced-v0"`` for the packaged list, or transcripts or
            States; lists are taken in turn.
        seed: determines the openings and all random choices.
        new_game: makes the game's start from a key; by default 8x8 Othello.
        first: the number of the first pair, to go on where another call ended.

    Raises:
        TypeError: the seed is no integer.
        ValueError: the seed is negative, or an opening is wrong.
    """
    seed = check_seed(seed)
    return _pairings(find_openings(openings, new_game or _othello), seed, range(first, first + pairs))


def _othello(_key: int) -> Othello:
    return Othello()


def _pairings(openings: Openings, seed: int, pairs: range) -> list[Pairing]:
    games = []
    for pair in pairs:
        start, key = opening_start(openings, seed, pair)
        if start.num_players != 2:
            raise ValueError(f"a match is of two players; {type(start).__name__} has {start.num_players}")
        games += [Pairing(start, seats, mix_int(key, seats[0])) for seats in ((0, 1), (1, 0))]
    return games


def play_match(
    a: str | Agent | Policy,
    b: str | Agent | Policy,
    *,
    games: int = 200,
    openings: str | Sequence[str | State] | None = "random:10",
    seed: int = 0,
    new_game: Callable[[int], State] | None = None,
    progress: Callable[[Record], None] | None = None,
) -> MatchResult:
    """Play a match in colour-swapped pairs and return what the first agent achieved.

    An illegal answer or an error loses the game, and at the end a `FaultWarning` tells of it.

    Args:
        a: an agent, a spec or a callable.
        b: its opponent.
        games: the number of games, even.
        openings: where games begin, see `pairings`.
        seed: the same seed gives the same match.
        new_game: makes the game's start from a key; by default 8x8 Othello.
        progress: called with each game that ended, in order.

    Raises:
        AgentLeftError: an agent has left.
        TypeError: games or the seed is no integer.
        ValueError: games is odd or not positive, the seed negative, or an opening is wrong.
        WrongGameError: an agent does not play this game, or not this size of it.
    """
    games, seed = check_games(games), check_seed(seed)
    agents = (make_agent(a, seed), make_agent(b, seed))
    records: list[Record] = []
    drawn = find_openings(openings, new_game or _othello)
    first, at_once = 0, 1  # few pairs at first, so that something is told soon
    while first < games // 2:
        part = range(first, min(first + at_once, games // 2))
        for record in play_games(agents, _pairings(drawn, seed, part)):
            records.append(record)
            if progress is not None:
                progress(record)
        first, at_once = part.stop, min(2 * at_once, _MOST_PAIRS_AT_ONCE)
    result = MatchResult(tuple(records))
    for index, agent in enumerate(agents):
        warn_of_faults(repr(agent), "games", result.faults(index), games)
    return result


def _of_first(record: Record, numbers: Sequence[float]) -> float:
    """The first agent's share of numbers that are a player's each."""
    return numbers[record.pairing.seats.index(0)]
