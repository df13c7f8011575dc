"""Play games in worker processes, or on a Ray cluster. The results are those of one process.

Games are divided into jobs. Without a clock, a worker process plays all games of a job at once. With a clock, this
process plays the game, and asks the agents in a worker process for each move. So an agent that exceeds its time can be
stopped, and it is known who was thinking. On a cluster, each Ray task does this on its machine.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from othello_env.agent import Agent, Policy, Seat, act_on_clock, make_agent
from othello_env.agent.clock import TimeControl
from othello_env.arena.play.games import SeatsHere, play_games, play_on_seats
from othello_env.arena.play.records import GameRecord, Pairing, versions
from othello_env.games.game import State
from othello_env.support.cluster import pack, run_jobs_on_cluster
from othello_env.support.extras import MissingExtraError
from othello_env.support.numbers import check_workers
from othello_env.support.workers import (
    Host,
    Worker,
    WorkerDiedError,
    WorkerTimeoutError,
    run_jobs,
)

__all__ = ["GRACE_SECONDS", "PREPARE_SECONDS", "play_elsewhere", "run_anywhere"]

PREPARE_SECONDS = 120.0
"""With a clock, the greatest number of seconds that an agent may take to prepare for a game.

An agent prepares, for example, by compiling code. Without a clock there is no limit.
"""
GRACE_SECONDS = 0.5
"""The number of seconds from the end of an agent's time until the agent is stopped.

An agent that answers during these seconds also loses on time.
"""
_WARM_UP_SECONDS = 1.0
_LARGEST_JOB = 512
_SECONDS_A_JOB = 0.5


def play_elsewhere(
    todo: Iterator[Pairing],
    roster: Mapping[str, str | Agent | Policy],
    seed: int,
    clock: TimeControl | None = None,
    workers: int | None = None,
    *,
    ray: bool = False,
) -> Generator[GameRecord, None, None]:
    """Play games in worker processes or on a Ray cluster, and yield their records in any order.

    If a worker dies while it plays a job, the games are played again, one by one. If a worker dies in such a game, or
    in a game with a clock, the agent that was preparing or thinking forfeits the game.

    `othello_env.support.cluster.connected` explains which cluster is used, and when this process starts a new cluster.
    Every node must have the files and packages that the agents need.

    Args:
        todo: the games.
        roster: the agents by name.
        seed: the seed with which `othello_env.agent.make_agent` makes the agents.
        clock: the time of each side, or None. An agent that exceeds its time is stopped.
        workers: the number of jobs that are played at the same time. None means 1 job. On a cluster, None means 1 job
            for each core.
        ray: whether to play on a cluster.

    Raises:
        ConnectionError: no cluster can be reached or started. Ray tries for some minutes before it gives up.
        MissingExtraError: Ray is not installed.
        TypeError: an agent cannot be sent to another process.
        ValueError: `workers` is less than 1.
        WorkerError: a worker does not start, or does not have something that an agent needs. On a cluster, a node has
            other versions of packages than this process. The message names the machine.
    """
    check_workers(workers)
    packed = {name: _packed(name, agent, pack if ray else pickle.dumps) for name, agent in roster.items()}
    return _records(partial(_GameHost, packed, seed, clock), _Jobs(todo, watched=clock is not None), workers, ray)


def _records(
    start: Callable[[], _GameHost], jobs: _Jobs, workers: int | None, ray: bool
) -> Generator[GameRecord, None, None]:
    with closing(run_anywhere(start, jobs, workers, ray)) as played:
        for records, seconds in played:
            jobs.took(len(records), seconds)
            yield from records


def run_anywhere(
    start: Callable[[], Host], jobs: Iterable[Any], workers: int | None, ray: bool
) -> Generator[Any, None, None]:
    """Do jobs in worker processes or on a Ray cluster; see `run_jobs` and `run_jobs_on_cluster`."""
    if ray:
        return run_jobs_on_cluster(start, jobs, workers, versions=versions())
    return run_jobs(start, jobs, workers or 1)


def _packed(name: str, agent: str | Agent | Policy, dumps: Callable[[Any], bytes]) -> bytes:
    try:
        return dumps(agent)
    except MissingExtraError:
        raise
    except Exception as error:  # pickling calls the agent's own code, which may raise any error
        raise TypeError(
            f"agent {name!r} cannot be sent to another process ({error}); give it as a spec, or as a function that a "
            "module defines"
        ) from None


class _Jobs:
    """Games divided into jobs. A fast job makes the next jobs larger, and a slow job makes them smaller.

    Args:
        todo: the games.
        watched: whether each job has only one game.
    """

    def __init__(self, todo: Iterator[Pairing], *, watched: bool = False) -> None:
        self._todo = todo
        self._watched = watched
        self._size = 1 if watched else 2  # few games at first, so that the first record comes soon

    def __iter__(self) -> Iterator[list[Pairing]]:
        while pairings := list(islice(self._todo, self._size)):
            yield pairings

    def took(self, games: int, seconds: float) -> None:
        """Choose the size of the next job from the time that a job took."""
        if self._watched:
            return
        if seconds < _SECONDS_A_JOB and games >= self._size:
            self._size = min(2 * self._size, _LARGEST_JOB)
        elif seconds > 2 * _SECONDS_A_JOB:
            self._size = max(self._size // 2, 1)


class _GameHost:
    """Plays jobs in a worker process, one after the other. If the worker dies, a new worker takes its place.

    Args:
        roster: the pickled agents by name.
        seed: used to make the agents; see `play_elsewhere`.
        clock: the time of each side, or None.
    """

    def __init__(self, roster: Mapping[str, bytes], seed: int, clock: TimeControl | None) -> None:
        self._start = partial(Worker, _WorkerGame, roster, seed, clock)
        self._clock = clock
        self._worker: Worker | None = None
        self._is_stopped = False

    def call(self, pairings: list[Pairing]) -> tuple[list[GameRecord], float]:
        """Play games. Return their records, and how many seconds it took."""
        worker = self._ready_worker()
        began = time.monotonic()
        if self._clock is None:
            with suppress(WorkerDiedError):  # it died in one of these games, so now they are played one by one
                return worker.call("play", pairings), time.monotonic() - began
        records = []
        for pairing in pairings:
            seats = _RemoteSeats(self._ready_worker(), pairing, self._clock)
            records.append(play_on_seats(seats, pairing, self._clock))
        return records, time.monotonic() - began

    def _ready_worker(self) -> Worker:
        if self._worker is None or not self._worker.is_alive:
            self._worker = self._start()
            if self._is_stopped:  # `stop` was called while the worker was started, or before
                self._worker.stop()
            self._worker.wait_until_ready()
        return self._worker

    def stop(self) -> None:
        self._is_stopped = True
        if self._worker is not None:
            self._worker.stop()


class _RemoteSeats:
    """The `Seats` of a game whose agents think in a worker process.

    If an agent exceeds its time, the worker is stopped, and the agent forfeits the game. An agent also forfeits the
    game if the worker dies while the agent prepares or thinks.

    Args:
        worker: the worker, which answers as `_WorkerGame` does.
        pairing: the game.
        clock: the time of each side, or None.
    """

    def __init__(self, worker: Worker, pairing: Pairing, clock: TimeControl | None) -> None:
        self._worker, self._pairing, self._clock = worker, pairing, clock

    def begin(self, player: int) -> str | None:
        limit = None if self._clock is None else PREPARE_SECONDS
        late = f"not ready for the game after {PREPARE_SECONDS:g} seconds"
        reason: str | None = self._ask(player, self._pairing.start, limit, late, "begin", self._pairing, player)
        return reason

    def answer(self, state: State, used: float) -> tuple[int | str, float]:
        left = None if self._clock is None else self._clock.left(used).seconds
        limit = None if left is None else left + GRACE_SECONDS
        late = f"lost on time ({self._clock}), was still thinking and was stopped"
        began = time.monotonic()
        answer = self._ask(state.to_move, state, limit, late, "answer", state, used)
        if isinstance(answer, str):
            return answer, time.monotonic() - began
        action, seconds = answer
        return action, seconds

    def _ask(self, player: int, state: State, limit: float | None, late: str, *question: Any) -> Any:
        """The worker's answer to a question, or a text that says why the player forfeits the game."""
        try:
            return self._worker.call(*question, seconds=limit)
        except WorkerTimeoutError:
            reason = late
        except WorkerDiedError as error:
            reason = f"its process ended (exit code {error.exitcode})"
        return f"agent {self._pairing.agents[player]}: {reason} in {state!r}"


