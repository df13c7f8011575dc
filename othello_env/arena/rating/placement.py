"""An agent's rating on the ladder, found by games against the rungs that say most about it.

The ratings of the rungs are fixed, so that of the agent is the one number to be found. A game says most about it when
its result is least certain: each batch of games goes to the rungs near the agent's rating as far as it is known, in
turn, since an agent may suit one opponent more than another.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from statistics import NormalDist

from othello_env.agent import Agent, AgentError, Policy, make_agent
from othello_env.arena.faults import warn_of_faults
from othello_env.arena.match import Z95, MatchResult, pairings
from othello_env.arena.openings import balanced_openings
from othello_env.arena.play.games import Record, check_games, play_games
from othello_env.arena.play.timed import Timed
from othello_env.arena.rating.elo import Comparison, Ratings, expected_score, rate
from othello_env.arena.rating.ladder import Ladder, Rung, load_ladder
from othello_env.games.game import check_seed
from othello_env.games.hashing import mix_int
from othello_env.games.othello.position import Othello

__all__ = ["HALF_WIDTH", "Fit", "Placement", "place"]

HALF_WIDTH = 25.0
"""Elo points: half the width of the 95% interval at which an agent is placed."""

_SMALLEST_BATCH, _LARGEST_BATCH = 4, 64
"""Pairs of games played at once: few while little is known, many for agents that answer batches."""
_INFORMATIVE = 0.8
"""Rungs whose games say this much of what the best rung's say are played in turn."""
_BEYOND = 0.9
"""A score against the last rung above which the ladder has no measure for the agent."""
_PAIRS_BEYOND = 50
"""Pairs against the last rung that show it."""
_LEAST_EXPECTED = 5.0
_AGENT = ""
"""Its name among the rungs, one of which it may be."""


@dataclass(frozen=True)
class Fit:
    """Pearson's chi-square of the scores against rungs.

    Attributes:
        chi_square: the sum over rungs of (points - expected points)^2 / variance.
        rungs: how many it sums; those are left out where less than 5 points are expected on either side.
    """

    chi_square: float
    rungs: int

    @classmethod
    def of(cls, scores: Iterable[tuple[Sequence[float], float]]) -> Fit:
        """That of the points of colour-swapped pairs, each 0 to 2, and the score that is expected, 0 to 1."""
        terms = []
        for points, p in scores:
            n, variance = len(points), p * (1 - p)
            if 2 * n * min(p, 1 - p) >= _LEAST_EXPECTED:
                # As for the rating's interval, a pair is worth one to two independent games.
                squares = sum((x - 2 * p) ** 2 for x in points)
                squares = min(max(squares, 2 * n * variance), 4 * n * variance)
                terms.append((sum(points) - 2 * n * p) ** 2 / squares)
        return cls(sum(terms), len(terms))

    @property
    def p_value(self) -> float:
        """How likely chance alone makes it as large, by the approximation of Wilson and Hilferty (PNAS 17, 1931)."""
        freedom = self.rungs - 1
        if freedom < 1:
            return 1.0
        spread = 2 / (9 * freedom)
        return 1 - NormalDist(1 - spread, math.sqrt(spread)).cdf(math.cbrt(self.chi_square / freedom))


