"""Tournaments: every game a record in a file, stopped and resumed at will, on one process, several, or a cluster."""

from __future__ import annotations

import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from othello_env.agent import Agent, Policy, make_agent
from othello_env.arena.faults import warn_of_faults
from othello_env.arena.match import score_interval
from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.cluster import play_jobs_on_cluster
from othello_env.arena.play.games import Record, play_games
from othello_env.arena.play.processes import Job, play_jobs
from othello_env.arena.rating.elo import Comparison, Ratings, rate
from othello_env.arena.tournament.records import GameRecord, RecordError, open_records, versions
from othello_env.arena.tournament.schedule import Schedule, ScheduledGame
from othello_env.games.registry import names_of_moves

__all__ = ["Score", "Tournament", "play_tournament"]

_LARGEST_JOB = 512
_SECONDS_A_JOB = 0.5


@dataclass(frozen=True)
class Score:
    """What an agent achieved against another.

    Attributes:
        wins: of the agent.
        draws: games of equal result.
        losses: of the agent.
        margin: half the mean difference of their margins: where two play, the mean margin, in Othello in discs a game.
        interval: the 95% interval of the score, openings as units.
    """

    wins: int
    draws: int
    losses: int
    margin: float
    interval: tuple[float, float]

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """(wins + draws / 2) / games"""
        return (self.wins + self.draws / 2) / self.games


@dataclass(frozen=True)
class Tournament:
    """The results of a tournament, the same in whatever order its games were played.

    Attributes:
        agents: their names.
        records: the games, sorted by opening and agents.
    """

    agents: tuple[str, ...]
    records: tuple[GameRecord, ...]

    def __repr__(self) -> str:
        faults = sum(record.fault is not None for record in self.records)
        forfeited = f", {faults} forfeited" if faults else ""
        return f"<Tournament of {len(self.agents)} agents: {len(self.records)} games{forfeited}>"

    @classmethod
    def of(cls, agents: Iterable[str], records: Iterable[GameRecord]) -> Tournament:
        """The results that these games make."""
        names = tuple(agents)
        place = {name: i for i, name in enumerate(names)}
        return cls(names, tuple(sorted(records, key=lambda r: (r.opening, [place[name] for name in r.agents]))))

    def comparisons(self) -> list[Comparison]:
        """What each two agents did to each other from each opening."""
        return [
            Comparison(a, b, sum(points), len(points))
            for (_, a, b), points in self._by_opening(lambda r, i, j: _points(r.result, i, j)).items()
        ]

    def scores(self) -> dict[tuple[str, str], Score]:
        """For each ordered pair of agents that met, what the first achieved against the second."""
        units: dict[tuple[str, str], list[tuple[list[float], list[float]]]] = defaultdict(list)
        points = self._by_opening(lambda r, i, j: _points(r.result, i, j))
        margins = self._by_opening(lambda r, i, j: (r.margins[i] - r.margins[j]) / 2)
        for (opening, a, b), mine in points.items():
            units[a, b].append((mine, margins[opening, a, b]))
            units[b, a].append(([1 - p for p in mine], [-m for m in margins[opening, a, b]]))
        return {pair: _score(games) for pair, games in units.items()}

    def ratings(self, anchor: str | None = None) -> Ratings:
        """Elo ratings with that of the anchor at 0: by default ``random`` if it plays, else the first agent.

        Another agent that forfeited all its games has none: its rating is NaN.

        Raises:
            ValueError: the anchor does not play, or no games lead from an agent to it.
        """
        if anchor is None:
            anchor = "random" if "random" in self.agents else self.agents[0]
        if anchor not in self.agents:
            raise ValueError(f"expected one of {', '.join(self.agents)} as the anchor, got {anchor!r}")
        played = {
            agent
            for record in self.records
            for player, agent in enumerate(record.agents)
            if record.fault is None or record.fault[0] != player
        }
        return rate(self.comparisons(), {anchor: 0.0}).without({*self.agents} - played - {anchor})

    def faults(self, agent: str) -> list[str]:
        """Why an agent lost games on the spot."""
        return [r.fault[1] for r in self.records if r.fault is not None and r.agents[r.fault[0]] == agent]

    def _by_opening(self, value: Callable[[GameRecord, int, int], float]) -> dict[tuple[int, str, str], list[float]]:
        """For each opening and two agents that met there, a value of each of their games for the first of them."""
        place = {name: i for i, name in enumerate(self.agents)}
        found: dict[tuple[int, str, str], list[float]] = defaultdict(list)
        for record in self.records:
            order = sorted(range(len(record.agents)), key=lambda player: place[record.agents[player]])
            for first, i in enumerate(order):
                for j in order[first + 1 :]:
                    found[record.opening, record.agents[i], record.agents[j]].append(value(record, i, j))
        return found


