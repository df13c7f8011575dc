"""The ladders, and the rating of an agent on them.

A ladder is a list of packaged opponents, called rungs, from the random mover to the strongest, with ratings that do not
change. There is a ladder for Othello on 8x8 and a ladder for 6x6. The strongest opponent is the engine on 8x8, and
perfect play on 6x6. A ladder's file says how the ratings were computed: the number of games, their openings and their
seed. Each game has a key (a number). Only this key determines the opponents' random choices. The opponents limit their
searches by depth or by the number of simulations, never by time. So the opponents make the same moves on every machine.

`place` finds an agent's rating: the agent plays games against rungs. The ratings of the rungs are fixed, so only the
agent's rating must be found. A game tells most about this rating if the agent and the rung are about equally strong. So
each batch of games is played against a rung near the present estimate of the agent's rating. The rungs near the
estimate take turns, because two opponents with the same rating are not equally hard for every agent. If the number of
games is limited, they begin against the weakest rung, with small batches.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from othello_env.agent import Agent, AgentError, Policy, make_agent
from othello_env.agent.wrapper import Timed
from othello_env.arena.elo import Fit, Ratings, comparisons, expected_score, rate
from othello_env.arena.faults import warn_of_faults
from othello_env.arena.number import Number, elo_text, score_text
from othello_env.arena.openings import balanced_openings
from othello_env.arena.play.games import play_games
from othello_env.arena.play.records import GameRecord, Pairing
from othello_env.arena.report import AGENT, Limits, Part, Table, game_name
from othello_env.arena.tournament.results import Z95, MatchResult, overall
from othello_env.arena.tournament.schedule import Schedule, check_games
from othello_env.drawing.charts import png, row_chart
from othello_env.games.game import check_seed
from othello_env.games.hashing import mix_int
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.notebook import picture
from othello_env.support.numbers import check_real, check_type, named_arguments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "LADDERS",
    "ORDER",
    "Ladder",
    "Placement",
    "Rung",
    "applies",
    "expected_moves",
    "load_ladder",
    "measure",
    "place",
    "rated_agents",
    "rated_programs",
]

LADDERS = {"othello": "ladder-v0", "othello:size=6": "ladder-6x6-v0"}
"""The names of the packaged ladders, by the game. A name changes if the opponents or their ratings change."""

_FORMAT = "othello-env ladder 2"


@dataclass(frozen=True, slots=True)
class Rung:
    """One rung of the ladder: an agent with a known rating.

    Attributes:
        spec: the spec of the agent.
        elo: the agent's rating; the rating of the lowest rung is 0.
        interval: the 95% interval of the rating.
        games: the number of games from which the rating was computed.
    """

    spec: str
    elo: float
    interval: tuple[float, float]
    games: int

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Rung:
        """A rung from the values that `to_json` gives."""
        low, high = values["interval95"]
        return cls(values["spec"], values["elo"], (low, high), values["games"])

    def to_json(self) -> dict[str, Any]:
        """The rung as plain values. Ratings are rounded to tenths of a point."""
        interval = [round(end, 1) for end in self.interval]
        return {"spec": self.spec, "elo": round(self.elo, 1), "interval95": interval, "games": self.games}


@dataclass(frozen=True)
class Ladder:
    """Opponents with ratings.

    Attributes:
        name: the name of this version of the ladder.
        rungs: the opponents, at least two, from the weakest to the strongest.
        game: the game that they play, for two players.
        openings: the name of the packaged openings for the games against the rungs.
    """

    name: str
    rungs: tuple[Rung, ...]
    game: str = "othello"
    openings: str = "balanced-v0"

    def __repr__(self) -> str:
        ends = " to ".join(f"{rung.spec} {elo_text(rung.elo)}" for rung in (self.rungs[0], self.rungs[-1]))
        return f"<Ladder {self.name} of {len(self.rungs)} rungs: {ends}>"

    @property
    def spec(self) -> GameSpec:
        """The game."""
        return GameSpec.parse(self.game)

    @property
    def number_name(self) -> str:
        """The name of a rating on this ladder."""
        return "Elo" if LADDERS.get(self.game) == self.name else f"Elo on {self.name}"

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Ladder:
        """A ladder from the values that `scripts/make/rate_ladder.py` writes.

        Raises:
            ValueError: the values are not in the format of a ladder.
        """
        if values.get("format") != _FORMAT:
            raise ValueError(f'expected {{"format": "{_FORMAT}", ...}}')
        return cls(values["name"], tuple(map(Rung.from_json, values["rungs"])), values["game"], values["openings"])

    def to_json(self) -> dict[str, Any]:
        """The ladder as plain values."""
        rungs = [rung.to_json() for rung in self.rungs]
        head = {"format": _FORMAT, "name": self.name, "game": self.game, "openings": self.openings}
        return head | {"rungs": rungs}


def load_ladder(game: GameLike = "othello") -> Ladder:
    """The packaged ladder for a game.

    Raises:
        ValueError: there is no ladder for this game.

    >>> load_ladder().rungs[0].spec, load_ladder("othello:size=6").rungs[-1].spec
    ('random', 'perfect')
    """
    name = game_name(game)
    if name not in LADDERS:
        raise ValueError(f"the packaged ladders are for {' and '.join(LADDERS)}, not {name}")
    return _load(name)


@cache
def _load(game: str) -> Ladder:
    return Ladder.from_json(_packaged(LADDERS[game]))


@cache
def rated_agents(game: str = "othello") -> tuple[Rung, ...]:
    """Packaged agents that are no rungs, with the ratings that `place` gives them on the packaged ladder for this game.

    The browser page and the documentation show these ratings. `scripts/make/rate_agents.py` measured them.

    >>> rated_agents()[-1].spec
    'engine'
    """
    return tuple(map(Rung.from_json, _packaged("agents-v0")[LADDERS[game]]))


@cache
def rated_programs(ladder: str = "ladder-v0") -> tuple[Rung, ...]:
    """Programs of other people with their ratings on a packaged ladder, from the weakest to the strongest.

    They are not packaged; `spec` is a program's name and level. The packaged file says how they were rated.

    >>> rated_programs()[0].spec
    'GRhino at level 1'
    """
    return tuple(map(Rung.from_json, _packaged("programs-v0").get(ladder, ())))


def _packaged(name: str) -> Any:
    """The values in a packaged file."""
    return json.loads((resources.files("othello_env.arena.benchmark") / f"{name}.json").read_text(encoding="utf-8"))


ORDER = 1

_SMALLEST_BATCH, _LARGEST_BATCH = 4, 64
"""The least and the greatest number of pairs of games in a batch.

