"""An agent's rating on the ladder, found by games against the rungs that say most about it.

The ratings of the rungs are fixed, so the agent's rating is the one number to be found. A game says most about it when
its result is least certain. So each batch of games is played against a rung near the agent's rating, as far as that is
known. These rungs take turns, since an agent may do better against one opponent than against another of equal rating.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

from othello_env.agent import Agent, AgentError, Policy, make_agent
from othello_env.arena.faults import warn_of_faults
from othello_env.arena.openings import BALANCED, balanced_openings
from othello_env.arena.play.games import play_games
from othello_env.arena.play.pairings import Pairing, check_games
from othello_env.arena.play.records import GameRecord
from othello_env.arena.play.timed import Timed
from othello_env.arena.rating.elo import Ratings, expected_score, rate
from othello_env.arena.rating.fit import Fit
from othello_env.arena.rating.ladder import Ladder, Rung, load_ladder
from othello_env.arena.rating.standings import comparisons
from othello_env.arena.tournament.results import Z95, MatchResult
from othello_env.arena.tournament.schedule import Schedule
from othello_env.games.game import check_seed
from othello_env.games.hashing import mix_int

__all__ = ["AGENT", "HALF_WIDTH", "Placement", "place"]

AGENT = "agent"
"""The name of the agent that is placed, in the records of its games."""
HALF_WIDTH = 25.0
"""Elo points: half the width of the 95% interval at which an agent is placed."""

_SMALLEST_BATCH, _LARGEST_BATCH = 4, 64
"""Pairs of games played at once: few while little is known, then many, for agents that answer batches."""
_INFORMATIVE = 0.8
"""Rungs take turns if their games say at least this share of what the best rung's games say."""
_BEYOND = 0.9
"""The ladder cannot measure an agent whose score against the last rung is above this."""
_PAIRS_BEYOND = 50
"""The number of pairs against the last rung after which such an agent's games end."""


@dataclass(frozen=True)
class Placement:
    """What games against rungs say about an agent.

    Attributes:
        ladder: of the rungs.
        matches: the results by rung, for the rungs that were played, from the weakest to the strongest.
        seconds_a_move: the mean time the agent thought for a move; if it answers batches, their time is shared.
    """

    ladder: Ladder
    matches: dict[Rung, MatchResult] = field(default_factory=dict)
    seconds_a_move: float = field(default=0.0, compare=False)

    def __repr__(self) -> str:
        if not self.games:
            return f"<Placement on {self.ladder.name}: no games>"
        forfeited = f", {len(self.faults)} forfeited" if self.faults else ""
        return f"<Placement on {self.ladder.name}: Elo {self.elo_text}, {self.games} games{forfeited}>"

    @property
    def games(self) -> int:
        return sum(match.games for match in self.matches.values())

    @property
    def elo(self) -> float | None:
        """The rating by maximum likelihood with Firth's penalty, see `othello_env.arena.rating.elo`.

        None if the agent lost or forfeited all games: then there is only an upper limit, the end of `interval`.
        """
        if all(match.losses == match.games for match in self.matches.values()):
            return None
        return self._estimate

    @property
    def elo_text(self) -> str:
        """The rating in a few words: a number with its interval, or the one limit that the games set."""
        low, high = self.interval
        if len(self.faults) == self.games:
            return "none, all games were forfeited"
        if self.open_end == "above":
            return f"at least {low:.0f}, no upper limit found"
        if self.open_end == "below" or self.elo is None:
            return f"at most {high:.0f}, no lower limit found"
        return f"{self.elo:.0f}, 95% interval {low:.0f} to {high:.0f}"

    @property
    def _estimate(self) -> float:
        """The rating by which the next games are chosen; always finite."""
        return self._ratings.elo[AGENT]

    @property
    def interval(self) -> tuple[float, float]:
        """The rating's 95% interval, if the rungs' own ratings are exact; see `open_end`."""
        half = Z95 * self._ratings.error(AGENT)
        return self._estimate - half, self._estimate + half

    @property
    def open_end(self) -> str | None:
        """``"above"`` or ``"below"`` if the games set the rating no limit in that direction, else None.

        That end of the interval then means nothing. This is so if the agent won or lost all games, or is `beyond` the
        ladder.
        """
        low, high = self._ratings.interval(AGENT)
        return "above" if high == math.inf else "below" if low == -math.inf else self.beyond

    @property
    def beyond(self) -> str | None:
        """``"above"`` or ``"below"`` if the agent is stronger or weaker than the ladder can measure, else None.

        The rating is then extrapolated.
        """
        if self.expected(self.ladder.rungs[-1]) > _BEYOND:
            return "above"
        if self.expected(self.ladder.rungs[0]) < 1 - _BEYOND:
            return "below"
        return None

    @property
    def margin(self) -> float:
        """The mean disc difference of all games, with empty squares given to the winner."""
        return sum(match.margin * match.games for match in self.matches.values()) / self.games

    @property
    def faults(self) -> list[str]:
        """Why the agent forfeited games: illegal answers and errors."""
        return [fault for match in self.matches.values() for fault in match.faults(0)]

    def expected(self, rung: Rung) -> float:
        """The score against a rung, 0 to 1, that follows from the rating."""
        return expected_score(self._estimate - rung.elo)

    @property
    def fit(self) -> Fit:
        """How well one rating explains the scores against the rungs."""
        pairs = {rung: [sum(points) for points in match.points_by_opening()] for rung, match in self.matches.items()}
        return Fit.of((points, self.expected(rung)) for rung, points in pairs.items())

    @cached_property
    def _ratings(self) -> Ratings:
        units = [unit for match in self.matches.values() for unit in comparisons(match)]
        return rate(units, {rung.spec: rung.elo for rung in self.matches})