def _points(result: Sequence[float], i: int, j: int) -> float:
    return 0.5 + 0.5 * ((result[i] > result[j]) - (result[i] < result[j]))


def _score(units: Sequence[tuple[list[float], list[float]]]) -> Score:
    points = [p for unit, _ in units for p in unit]
    margins = [m for _, unit in units for m in unit]
    return Score(
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        margin=sum(margins) / len(margins),
        interval=score_interval([sum(unit) / len(unit) for unit, _ in units]),
    )


def play_tournament(
    agents: Mapping[str, str | Agent | Policy],
    schedule: Schedule,
    *,
    file: str | Path | None = None,
    clock: TimeControl | None = None,
    workers: int | None = None,
    ray: bool = False,
    progress: Callable[[GameRecord], None] | None = None,
) -> Tournament:
    """Play a tournament, or what is missing of it.

    Each game that ends is added to the file at once, and told; Ctrl-C waits until both are done. Where the file has
    games of this tournament already, they count and are not played again. An agent that answers with no legal action,
    raises or exceeds its time loses that game.

    Args:
        agents: by name: specs, agents or callables.
        schedule: what is played; its agents are the names.
        file: of records; None keeps none.
        clock: each side's. Its games are played in worker processes, in which an agent that exceeds it is stopped.
        workers: the number of processes that play, by default 1; without a clock 1 is this process.
        ray: play on a Ray cluster, by default on all its cores; see `othello_env.arena.play.cluster`. The results are
            the same.
        progress: called with each game, those in the file first.

    Raises:
        ValueError: an agent or the schedule is wrong; or a game in the file is none of this tournament (`RecordError`,
            which names the line; nothing is written then).
        OSError: the file cannot be written, or another process writes to it.
        MissingExtraError: Ray is not installed.
        TypeError: an agent cannot be sent to a worker.
        WrongGameError: an agent does not play this game, or not this size of it.
        othello_env.arena.play.processes.WorkerError: workers fail.
    """
    if workers is not None and workers < 1:
        raise ValueError(f"workers is at least 1, not {workers}")
    if tuple(agents) != schedule.agents:
        raise ValueError(f"the agents are {', '.join(agents)}, but those of the schedule {', '.join(schedule.agents)}")
    playing = [make_agent(agent, schedule.seed) for agent in agents.values()]  # a wrong one is told before any game
    tell = progress or (lambda _: None)
    with ExitStack() as stack:
        out = None if file is None else stack.enter_context(open_records(file))
        records = [] if out is None else list(out.records)
        _check(schedule, clock, records, file)
        if out is not None:
            out.cut_torn_line()
        with _held_interrupt():
            for record in records:
                tell(record)
        jobs = _Jobs(schedule.missing({(record.opening, record.agents) for record in records}), clock)
        if ray:
            played = play_jobs_on_cluster(jobs.next, agents, schedule.seed, workers, clock)
        elif clock is None and workers in (None, 1):
            played = _play_here(jobs, playing)
        else:
            played = play_jobs(jobs.next, agents, schedule.seed, workers or 1, clock)
        for done in stack.enter_context(closing(played)):
            jobs.took(done)
            for game in done:
                written = _record(jobs.games.pop(game.pairing.key), game, schedule, clock)
                with _held_interrupt():
                    if out is not None:
                        out.append(written)
                    records.append(written)
                    tell(written)
    result = Tournament.of(schedule.agents, records)
    for name in schedule.agents:
        games = sum(name in record.agents for record in result.records)
        warn_of_faults(name, "games", result.faults(name), games)
    return result


@contextmanager
def _held_interrupt() -> Iterator[None]:
    """Ctrl-C waits until the end of the block, so that what is told is what is in the file."""
    main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    if not main or not callable(handler):
        yield
        return
    pressed: list[bool] = []
    signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if pressed:
        handler(signal.SIGINT, None)