The first batches are small, because the agent's rating is hardly known yet.
"""
_INFORMATIVE = 0.8
"""The agent plays only against rungs whose games tell enough about the agent's rating.

The information of a game is p * (1 - p), where p is the agent's expected score. A game against such a rung gives at
least this share of the information that a game against the most informative rung gives.
"""
_BEYOND = 0.9
"""An agent is too strong for the ladder if its expected score against the strongest rung is above this number.

An agent is too weak if the expected score of the weakest rung against the agent is above this number.
"""
_PAIRS_BEYOND = 50
"""If an agent is too strong, its games end after this number of pairs of games against the strongest rung.

If an agent is too weak, its games end after this number of pairs of games against the weakest rung.
"""
_MISFIT, _DEVIATION = 0.01, 0.05
"""A note says that one rating does not explain the scores if `Fit.p_value` is below the first number and
`Fit.deviation` at least the second. Smaller deviations are those of the rungs' own ratings."""
_ELO_OF_ONE_GAME = 681.0
"""Half the width of a rating's 95% interval after one even game. After N games it is smaller by the root of N."""
_ELO_OF_SCORE = 1600 / math.log(10)
"""How many Elo points one point of score is worth in even games."""


def applies(game: GameSpec, limits: Limits) -> bool:
    """Whether this part is measured in a game."""
    return limits.games != 0 and str(game) in LADDERS


def expected_moves(game: GameSpec, limits: Limits) -> int:
    """About how many moves the agent is asked for, if every square is filled and no move is forced."""
    start = game.start(0)
    own_moves = getattr(start, "empties", start.num_actions) // 2
    even_games = (_ELO_OF_ONE_GAME / limits.half_width) ** 2  # that a rating needs against equal opponents
    return round((even_games if limits.games is None else min(limits.games, even_games)) * own_moves)


def measure(
    agent: Agent, game: GameSpec, seed: int, limits: Limits, progress: Callable[[Placement], object]
) -> Placement:
    """The rating of an agent, as a part of a benchmark; see `place`."""
    return place(
        agent,
        game=game,
        half_width=limits.half_width,
        games=limits.games,
        seconds=limits.seconds,
        seed=seed,
        progress=progress,
    )