def place(
    agent: str | Agent | Policy,
    *,
    ladder: Ladder | None = None,
    half_width: float = HALF_WIDTH,
    games: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Callable[[Placement], object] | None = None,
) -> Placement:
    """Rate an agent on the ladder. It ends as soon as the interval is small enough or a limit is reached.

    The games are of Othello on 8x8, from the openings `balanced-v0`, each played with both colours. An illegal answer
    or an error forfeits the game; at the end a `FaultWarning` reports it.

    Args:
        agent: an agent, a spec or a callable.
        ladder: the opponents; by default the packaged ones.
        half_width: Elo points: half the width of the 95% interval to be reached.
        games: the most games to play, even; None for no limit.
        seconds: after this time no pair of games begins; None for no limit. If the time ends the games, the same seed
            need not repeat the result.
        seed: the same seed gives the same games.
        progress: called after each pair of games with the results so far.

    Raises:
        AgentError: a rung failed or gave no legal answer, so that nothing can be measured against it.
        TypeError: games or the seed is no integer.
        ValueError: half_width or seconds is not positive, games is not an even number of at least 2, or the seed is
            negative.
    """
    if not half_width > 0:
        raise ValueError(f"half_width is a positive number of Elo points, not {half_width}")
    games = None if games is None else check_games(games)
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds is a positive number, not {seconds}")
    seed = check_seed(seed)
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    climb = _Climb(Timed(make_agent(agent, seed)), ladder or load_ladder(), seed)
    while (batch := _next_batch(climb.placement, climb.openings, half_width, games)) is not None:
        for placement in climb.play(*batch, deadline):
            if progress is not None:
                progress(placement)
        if time.monotonic() > deadline:
            break
    found = climb.placement
    warn_of_faults(repr(climb.agent), "games", found.faults, found.games)
    return found