class _WorkerGame:
    """Plays games in a worker process, or answers for the agents of one game.

    With a clock, each agent is asked for an extra answer before its first game. An agent's first answer may take long,
    because the agent may compile or load something. The time of the extra answer is not subtracted from its clock.

    Args:
        roster: the pickled agents by name.
        seed: the seed with which `othello_env.agent.make_agent` makes the agents.
        clock: the time of each side, or None.
    """

    def __init__(self, roster: Mapping[str, bytes], seed: int, clock: TimeControl | None) -> None:
        # If an agent cannot be made here, for example because its file is missing, this is an error and not a forfeit.
        self._agents = {
            name: make_agent(pickle.loads(agent), seed)  # noqa: S301 - `play_elsewhere` pickled this
            for name, agent in roster.items()
        }
        self._cold = set(self._agents if clock else ())
        self._clock = clock
        self._seats: SeatsHere | None = None

    def __call__(self, question: str, *args: Any) -> Any:
        match question:
            case "play":
                return list(play_games(self._agents, *args))
            case "begin":
                return self._begin(*args)
            case _:
                assert self._seats is not None
                return self._seats.answer(*args)

    def _begin(self, pairing: Pairing, player: int) -> str | None:
        if player == 0:
            self._seats = SeatsHere(self._agents, pairing, self._clock)
        assert self._seats is not None
        if self._clock is not None and (name := pairing.agents[player]) in self._cold:
            self._cold.remove(name)
            clock = replace(self._clock, seconds=_WARM_UP_SECONDS).left(0.0)
            with suppress(Exception):  # if the error occurs again in the game, the agent forfeits
                act_on_clock(Seat(self._agents[name], 0).agent, pairing.start, clock)
        return self._seats.begin(player)