@dataclass(frozen=True)
class Placement(Part):
    """An agent's results against rungs, and the rating that follows from them.

    Attributes:
        ladder: the ladder to which the rungs belong.
        matches: the results by rung, for the rungs that the agent played, from the weakest to the strongest.
        seconds_a_move: the agent's mean thinking time for a move, in seconds. If the agent answers many positions in
            one call, each answer gets an equal part of the time.
    """

    ladder: Ladder
    matches: dict[Rung, MatchResult] = field(default_factory=dict)
    seconds_a_move: float = field(default=0.0, compare=False)
    part = "ladder"

    def __repr__(self) -> str:
        if not self.games:
            return f"<Placement on {self.ladder.name}: no games>"
        forfeited = f", {len(self.faults)} forfeited" if self.faults else ""
        return f"<Placement on {self.ladder.name}: Elo {self.number.text}, {self.games} games{forfeited}>"

    def _repr_html_(self) -> str | None:
        """A notebook shows the ratings of the ladder's opponents, and between them that of the agent."""
        return picture(png(self.chart()), repr(self)) if self.games else None

    def chart(self, name: str = "the agent") -> Figure:
        """A chart of the ratings of the ladder's opponents and, between them, of the agent, with their 95% intervals.

        There must be at least one game. `name` is the agent's name.
        """
        rows = [self._number(rung.elo, *rung.interval).row(rung.spec) for rung in self.ladder.rungs]
        if self.number.shown is not None:
            rows.append(self.number.row(name, own=True))
        return row_chart(
            f"{name} on {self.ladder.name}: Elo {self.number.text}",
            f"{self.games} games in colour-swapped pairs from balanced openings; 95% intervals, random = 0",
            sorted(rows, key=lambda row: -row.value),
            "Elo (95% intervals)",
        )

    def _number(self, elo: float | None, low: float | None = None, high: float | None = None) -> Number:
        return Number(self.ladder.number_name, self.ladder.game, elo, "elo", low, high)

    @property
    def number(self) -> Number:
        """The rating with its 95% interval. An end without a limit is infinite; see `open_end`."""
        low, high = self.interval
        if len(self.faults) == self.games:
            return self._number(None, -math.inf, math.inf)
        if self.open_end == "above":
            return self._number(self._estimate, low, math.inf)
        return self._number(self._estimate, -math.inf if self.open_end == "below" else low, high)

    @property
    def numbers(self) -> tuple[Number, ...]:
        return (self.number,) if self.games else ()

    @property
    def games(self) -> int:
        return sum(match.games for match in self.matches.values())

    @property
    def how(self) -> str:
        return f"{self.ladder.name}, {self.games} games, openings {self.ladder.openings}"

    @property
    def elo(self) -> float | None:
        """The rating by maximum likelihood with Firth's penalty, see `othello_env.arena.elo`.

        None if the agent lost or forfeited all games. In this case only the upper end of `interval` has a meaning.
        """
        if all(match.losses == match.games for match in self.matches.values()):
            return None
        return self._estimate

    @property
    def _estimate(self) -> float:
        """The present estimate of the rating, also used to choose rungs. It is a number even if `elo` is None."""
        return self._ratings.elo[AGENT]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the rating, computed as if the ratings of the rungs were exact; see also `open_end`."""
        half = Z95 * self._ratings.error(AGENT)
        return self._estimate - half, self._estimate + half

    @property
    def open_end(self) -> str | None:
        """The side on which the rating has no limit, ``"above"`` or ``"below"``; None if it has both limits.

        The games set no upper limit if the agent won all games or is too strong for the ladder. They set no lower limit
        if the agent lost all games or is too weak (see `beyond`). The end of `interval` on this side has no meaning.
        """
        low, high = self._ratings.interval(AGENT)
        return "above" if high == math.inf else "below" if low == -math.inf else self.beyond

    @property
    def beyond(self) -> str | None:
        """``"above"`` or ``"below"`` if the agent is stronger or weaker than the ladder can measure, otherwise None.

        In these two cases, the rating is extrapolated: the agent is much stronger or much weaker than all rungs.
        """
        if self.expected(self.ladder.rungs[-1]) > _BEYOND:
            return "above"
        if self.expected(self.ladder.rungs[0]) < 1 - _BEYOND:
            return "below"
        return None

    @property
    def margin(self) -> float:
        """The mean final disc difference of all games, positive if the agent is ahead.

        Empty squares count for the winner.
        """
        return overall(self.matches.values())[2]

    @property
    def faults(self) -> list[str]:
        """The reasons why the agent forfeited games: illegal answers and errors."""
        return [fault for match in self.matches.values() for fault in match.faults(0)]

    @property
    def records(self) -> list[GameRecord]:
        return [record for match in self.matches.values() for record in match.records]

    def expected(self, rung: Rung) -> float:
        """The expected score against a rung, 0 to 1, computed from the agent's rating."""
        return expected_score(self._estimate - rung.elo)

    @property
    def fit(self) -> Fit:
        """How well one rating explains the scores against the rungs."""
        pairs = {rung: [sum(points) for points in match.points_by_opening()] for rung, match in self.matches.items()}
        return Fit.from_scores((points, self.expected(rung)) for rung, points in pairs.items())

    @cached_property
    def _ratings(self) -> Ratings:
        units = [unit for match in self.matches.values() for unit in comparisons(match)]
        return rate(units, {rung.spec: rung.elo for rung in self.matches})

    @property
    def tables(self) -> tuple[Table, ...]:
        """A row for each rung that the agent played, the weakest first."""
        game, rows = self.ladder.game, list[Mapping[str, Any]]()
        for rung, match in self.matches.items():
            row = match.to_json() | {
                "rung": rung.spec,
                "Elo": self._number(rung.elo),
                "score": Number("score", game, match.score, "score", *match.interval, self.expected(rung)),
                "discs": Number("discs", game, match.margin, "margin"),
            }
            rows.append({name: row[name] for name in row if name not in ("interval95", "mean_disc_difference")})
        return (Table(("rung", "Elo", "games", "score", "discs"), tuple(rows), "expected"),) if rows else ()

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.games:
            return ()
        notes, fit = [], self.fit
        if fit.p_value < _MISFIT and fit.deviation >= _DEVIATION:
            notes.append(
                "One rating does not explain its scores: beyond chance, they differ from the expected scores by "
                f"{score_text(fit.deviation)} (about {fit.deviation * _ELO_OF_SCORE:.0f} Elo). Quote the scores "
                "beside the rating."
            )
        errors = sorted((rung.interval[1] - rung.interval[0]) / 2 for rung in self.matches)
        widths = dict.fromkeys((f"{errors[0]:.0f}", f"{errors[-1]:.0f}"))  # one text if the two texts are equal
        return (
            *notes,
            *_programs_near(self),
            f"The rungs' own ratings (random = 0) have 95% intervals of +-{' to '.join(widths)} Elo; "
            "the agent's interval takes these ratings as exact.",
            f"{self.margin:+.1f} discs a game; {1e3 * self.seconds_a_move:.3g} ms a move; "
            f"{len(self.faults)} games lost by illegal moves or errors.",
        )

    @property
    def details(self) -> dict[str, Any]:
        if not self.games:
            return {}
        fit = self.fit
        return {
            "ladder": self.ladder.name,
            "openings": self.ladder.openings,
            "games": self.games,
            "beyond": self.beyond,
            "fit": {"chi_square": round(fit.chi_square, 2), "rungs": fit.rungs, "p": round(fit.p_value, 6)},
            "mean_disc_difference": round(self.margin, 2),
            "milliseconds_a_move": round(1e3 * self.seconds_a_move, 4),
        }

    def status(self) -> tuple[str, ...]:
        return (f"{self.games} games", *f"Elo {self.number.text}".split(", "))