@dataclass(frozen=True)
class Placement:
    """What games against rungs say about an agent.

    Attributes:
        ladder: whose rungs they are.
        matches: by rung, those of the ladder that were played, from the weakest to the strongest.
        seconds_a_move: how long the agent thought for a move, in batches if it answers them.
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

        None where the agent lost or forfeited all games: then there is only an upper limit, the end of `interval`.
        """
        if all(match.losses == match.games for match in self.matches.values()):
            return None
        return self._estimate

    @property
    def elo_text(self) -> str:
        """The rating in a few words: a number with its interval, or the one end that the games set it."""
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
        """What the next games are chosen by: finite, whatever the results."""
        return self._ratings.elo[_AGENT]

    @property
    def interval(self) -> tuple[float, float]:
        """The rating's 95% interval, the rungs' own ratings taken as exact; see `open_end`."""
        half = Z95 * self._ratings.error(_AGENT)
        return self._estimate - half, self._estimate + half

    @property
    def open_end(self) -> str | None:
        """``"above"`` or ``"below"`` if the games set the rating no limit there: only the other end means something.

        So it is when the agent won or lost all of them, and when it is `beyond` the ladder.
        """
        low, high = self._ratings.interval(_AGENT)
        return "above" if high == math.inf else "below" if low == -math.inf else self.beyond

    @property
    def beyond(self) -> str | None:
        """``"above"`` or ``"below"`` if the agent is stronger or weaker than the ladder can measure.

        Its rating is then extrapolated.
        """
        if self.expected(self.ladder.rungs[-1]) > _BEYOND:
            return "above"
        if self.expected(self.ladder.rungs[0]) < 1 - _BEYOND:
            return "below"
        return None

    @property
    def margin(self) -> float:
        """The mean disc difference of all games, empty squares given to the winner."""
        return sum(match.margin * match.games for match in self.matches.values()) / self.games

    @property
    def faults(self) -> list[str]:
        """Why the agent lost games on the spot: illegal answers and errors."""
        return [fault for match in self.matches.values() for fault in match.faults(0)]

    def expected(self, rung: Rung) -> float:
        """The score against a rung, 0 to 1, that the rating says."""
        return expected_score(self._estimate - rung.elo)

    @property
    def fit(self) -> Fit:
        """How well one rating explains the scores against the rungs."""
        return Fit.of((match.pair_points(), self.expected(rung)) for rung, match in self.matches.items())

    @cached_property
    def _ratings(self) -> Ratings:
        units = [
            Comparison(_AGENT, rung.spec, points)
            for rung, match in self.matches.items()
            for points in match.pair_points()
        ]
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
    or an error loses the game, and at the end a `FaultWarning` tells of it.

    Args:
        agent: an agent, a spec or a callable.
        ladder: the opponents; by default the packaged ones.
        half_width: Elo points: half the width of the 95% interval to be reached.
        games: the most games to play, even; None for no limit.
        seconds: when this time is over, no pair of games begins; None for no limit. Where it ends the games, the same
            seed need not repeat the result.
        seed: the same seed gives the same games.
        progress: called after each pair of games with what they say up to there.

    Raises:
        AgentError: a rung failed or gave no legal answer, so that nothing can be measured against it.
        TypeError: games or the seed is no integer.
        ValueError: half_width or seconds is not positive, games no even number of at least 2, or the seed negative.
    """
    if not half_width > 0:
        raise ValueError(f"half_width is a positive number of Elo points, not {half_width}")
    games = None if games is None else check_games(games)
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds is a positive number, not {seconds}")
    seed = check_seed(seed)
    ladder = ladder or load_ladder()
    timed = Timed(make_agent(agent, seed))
    opponents = {rung: make_agent(rung.spec, seed) for rung in ladder.rungs}
    openings = _openings()
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    played: dict[Rung, list[Record]] = {rung: [] for rung in ladder.rungs}
    placement = Placement(ladder)
    while (batch := _next_batch(placement, len(openings), half_width, games)) is not None:
        rung, pairs = batch
        key = mix_int(seed, ladder.rungs.index(rung))
        order = sorted(range(len(openings)), key=partial(mix_int, key))  # each rung has its own
        todo = pairings(pairs, [openings[number] for number in order], key, first=len(played[rung]) // 2)
        at_once = timed.answers_batches and opponents[rung].answers_batches
        for record in play_games((timed, opponents[rung]), todo):
            _check_rung(ladder, rung, record)
            played[rung].append(record)
            if len(played[rung]) % 2:
                continue
            matches = {rung: MatchResult(tuple(records)) for rung, records in played.items() if records}
            placement = Placement(ladder, matches, timed.seconds / max(timed.decisions, 1))
            if progress is not None:
                progress(placement)
            if time.monotonic() > deadline and not at_once:  # those at once are all over by now, and count
                break
        if time.monotonic() > deadline:
            break
    warn_of_faults(repr(timed), "games", placement.faults, placement.games)
    return placement


def _check_rung(ladder: Ladder, rung: Rung, record: Record) -> None:
    """Check that a game was not lost by a fault of the rung.

    Raises:
        AgentError: it was.
    """
    if record.faulty is not None and record.pairing.seats[record.faulty] == 1:
        fault = str(record.fault).strip().splitlines()[0]
        raise AgentError(f"no rating: the rung {rung.spec} of {ladder.name} forfeited a game: {fault}")


@cache
def _openings() -> tuple[Othello, ...]:
    return tuple(map(Othello.from_moves, balanced_openings()))


def _next_batch(placement: Placement, openings: int, half_width: float, games: int | None) -> tuple[Rung, int] | None:
    """The rung to play next and the number of pairs of games, or None at the end.

    Agents without chance repeat their games, so no opening is played twice with a rung.
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