def _check(
    schedule: Schedule, clock: TimeControl | None, records: Sequence[GameRecord], file: str | Path | None
) -> None:
    """Check that a file's records are games of this tournament.

    Raises:
        RecordError: one is not, or was there before, or does not go or end as it says; its line is named.
    """
    expected = _settings_of(schedule, clock)
    games_of = lru_cache(4)(schedule.games_of)
    seen = set()
    for line, record in enumerate(records, start=1):
        game = games_of(record.opening).get(record.agents)
        reason = None
        if record.key in seen:
            reason = "it repeats a game"
        elif game is None or game.pairing.key != record.key or _settings(record) != expected:
            reason = _difference(record, schedule, expected)
        elif (record.position, record.opening_moves) != (game.opening.position, game.opening.moves):
            reason = f"opening {record.opening} of the tournament is another one"
        if reason is not None:
            raise RecordError(f"{file}, line {line}: {reason}; resume with the same arguments, or name another file")
        try:
            record.replay()
        except RecordError as error:
            raise RecordError(f"{file}, line {line} is damaged: {error}") from None
        seen.add(record.key)


def _settings(record: GameRecord) -> dict[str, object]:
    return {
        "game": record.game,
        "seed": record.seed,
        "openings": record.openings,
        "clock": record.clock,
        "othello-env": record.versions.get("othello-env"),
    }


def _settings_of(schedule: Schedule, clock: TimeControl | None) -> dict[str, object]:
    return {
        "game": str(schedule.rules),
        "seed": schedule.seed,
        "openings": schedule.openings if isinstance(schedule.openings, str) else None,
        "clock": None if clock is None else str(clock),
        "othello-env": versions()["othello-env"],
    }


def _difference(record: GameRecord, schedule: Schedule, expected: Mapping[str, object]) -> str:
    """Why a record is of another tournament."""
    was = _settings(record)
    for name, value in expected.items():
        if was[name] != value:
            return f"it was played with {name} {was[name]}, not {value}"
    for agent in record.agents:
        if agent not in schedule.agents:
            return f"it is a game of {agent!r}, who does not play here"
    return f"opening {record.opening} of {' - '.join(record.agents)} is no game of this tournament"


def _record(game: ScheduledGame, record: Record, schedule: Schedule, clock: TimeControl | None) -> GameRecord:
    start, final = game.opening.start, record.final
    return GameRecord(
        game=str(schedule.rules),
        agents=game.agents,
        opening=game.opening.number,
        position=game.opening.position,
        opening_moves=game.opening.moves,
        moves=names_of_moves(start, final.moves[len(start.moves) :]),
        result=record.returns,
        margins=record.margins,
        scores=final.scores(),
        fault=None if record.fault is None or record.faulty is None else (record.faulty, record.fault),
        seed=schedule.seed,
        key=game.pairing.key,
        openings=schedule.openings if isinstance(schedule.openings, str) else None,
        clock=None if clock is None else str(clock),
        seconds=None if record.seconds is None else tuple(round(s, 6) for s in record.seconds),
    )


class _Jobs:
    """The games that are to be played, cut into jobs that take neither too long nor too little."""

    def __init__(self, todo: Iterator[ScheduledGame], clock: TimeControl | None) -> None:
        self.games: dict[int, ScheduledGame] = {}
        """Those that are being played, by key."""
        self._todo = todo
        self._watched = clock is not None
        self._size = 1 if self._watched else 2
        self._given: dict[int, float] = {}

    def next(self) -> Job | None:
        games = list(islice(self._todo, self._size))
        if not games:
            return None
        self.games |= {game.pairing.key: game for game in games}
        pairings = [game.pairing for game in games]
        self._given[pairings[0].key] = time.monotonic()
        return Job(pairings, self._watched)

    def took(self, done: Sequence[Record]) -> None:
        """A job is done: the next ones are larger or smaller by how long it took."""
        began = self._given.pop(done[0].pairing.key, None)
        if self._watched or began is None:
            return
        seconds = time.monotonic() - began
        if seconds < _SECONDS_A_JOB and len(done) >= self._size:
            self._size = min(2 * self._size, _LARGEST_JOB)
        elif seconds > 2 * _SECONDS_A_JOB:
            self._size = max(self._size // 2, 1)


def _play_here(jobs: _Jobs, agents: Sequence[Agent]) -> Generator[list[Record], None, None]:
    while (job := jobs.next()) is not None:
        yield list(play_games(agents, job.pairings))