def _programs_near(placement: Placement) -> list[str]:
    """A sentence with the programs of other people next to whom the agent stands; none if it has no rating."""
    programs = rated_programs(placement.ladder.name)
    if placement.elo is None or not programs:
        return []
    weaker = [program for program in programs if program.elo <= placement.elo][-1:]
    stronger = [program for program in programs if program.elo > placement.elo][:1]
    places = [f"above {program.spec} ({elo_text(program.elo)})" for program in weaker]
    places += [f"below {program.spec} ({elo_text(program.elo)})" for program in stronger]
    return [f"Among programs of other people: {', '.join(places)}."]


@named_arguments
def place(
    agent: str | Agent | Policy,
    *,
    game: GameLike | None = None,
    ladder: Ladder | None = None,
    half_width: float = Limits.half_width,
    games: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Callable[[Placement], object] | None = None,
) -> Placement:
    """Rate an agent on a ladder. The games end when the interval of the rating is small or a limit is reached.

    With `games`, the first opponent is the weakest, and the others are chosen so that each game is expected to tell the
    most. So 20 games give a rating with a standard error of about 75 to 120 Elo points on each part of the ladder.

    The games begin with the openings of the ladder. Each opening is played with both colours. An agent that gives an
    illegal answer or raises an error forfeits the game. At the end, a `FaultWarning` reports the forfeited games.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        game: the game, such as ``"othello:size=6"``; by default that of `ladder`, or Othello on 8x8.
        ladder: the opponents; by default the packaged ladder for this game.
        half_width: the games end when half the width of the 95% interval is at most this many Elo points.
        games: the greatest number of games, even; None for no limit.
        seconds: after this number of seconds no new pair of games begins; None for no limit. Games that are played at
            once, because both agents answer many positions in one call, are finished. If this limit ends the games,
            another run with the same seed may give a different result.
        seed: the same seed gives the same games.
        progress: called after each pair of games with the results so far.

    Raises:
        AgentError: a rung failed or gave an illegal answer, so there can be no rating.
        TypeError: `games` or `seed` is not an integer, or `half_width` or `seconds` is not a number.
        ValueError: there is no ladder for this game, `ladder` is for another game, `half_width` or `seconds` is not
            positive, `games` is odd or less than 2, or `seed` is negative.
        WrongGameError: the agent does not play this game.
    """
    if ladder is None:
        ladder = load_ladder("othello" if game is None else game)
    elif game is not None and game_name(game) != check_type("ladder", ladder, Ladder).game:
        raise ValueError(f"{ladder.name} is for {ladder.game}, not {game_name(game)}")
    half_width = check_real("half_width", half_width)
    if not half_width > 0:
        raise ValueError(f"half_width must be a positive number of Elo points, not {half_width}")
    games = None if games is None else check_games(games)
    seconds = None if seconds is None else check_real("seconds", seconds)
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds must be a positive number, not {seconds}")
    seed = check_seed(seed)
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    climb = _Climb(Timed(make_agent(agent, seed)), check_type("ladder", ladder, Ladder), seed)
    while (batch := _next_batch(climb.placement, climb.openings, half_width, games)) is not None:
        for placement in climb.play(*batch, deadline):
            if progress is not None:
                progress(placement)
        if time.monotonic() > deadline:
            break
    result = climb.placement
    warn_of_faults(repr(climb.agent), "games", result.faults, result.games)
    return result