class _Climb:
    """An agent's games on the ladder so far.

    Attributes:
        agent: that is placed.
        openings: the number of openings; a rung plays each of them at most once with each colour.
        placement: what the games show.
    """

    def __init__(self, agent: Timed, ladder: Ladder, seed: int) -> None:
        self.agent = agent
        self.openings = len(balanced_openings())
        self.placement = Placement(ladder)
        self._rungs = {rung: make_agent(rung.spec, seed) for rung in ladder.rungs}
        self._seed = seed
        names = (AGENT, *(rung.spec for rung in ladder.rungs))
        self._schedule = Schedule(names, 2 * self.openings, BALANCED, seed, gauntlet=True)
        self._records: dict[Rung, list[GameRecord]] = {rung: [] for rung in ladder.rungs}

    def play(self, rung: Rung, pairs: int, deadline: float) -> Iterator[Placement]:
        """Play the next pairs of games against a rung, and yield the placement after each.

        Raises:
            AgentError: the rung forfeited a game.
        """
        opponent = self._rungs[rung]
        at_once = self.agent.answers_batches and opponent.answers_batches
        for record in play_games({AGENT: self.agent, rung.spec: opponent}, self._pairings(rung, pairs)):
            _check_rung(self.placement.ladder, rung, record)
            self._records[rung].append(record)
            if len(self._records[rung]) % 2:
                continue
            matches = {r: MatchResult((AGENT, r.spec), tuple(played)) for r, played in self._records.items() if played}
            seconds = self.agent.seconds / max(self.agent.decisions, 1)
            self.placement = Placement(self.placement.ladder, matches, seconds)
            yield self.placement
            if time.monotonic() > deadline and not at_once:  # those at once are all over by now, and count
                break

    def _pairings(self, rung: Rung, pairs: int) -> list[Pairing]:
        """The next pairs of games against a rung; each rung has its own order of openings."""
        key = mix_int(self._seed, self.placement.ladder.rungs.index(rung))
        order = sorted(range(self.openings), key=partial(mix_int, key))
        first = len(self._records[rung]) // 2
        colours = (AGENT, rung.spec), (rung.spec, AGENT)
        return [self._schedule.game(number, names) for number in order[first : first + pairs] for names in colours]


def _check_rung(ladder: Ladder, rung: Rung, record: GameRecord) -> None:
    """Check that a game was not forfeited by the rung.

    Raises:
        AgentError: it was.
    """
    if record.fault is not None and record.agents[record.fault[0]] == rung.spec:
        fault = record.fault[1].strip().splitlines()[0]
        raise AgentError(f"no rating: the rung {rung.spec} of {ladder.name} forfeited a game: {fault}")


def _next_batch(placement: Placement, openings: int, half_width: float, games: int | None) -> tuple[Rung, int] | None:
    """The rung to play next and the number of pairs of games, or None at the end.

    No pair of games repeats an opening against a rung, since agents without random choices would repeat their games.

    Args:
        placement: the results so far.
        openings: the number of openings.
        half_width: of the interval to be reached.
        games: the most games to play; None for no limit.
    """
    rungs, total = placement.ladder.rungs, placement.games // 2
    most = _LARGEST_BATCH if games is None else min(_LARGEST_BATCH, games // 2 - total)
    if not total:
        return rungs[len(rungs) // 2], min(_SMALLEST_BATCH, most)
    pairs = {rung: placement.matches[rung].games // 2 if rung in placement.matches else 0 for rung in rungs}
    low, high = placement.interval
    wider = (high - low) / 2 / half_width
    is_known = wider <= 1 and placement.open_end is None
    last = {"above": rungs[-1], "below": rungs[0]}.get(placement.beyond or "")
    said = {rung: p * (1 - p) for rung in rungs if pairs[rung] < openings and (p := placement.expected(rung))}
    if most == 0 or is_known or not said or (last is not None and pairs[last] >= _PAIRS_BEYOND):
        return None
    near = [rung for rung, information in said.items() if information >= _INFORMATIVE * max(said.values())]
    rung = min(near, key=lambda rung: (pairs[rung], -said[rung]))
    needed = math.ceil(total * (wider**2 - 1))
    wanted = max(_SMALLEST_BATCH, min(total, needed))
    return rung, min(wanted, most, openings - pairs[rung])
