"""The ladders, and the rating of an agent on them.

A ladder is a list of opponents, called rungs, from the random mover to the strongest, with ratings that do not change.
There are packaged ladders, and a tournament in any game makes another (`Ladder.from_tournament`). A ladder's file says
how the ratings were computed: the number of games, their openings and their seed. Each game has a key (a number). Only
this key determines the opponents' random choices. The packaged opponents limit their searches by depth or by the number
of simulations, never by time. So they make the same moves on every machine.

`place` finds an agent's rating: the agent plays games against rungs. The ratings of the rungs are fixed, so only the
agent's rating must be found. A game tells most about this rating if the agent and the rung are about equally strong. So
each batch of games is played against a rung near the present estimate of the agent's rating. The rungs near the
estimate take turns, because two opponents with the same rating are not equally hard for every agent. If the number of
games is limited, they begin against the weakest rung, with small batches. In a game of three players, two neighbouring
rungs take the other seats, and the agent has each seat equally often; `othello_env.arena.elo` says what is assumed.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from othello_env.agent import Agent, AgentError, GameAhead, Policy, make_agent
from othello_env.agent.wrapper import Timed
from othello_env.arena.elo import Fit, Ratings, comparisons, expected_score, rate, rate_tournament
from othello_env.arena.number import Number, elo_text, score_text
from othello_env.arena.openings import BALANCED, balanced_openings
from othello_env.arena.play.games import ahead, game_ahead, play_games, warn_of_faults
from othello_env.arena.play.records import GameRecord, Pairing, forfeits
from othello_env.arena.report import AGENT, Limits, Part, Table, game_name
from othello_env.arena.tournament.results import Z95, MatchResult, Tournament, overall
from othello_env.arena.tournament.schedule import Schedule, check_games
from othello_env.drawing.charts import png, row_chart
from othello_env.games.game import State, check_seed
from othello_env.games.hashing import mix_int
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.files import parse_json, read_file
from othello_env.support.notebook import picture
from othello_env.support.numbers import check_each, check_real, check_type, named_arguments

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

LADDERS = {
    "othello": "ladder-v0",
    "othello:size=6": "ladder-6x6-v0",
    "checkers": "ladder-checkers-v0",
    "tribolo": "ladder-tribolo-v0",
}
"""The names of the packaged ladders, by the game. A name changes if the opponents or their ratings change."""

_FORMAT = "othello-env ladder 3"
_LARGEST_FILE = 64 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Rung:
    """One rung of the ladder: an agent with a known rating.

    Attributes:
        spec: the spec of the agent.
        elo: the agent's rating; one rung, usually the lowest, has the rating 0.
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
        game: the game that they play.
        openings: where the games against the rungs begin: a packaged list's name, ``"random:PLIES"``, transcripts, or
            None for the usual start; see `othello_env.arena.tournament.schedule.Schedule`.
    """

    name: str
    rungs: tuple[Rung, ...]
    game: str = "othello"
    openings: str | tuple[str, ...] | None = "balanced-v0"

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

    @property
    def openings_text(self) -> str:
        """The openings in a few words."""
        return f"{len(self.openings)} given" if isinstance(self.openings, tuple) else self.openings or "start"

    @property
    def num_openings(self) -> float:
        """The number of different openings; infinite if they are random."""
        if isinstance(self.openings, tuple):
            return len(self.openings)
        if self.openings in BALANCED:
            return len(balanced_openings(self.openings))
        return math.inf if self.openings is not None or self.spec.definition.is_random else 1

    @property
    def groups(self) -> list[tuple[Rung, ...]]:
        """The rungs that play a game together with an agent: neighbours, as many as the game has other players."""
        others = self.spec.num_players - 1
        return [self.rungs[first : first + others] for first in range(len(self.rungs) - others + 1)]

    @classmethod
    def from_tournament(cls, name: str, result: Tournament, schedule: Schedule, anchor: str | None = None) -> Ladder:
        """The ladder of the agents of a tournament. The anchor has the rating 0; see `rate_tournament`.

        Raises:
            ValueError: the games do not limit the rating of an agent on both sides, or do not connect all agents.
        """
        found, games = rate_tournament(result, anchor), Counter(name for r in result.records for name in r.agents)
        for agent in result.agents:
            if not math.isfinite(sum(found.interval(agent))):
                raise ValueError(
                    f"no ladder, since the games set no limits to the rating of {agent} ({found.number(agent).brief}); "
                    "add agents of a strength between, or play more games"
                )
        openings = schedule.openings
        if openings is not None and not isinstance(openings, str):
            openings = tuple(map(str, check_each("the openings of a ladder", openings, str)))
        rungs = tuple(Rung(agent, found.elo[agent], found.interval(agent), games[agent]) for agent in found.order[::-1])
        return cls(name, rungs, game_name(schedule.spec), openings)

    @classmethod
    def from_file(cls, path: str | Path) -> Ladder:
        """Read the file of a ladder, which ``othello-env tournament --ladder`` writes.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no ladder, or its game is not registered.
        """
        try:
            return cls.from_json(parse_json(read_file(path, _LARGEST_FILE)))
        except ValueError as error:
            raise ValueError(f"{path} is no ladder: {error}") from None

    @classmethod
    def from_json(cls, values: Any) -> Ladder:
        """A ladder from the values that `to_json` gives.

        Raises:
            ValueError: the values are not in the format of a ladder, or its game is not registered.
        """
        if not isinstance(values, Mapping) or values.get("format") != _FORMAT:
            raise ValueError(f'expected {{"format": "{_FORMAT}", ...}}')
        try:
            openings = values["openings"]
            openings = tuple(check_each("openings", openings, str)) if isinstance(openings, list) else openings
            rungs = sorted(map(Rung.from_json, values["rungs"]), key=lambda rung: rung.elo)
            ladder = cls(str(values["name"]), tuple(rungs), str(values["game"]), openings)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"it is damaged: {type(error).__name__}: {error}") from None
        if not ladder.groups:
            raise ValueError(f"it has {len(rungs)} rungs, too few for {ladder.spec.num_players} players")
        return ladder

    def to_json(self) -> dict[str, Any]:
        """The ladder as plain values."""
        rungs = [rung.to_json() for rung in self.rungs]
        openings = [*self.openings] if isinstance(self.openings, tuple) else self.openings
        head = {"format": _FORMAT, "name": self.name, "game": self.game, "openings": openings}
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
        raise ValueError(f"the packaged ladders are for {', '.join(LADDERS)}, not {name}; give another by `ladder`")
    return _load(name)


@cache
def _load(game: str) -> Ladder:
    return Ladder.from_json(_packaged(LADDERS[game]))


@cache
def rated_agents(game: str = "othello") -> tuple[Rung, ...]:
    """Packaged agents that are no rungs, with the ratings that `place` gives them on the packaged ladder for this game.

    The browser page and the documentation show these ratings. `scripts/make/results.py --agents` measured them.

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
_LIKELY = 0.3
"""Games are played ahead if the probability that they are played at all is at least this number."""
_ELO_OF_ONE_GAME = 681.0
"""Half the width of a rating's 95% interval after one even game. After N games it is smaller by the root of N."""
_ELO_OF_SCORE = 1600 / math.log(10)
"""How many Elo points one point of score is worth in even games."""