class _Climb:
    """An agent's games on the ladder so far.

    Attributes:
        agent: the agent that is rated.
        openings: the number of openings. A rung plays each opening at most once with each colour.
        placement: the results so far.
    """

    def __init__(self, agent: Timed, ladder: Ladder, seed: int) -> None:
        self.agent = agent
        self.openings = len(balanced_openings(ladder.openings))
        self.placement = Placement(ladder)
        self._rungs = {rung: make_agent(rung.spec, seed) for rung in ladder.rungs}
        self._seed = seed
        names = (AGENT, *(rung.spec for rung in ladder.rungs))
        self._schedule = Schedule(names, 2 * self.openings, ladder.openings, seed, ladder.spec, gauntlet=True)
        self._records: dict[Rung, list[GameRecord]] = {rung: [] for rung in ladder.rungs}

    def play(self, rung: Rung, pairs: int, deadline: float) -> Iterator[Placement]:
        """Play the next pairs of games against a rung, and yield the placement after each pair.

        Raises:
            AgentError: the rung forfeited a game.
        """
        opponent, start = self._rungs[rung], self.placement.ladder.spec.start(0)
        at_once = self.agent.answers_batches(start) and opponent.answers_batches(start)
        for record in play_games({AGENT: self.agent, rung.spec: opponent}, self._pairings(rung, pairs)):
            if record.fault is not None and record.agents[record.fault[0]] == rung.spec:
                fault, name = record.fault[1].strip().splitlines()[0], self.placement.ladder.name
                raise AgentError(f"no rating: the rung {rung.spec} of {name} forfeited a game: {fault}")
            self._records[rung].append(record)
            if len(self._records[rung]) % 2:
                continue
            matches = {r: MatchResult((AGENT, r.spec), tuple(played)) for r, played in self._records.items() if played}
            seconds = self.agent.seconds / max(self.agent.decisions, 1)
            self.placement = Placement(self.placement.ladder, matches, seconds)
            yield self.placement
            if time.monotonic() > deadline and not at_once:  # count all games that were played at once
                break

    def _pairings(self, rung: Rung, pairs: int) -> list[Pairing]:
        """The next pairs of games against a rung. Each rung has its own order of openings."""
        key = mix_int(self._seed, self.placement.ladder.rungs.index(rung))
        order = sorted(range(self.openings), key=partial(mix_int, key))
        first = len(self._records[rung]) // 2
        colours = (AGENT, rung.spec), (rung.spec, AGENT)
        return [self._schedule.pairing(number, names) for number in order[first : first + pairs] for names in colours]


def _next_batch(placement: Placement, openings: int, half_width: float, games: int | None) -> tuple[Rung, int] | None:
    """Choose the next rung and the number of pairs of games against it. None means that the games are over.

    The agent plays each opening at most once with each colour against the same rung. Otherwise two agents without
    random choices would repeat their games.

    Args:
        placement: the results so far.
        openings: the number of openings.
        half_width: see `place`.
        games: the greatest number of games; None for no limit.
    """
    rungs, total = placement.ladder.rungs, placement.games // 2
    most = _LARGEST_BATCH if games is None else min(_LARGEST_BATCH, games // 2 - total)
    if not total:
        return (rungs[len(rungs) // 2], _SMALLEST_BATCH) if games is None else (rungs[0], 1)
    pairs = {rung: placement.matches[rung].games // 2 if rung in placement.matches else 0 for rung in rungs}
    low, high = placement.interval
    wider = (high - low) / 2 / half_width
    is_known = wider <= 1 and placement.open_end is None
    last = {"above": rungs[-1], "below": rungs[0]}.get(placement.beyond or "")
    free = [rung for rung in rungs if pairs[rung] < openings]
    said = _information(placement, free) if games is None else _expected_information(placement, free)
    if most == 0 or is_known or not said or (last is not None and pairs[last] >= _PAIRS_BEYOND):
        return None
    near = [rung for rung, information in said.items() if information >= _INFORMATIVE * max(said.values())]
    rung = min(near, key=lambda rung: (pairs[rung], -said[rung]))
    needed = math.ceil(total * (wider**2 - 1))
    if games is None:
        wanted = max(_SMALLEST_BATCH, min(total, needed))
    else:
        wanted = 1 if placement.open_end is not None else max(1, min(total, needed))
    return rung, min(wanted, most, openings - pairs[rung])


def _information(placement: Placement, rungs: Sequence[Rung]) -> dict[Rung, float]:
    """The information of a game against each rung if the agent's rating is the present estimate; see `_INFORMATIVE`."""
    return {rung: p * (1 - p) for rung in rungs if (p := placement.expected(rung))}


def _expected_information(placement: Placement, rungs: Sequence[Rung]) -> dict[Rung, float]:
    """What a game against each rung is expected to tell about the agent's rating, in nats.

    After few games, the present estimate is far off. So the rating has its posterior distribution, with Jeffreys' prior
    as in `othello_env.arena.elo`, and the information is that of Lindley (Ann. Math. Stat. 27, 1956): the
    entropy of the result minus its mean entropy once the rating is known.
    """
    every = placement.ladder.rungs
    ratings = np.arange(every[0].elo - 1000, every[-1].elo + 1000, 20.0)
    scores = {rung: 1 / (1 + 10 ** ((rung.elo - ratings) / 400)) for rung in every}
    likelihood, fisher = np.zeros_like(ratings), np.zeros_like(ratings)
    for rung, match in placement.matches.items():
        p, points = scores[rung], match.score * match.games
        likelihood += points * np.log(p) + (match.games - points) * np.log1p(-p)
        fisher += match.games * p * (1 - p)
    posterior = likelihood + np.log(fisher) / 2
    weights = np.exp(posterior - posterior.max())
    weights /= weights.sum()

    def entropy(p: Any) -> Any:
        return -p * np.log(p) - (1 - p) * np.log1p(-p)

    return {rung: float(entropy(weights @ scores[rung]) - weights @ entropy(scores[rung])) for rung in rungs}