def applies(game: GameSpec, limits: Limits) -> bool:
    """Whether this part is measured in a game."""
    return limits.games != 0 and (limits.ladder is not None or str(game) in LADDERS)


def expected_moves(game: GameSpec, limits: Limits) -> int:
    """About how many moves the agent is asked for, if every square is filled and no move is forced."""
    start = game.start(0)
    own_moves = getattr(start, "empties", start.num_actions) // start.num_players
    even_games = (_ELO_OF_ONE_GAME / limits.half_width) ** 2  # that a rating needs against equal opponents
    return round((even_games if limits.games is None else min(limits.games, even_games)) * own_moves)


def measure(
    agent: Agent, game: GameSpec, seed: int, limits: Limits, progress: Callable[[Placement], object]
) -> Placement:
    """The rating of an agent, as a part of a benchmark; see `place`."""
    return place(
        agent,
        game=game,
        ladder=limits.ladder,
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
        matches: the results by rung, for the rungs that the agent played, from the weakest to the strongest. In a game
            of three players, each game is in the results of two rungs.
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
            f"{self.games} games, each opening with every seat; 95% intervals, {self._zero} = 0",
            sorted(rows, key=lambda row: -row.value),
            "Elo (95% intervals)",
        )

    @property
    def _zero(self) -> str:
        """The rung whose rating is 0."""
        return min(self.ladder.rungs, key=lambda rung: abs(rung.elo)).spec

    @property
    def _margin_text(self) -> str:
        unit = self._unit
        return f"margin {self.margin:+.1f}" if unit == "margin" else f"{self.margin:+.1f} {unit}"

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
        return len(self.records)

    def rounds(self, group: tuple[Rung, ...]) -> int:
        """How many openings the agent has played against these rungs, each in every seat."""
        if (match := self.matches.get(group[0])) is None:
            return 0
        names = {AGENT, *(rung.spec for rung in group)}
        return sum(names.issuperset(record.agents) for record in match.records) // len(names)

    @property
    def how(self) -> str:
        return f"{self.ladder.name}, {self.games} games, openings {self.ladder.openings_text}"

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
        """The mean margin of all games, positive if the agent is ahead, in the unit of the game's scores.

        In Othello these are discs, and empty squares count for the winner.
        """
        return overall(self.matches.values())[2]

    @property
    def faults(self) -> list[str]:
        """The reasons why the agent forfeited games: illegal answers and errors."""
        return forfeits(AGENT, self.records)

    @property
    def records(self) -> list[GameRecord]:
        return [*{id(record): record for match in self.matches.values() for record in match.records}.values()]

    def expected(self, rung: Rung) -> float:
        """The expected score against a rung, 0 to 1, computed from the agent's rating."""
        return expected_score(self._estimate - rung.elo)

    @property
    def fit(self) -> Fit:
        """How well one rating explains the scores against the rungs. Of games of three players it says nothing."""
        two = self.matches if self.ladder.spec.num_players == 2 else {}
        pairs = {rung: [sum(points) for points in match.points_by_opening()] for rung, match in two.items()}
        return Fit.from_scores((points, self.expected(rung)) for rung, points in pairs.items())

    @cached_property
    def _ratings(self) -> Ratings:
        return rate(comparisons(self.matches.values()), {rung.spec: rung.elo for rung in self.matches})

    @property
    def tables(self) -> tuple[Table, ...]:
        """A row for each rung that the agent played, the weakest first. Of three players also a row for each pair."""
        game, rows = self.ladder.game, list[Mapping[str, Any]]()
        for rung, match in self.matches.items():
            row = match.to_json() | {
                "rung": rung.spec,
                "Elo": self._number(rung.elo),
                "score": Number("score", game, match.score, "score", *match.interval, self.expected(rung)),
                self._unit: Number(self._unit, game, match.margin, "margin"),
            }
            rows.append({name: row[name] for name in row if name not in ("interval95", "mean_disc_difference")})
        rungs = Table(("rung", "Elo", "games", "score", self._unit), tuple(rows), "expected")
        return (rungs, *self._seats()) if rows else ()

    def _seats(self) -> Iterator[Table]:
        """In a game of three players, the agent's scores in each seat against each pair of rungs."""
        spec, rows = self.ladder.spec, list[Mapping[str, Any]]()
        seats = spec.definition.state.player_names
        for group in self.ladder.groups if len(seats) > 2 else ():
            names = {AGENT, *(rung.spec for rung in group)}
            records = [record for record in self.records if names.issuperset(record.agents)]
            row: dict[str, Any] = {"against": " and ".join(rung.spec for rung in group), "games": len(records)}
            for seat, name in enumerate(seats):
                played = [record for record in records if record.agents[seat] == AGENT]
                score = overall([MatchResult((AGENT, rung.spec), tuple(played)) for rung in group])[1]
                row[name] = Number(f"score as {name}", self.ladder.game, score, "score")
            rows += [row] * bool(records)
        if rows:
            yield Table(("against", "games", *seats), tuple(rows))

    @property
    def _unit(self) -> str:
        unit = self.ladder.spec.definition.unit
        return f"{unit}s" if unit else "margin"

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
            f"The rungs' own ratings ({self._zero} = 0) have 95% intervals of +-{' to '.join(widths)} Elo; "
            "the agent's interval takes these ratings as exact.",
            f"{self._margin_text} a game; {1e3 * self.seconds_a_move:.3g} ms a move; "
            f"{len(self.faults)} games lost by illegal moves or errors.",
        )

    @property
    def details(self) -> dict[str, Any]:
        if not self.games:
            return {}
        fit = self.fit
        return {
            "ladder": self.ladder.name,
            "openings": self.ladder.openings_text,
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

    The games begin with the openings of the ladder. Each opening is played in every seat. An agent that gives an
    illegal answer or raises an error forfeits the game. At the end, a `FaultWarning` reports the forfeited games.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        game: the game, such as ``"othello:size=6"``; by default that of `ladder`, or Othello on 8x8.
        ladder: the opponents; by default the packaged ladder for this game.
        half_width: the games end when half the width of the 95% interval is at most this many Elo points.
        games: the greatest number of games, a multiple of the number of players; None for no limit.
        seconds: after this number of seconds no new opening begins; None for no limit. Games that are played at
            once, because both agents answer many positions in one call, are finished. If this limit ends the games,
            another run with the same seed may give a different result.
        seed: the same seed gives the same games.
        progress: called after each opening with the results so far.

    Raises:
        AgentError: a rung failed or gave an illegal answer, so there can be no rating.
        TypeError: `games` or `seed` is not an integer, or `half_width` or `seconds` is not a number.
        ValueError: there is no ladder for this game, `ladder` is for another game, `half_width` or `seconds` is not
            positive, `games` is not a positive multiple of the number of players, or `seed` is negative.
        WrongGameError: the agent does not play this game.
    """
    if ladder is None:
        ladder = load_ladder("othello" if game is None else game)
    elif game is not None and game_name(game) != check_type("ladder", ladder, Ladder).game:
        raise ValueError(f"{ladder.name} is for {ladder.game}, not {game_name(game)}")
    half_width = check_real("half_width", half_width)
    if not half_width > 0:
        raise ValueError(f"half_width must be a positive number of Elo points, not {half_width}")
    games = None if games is None else check_games(games, check_type("ladder", ladder, Ladder).spec.num_players)
    seconds = None if seconds is None else check_real("seconds", seconds)
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds must be a positive number, not {seconds}")
    seed = check_seed(seed)
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    climb = _Climb(Timed(make_agent(agent, seed)), check_type("ladder", ladder, Ladder), seed, half_width, games)
    with ahead([climb.agent], climb.likely_games()):
        while (batch := climb.next_batch(climb.placement)) is not None:
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
        placement: the results so far.
    """

    def __init__(self, agent: Timed, ladder: Ladder, seed: int, half_width: float, games: int | None) -> None:
        self.agent = agent
        self.placement = Placement(ladder)
        self._rungs = {rung: make_agent(rung.spec, seed) for rung in ladder.rungs}
        self._seed = seed
        names = (AGENT, *(rung.spec for rung in ladder.rungs))
        openings, players = ladder.num_openings, ladder.spec.num_players
        most = None if openings == math.inf else players * int(openings)
        self._schedule = Schedule(names, most, ladder.openings, seed, ladder.spec, gauntlet=True)
        self._records: dict[Rung, list[GameRecord]] = {rung: [] for rung in ladder.rungs}
        self._limits = half_width, games
        self._ended: dict[int, State | None] = {}  # the last positions of games that were played ahead, by their keys

    def next_batch(self, placement: Placement) -> tuple[tuple[Rung, ...], int] | None:
        return _next_batch(placement, placement.ladder.num_openings, *self._limits)

    def play(self, group: tuple[Rung, ...], rounds: int, deadline: float) -> Iterator[Placement]:
        """Play the next openings against a group of rungs, and yield the placement after each opening.

        Raises:
            AgentError: a rung forfeited a game.
        """
        agents: dict[str, Agent] = {AGENT: self.agent, **{rung.spec: self._rungs[rung] for rung in group}}
        start = self.placement.ladder.spec.start(0)
        at_once = all(agent.answers_batches(start) for agent in agents.values())
        for played, record in enumerate(play_games(agents, self._pairings(self.placement, group, rounds)), start=1):
            if record.fault is not None and (failed := record.agents[record.fault[0]]) != AGENT:
                fault, name = record.fault[1].strip().splitlines()[0], self.placement.ladder.name
                raise AgentError(f"no rating: the rung {failed} of {name} forfeited a game: {fault}")
            for rung in group:
                self._records[rung].append(record)
            if played % len(agents):
                continue
            seconds = self.agent.seconds / max(self.agent.decisions, 1)
            self.placement = self._placed(self._records, seconds)
            yield self.placement
            if time.monotonic() > deadline and not at_once:  # count all games that were played at once
                break

    def likely_games(self) -> Iterator[GameAhead | None]:
        """Those of the present batch and of batches that will probably follow, for an agent that can be asked ahead."""
        begun: set[int] = set()
        seen, chances = (-1, -1), dict[Pairing, float]()
        agents: dict[str, Agent] = {AGENT: self.agent, **{rung.spec: made for rung, made in self._rungs.items()}}
        while True:
            if seen != (now := (self.placement.games, len(self._ended))):
                seen, chances = now, self._chances()
            new = [pairing for pairing in chances if pairing.key not in begun]
            pairing = max(new, key=lambda each: chances[each], default=None)
            game = None if pairing is None else game_ahead({name: agents[name] for name in pairing.agents}, pairing)
            if pairing is not None:
                begun.add(pairing.key)
            yield None if pairing is None or game is None else self._watched(pairing, game)

    def _watched(self, pairing: Pairing, game: GameAhead) -> GameAhead:
        self._ended[pairing.key] = yield from game

    def _chances(self) -> dict[Pairing, float]:
        """The games that will be played with a probability of at least `_LIKELY`, with this probability.

        It looks at one batch after the other, and knows the results of games that were played ahead. In a game of three
        players, it looks at the present batch alone.
        """
        found: dict[Pairing, float] = defaultdict(float)

        def follow(records: Mapping[Rung, Sequence[GameRecord]], chance: float) -> None:
            placement = self._placed(records)
            if (batch := self.next_batch(placement)) is None:
                return
            pairings, rung = self._pairings(placement, *batch), batch[0][0]
            for pairing in pairings:
                found[pairing] += chance
            unknown = sum(self._ended.get(pairing.key) is None for pairing in pairings)
            for wins, share in enumerate(_chances_of_wins(placement, rung, unknown) if len(batch[0]) == 1 else ()):
                if chance * share >= _LIKELY / 2:
                    won = iter([True] * wins + [False] * (unknown - wins))
                    played = [self._made_up(pairing, won) for pairing in pairings]
                    follow({**records, rung: [*records[rung], *played]}, chance * share)

        follow(self._records, 1.0)
        return {pairing: chance for pairing, chance in found.items() if chance >= _LIKELY}

    def _made_up(self, pairing: Pairing, won: Iterator[bool]) -> GameRecord:
        """The record of a game that was played ahead, or one with the next of these results."""
        if (end := self._ended.get(pairing.key)) is not None:
            return GameRecord.from_state(pairing, end)
        agent = pairing.agents.index(AGENT)
        return GameRecord.from_state(pairing, pairing.start, ((agent + next(won)) % 2, "made up"))

    def _placed(self, records: Mapping[Rung, Sequence[GameRecord]], seconds: float = 0.0) -> Placement:
        matches = {rung: MatchResult((AGENT, rung.spec), tuple(played)) for rung, played in records.items() if played}
        return Placement(self.placement.ladder, matches, seconds)

    def _pairings(self, placement: Placement, group: tuple[Rung, ...], rounds: int) -> list[Pairing]:
        """The next games against a group of rungs. Each group has its own order of given openings."""
        ladder, first = placement.ladder, placement.rounds(group)
        numbers: Sequence[int] = range(first, first + rounds)
        if ladder.num_openings < math.inf:
            key = mix_int(self._seed, ladder.rungs.index(group[0]))
            numbers = sorted(range(int(ladder.num_openings)), key=partial(mix_int, key))[first : first + rounds]
        names = (AGENT, *(rung.spec for rung in group))
        seatings = [names[turn:] + names[:turn] for turn in range(len(names))]
        return [self._schedule.pairing(number, seats) for number in numbers for seats in seatings]


def _next_batch(
    placement: Placement, openings: float, half_width: float, games: int | None
) -> tuple[tuple[Rung, ...], int] | None:
    """Choose the next group of rungs and the number of openings against it. None means that the games are over.

    The agent plays each opening at most once in each seat against the same group. Otherwise agents without random
    choices would repeat their games.

    Args:
        placement: the results so far.
        openings: the number of openings.
        half_width: see `place`.
        games: the greatest number of games; None for no limit.
    """
    groups, players = placement.ladder.groups, placement.ladder.spec.num_players
    total = placement.games // players
    most = _LARGEST_BATCH if games is None else min(_LARGEST_BATCH, games // players - total)
    if not total:
        return (groups[len(groups) // 2], _SMALLEST_BATCH) if games is None else (groups[0], 1)
    played = {group: placement.rounds(group) for group in groups}
    low, high = placement.interval
    wider = (high - low) / 2 / half_width
    is_known = wider <= 1 and placement.open_end is None
    last = {"above": groups[-1], "below": groups[0]}.get(placement.beyond or "")
    rungs = placement.ladder.rungs
    tells = _information(placement, rungs) if games is None else _expected_information(placement, rungs)
    said = {group: sum(tells.get(rung, 0.0) for rung in group) for group in groups if played[group] < openings}
    if most == 0 or is_known or not said or (last is not None and played[last] >= _PAIRS_BEYOND):
        return None
    near = [group for group, information in said.items() if information >= _INFORMATIVE * max(said.values())]
    group = min(near, key=lambda group: (played[group], -said[group]))
    needed = math.ceil(total * (wider**2 - 1))
    if games is None:
        wanted = max(_SMALLEST_BATCH, min(total, needed))
    else:
        wanted = 1 if placement.open_end is not None else max(1, min(total, needed))
    return group, int(min(wanted, most, openings - played[group]))


def _information(placement: Placement, rungs: Sequence[Rung]) -> dict[Rung, float]:
    """The information of a game against each rung if the agent's rating is the present estimate; see `_INFORMATIVE`."""
    return {rung: p * (1 - p) for rung in rungs if (p := placement.expected(rung))}


def _expected_information(placement: Placement, rungs: Sequence[Rung]) -> dict[Rung, float]:
    """What a game against each rung is expected to tell about the agent's rating, in nats.

    After few games, the present estimate is far off. So the rating has its posterior distribution, with Jeffreys' prior
    as in `othello_env.arena.elo`, and the information is that of Lindley (Ann. Math. Stat. 27, 1956): the
    entropy of the result minus its mean entropy once the rating is known.
    """
    scores, weights = _posterior(placement)

    def entropy(p: Any) -> Any:
        return -p * np.log(p) - (1 - p) * np.log1p(-p)

    return {rung: float(entropy(weights @ scores[rung]) - weights @ entropy(scores[rung])) for rung in rungs}


def _posterior(placement: Placement) -> tuple[dict[Rung, Any], Any]:
    """The expected score against each rung for possible ratings of the agent, and the probabilities of these ratings.

    Without games, all ratings are equally likely.
    """
    every = placement.ladder.rungs
    ratings = np.arange(every[0].elo - 1000, every[-1].elo + 1000, 20.0)
    scores = {rung: 1 / (1 + 10 ** ((rung.elo - ratings) / 400)) for rung in every}
    likelihood, fisher = np.zeros_like(ratings), np.zeros_like(ratings)
    for rung, match in placement.matches.items():
        p, points = scores[rung], match.score * match.games
        likelihood += points * np.log(p) + (match.games - points) * np.log1p(-p)
        fisher += match.games * p * (1 - p)
    posterior = likelihood + np.log(fisher) / 2 if placement.matches else likelihood
    weights = np.exp(posterior - posterior.max())
    return scores, weights / weights.sum()


def _chances_of_wins(placement: Placement, rung: Rung, games: int) -> list[float]:
    """The probabilities that the agent wins 0, 1, ... of this number of games against a rung; draws are left out."""
    scores, weights = _posterior(placement)
    p = scores[rung]
    return [float(weights @ (math.comb(games, k) * p**k * (1 - p) ** (games - k))) for k in range(games + 1)]
