"""Games in other processes: several at once, and such as are stopped when an agent exceeds its time.

A worker plays what it is given and sends the records back. A game that is watched is told move by move, so that when
the worker is killed or dies it is known where the game stood and who was thinking. Workers are spawned, not forked, and
end with the process that started them. Each has a process group of its own: what its agents have started ends with it.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import platform
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any, overload

from othello_env.agent import Agent, Policy, Seat, act_on_clock, make_agent
from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.games import Pairing, Record, lost, play_game, play_games
from othello_env.support.compiling import compilation_reported, report_compilation

if sys.platform == "linux":
    import fcntl

__all__ = ["GRACE_SECONDS", "PREPARE_SECONDS", "Job", "WorkerError", "play_jobs"]

PREPARE_SECONDS = 120.0
"""How long an agent may take to be made and to begin a game; it may have to compile or to load much."""
GRACE_SECONDS = 0.5
"""How long after the end of its time an agent is stopped; until then it may still answer, too late."""
_DEATHS = 3
_WARM_UP_SECONDS = 1.0


class WorkerError(OSError):
    """Worker processes fail for no reason that lies in a game."""


@dataclass(frozen=True, slots=True)
class Job:
    """Games for one worker.

    Attributes:
        pairings: the games.
        watched: whether they are told move by move; such a job is of one game.
        deaths: how many workers have died of it.
    """

    pairings: Sequence[Pairing]
    watched: bool = False
    deaths: int = 0


def play_jobs(
    next_job: Callable[[], Job | None],
    roster: Mapping[str, str | Agent | Policy],
    seed: int,
    workers: int,
    clock: TimeControl | None = None,
) -> Generator[list[Record], None, None]:
    """Play games in worker processes and yield the records of each job once it is done, in any order.

    The games of a worker that dies are played again, one by one; if it dies again while the same game's agent thinks,
    that agent has lost the game.

    Args:
        next_job: gives the next job, or None when there is no more.
        roster: the agents by name; pairings give their places.
        seed: of agents that are random beyond their games' keys.
        workers: the number of processes.
        clock: each side's, in watched games.

    Raises:
        TypeError: an agent cannot be sent to another process.
        WorkerError: workers die where no agent thinks, or fail otherwise.
    """
    for name, agent in roster.items():
        try:
            pickle.dumps(agent)
        except Exception as error:
            raise TypeError(
                f"agent {name!r} cannot be sent to another process ({error}); give it as a spec, or as a function that "
                "a module defines"
            ) from None
    again: deque[Job] = deque()
    pool: list[_Worker] = []
    try:
        while True:
            busy = [worker for worker in pool if worker.job is not None]
            while len(busy) < workers and (job := again.popleft() if again else next_job()) is not None:
                worker = next((worker for worker in pool if worker.job is None), None)
                if worker is None:
                    worker = _Worker(roster, seed, clock)
                    pool.append(worker)
                worker.give(job)
                busy.append(worker)
            if not busy:
                return
            _wait(busy)
            for worker in busy:
                done = worker.look()
                if worker.stopped:
                    pool.remove(worker)
                    again.extend(worker.to_repeat())
                if done is not None:
                    yield done
    finally:
        for worker in pool:
            worker.stop()


class _Worker:
    """A worker process as its owner sees it."""

    def __init__(self, roster: Mapping[str, str | Agent | Policy], seed: int, clock: TimeControl | None) -> None:
        self._names = list(roster)
        self._clock = clock
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, dict(roster), seed, clock), daemon=True)
        with _interrupts_held():  # an interrupt is for the owner, who stops the worker
            self.process.start()
        theirs.close()
        self.stopped = False
        self.job: Job | None = None
        self._forget()

    def _forget(self) -> None:
        self.deadline = math.inf
        self._since = 0.0
        self._player: int | None = None
        self._prepares = False
        self._actions: list[int] = []
        self._used: dict[int, float] = {}

    def give(self, job: Job) -> None:
        self.job = job
        self._forget()
        with suppress(OSError):  # it has died, which `look` will see
            self.connection.send((job.pairings, job.watched))

    def look(self) -> list[Record] | None:
        """The records of the job once it is done. A worker that is out of time or dead is stopped.

        Raises:
            WorkerError: the worker failed.
        """
        try:
            while self.connection.poll():
                kind, *values = self.connection.recv()
                if kind == "records":
                    self.job = None
                    self.deadline = math.inf
                    records: list[Record] = values[0]
                    return records
                if kind == "failed":
                    raise WorkerError(values[0])
                if kind == "compiles":
                    report_compilation()
                    continue
                self._note(kind, *values)
        except WorkerError:  # an OSError too, but not the connection's
            raise
        except (EOFError, OSError):
            return self._died()
        if time.monotonic() > self.deadline:
            self.stop()
            return [self._lost(self._out_of_time())]
        return None

    def _note(self, kind: str, value: int, seconds: float | None) -> None:
        if kind == "plays":
            if self._player is not None:
                self._used[self._player] = self._used.get(self._player, 0.0) + (seconds or 0.0)
            self._actions.append(value)
            self._player, self.deadline = None, math.inf
            return
        self._player, self._prepares, self._since = value, kind == "prepares", time.monotonic()
        if self._prepares:
            self.deadline = self._since + PREPARE_SECONDS
        elif seconds is not None:
            self.deadline = self._since + seconds + GRACE_SECONDS

    def _died(self) -> list[Record] | None:
        self.stop()
        assert self.job is not None
        if self._player is not None and self.job.deaths:
            return [self._lost(f"its process ended (exit code {self.process.exitcode})")]
        return None

    def to_repeat(self) -> list[Job]:
        """The games that died with this worker, each to be watched.

        Raises:
            WorkerError: workers die of this job again and again.
        """
        job = self.job
        if job is None:
            return []
        if job.deaths + 1 >= _DEATHS:
            raise WorkerError(
                f"{_DEATHS} worker processes ended before they played (exit code {self.process.exitcode}); a script "
                'that starts some needs its main part under if __name__ == "__main__"'
            )
        return [Job([pairing], watched=True, deaths=job.deaths + 1) for pairing in job.pairings]

    def _out_of_time(self) -> str:
        if self._prepares:
            return f"not ready for the game after {PREPARE_SECONDS:g} seconds"
        return f"lost on time ({self._clock}), was still thinking and was stopped"

    def _lost(self, reason: str) -> Record:
        assert self.job is not None
        assert self._player is not None
        pairing, player = self.job.pairings[0], self._player
        state = pairing.start
        for action in self._actions:
            state = state.play(action)
        if not self._prepares:
            self._used[player] = self._used.get(player, 0.0) + time.monotonic() - self._since
        used = [self._used.get(p, 0.0) for p in range(state.num_players)]
        name = self._names[pairing.seats[player]]
        self.job = None
        return lost(pairing, state, f"agent {name}: {reason} in {state!r}", player, used if self._clock else None)

    def stop(self) -> None:
        self.stopped = True
        if sys.platform != "win32" and self.process.pid is not None:
            with suppress(ProcessLookupError, PermissionError):  # it has no group yet, or none any more
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()


def _wait(busy: Sequence[_Worker]) -> None:
    """Wait until a worker has something to say, has died, or is out of time."""
    deadline = min(worker.deadline for worker in busy)
    seconds = None if deadline == math.inf else max(0.0, deadline - time.monotonic())
    wait([worker.connection for worker in busy], seconds)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let an interrupt of this thread wait; a process that is started meanwhile never gets one."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# In the worker.


def _serve(
    connection: Connection, roster: Mapping[str, str | Agent | Policy], seed: int, clock: TimeControl | None
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_owner()
    owner = _Owner(connection)
    with compilation_reported(lambda: owner.send(("compiles",))):
        _play_jobs(owner, roster, seed, clock)


def _play_jobs(
    connection: _Owner, roster: Mapping[str, str | Agent | Policy], seed: int, clock: TimeControl | None
) -> None:
    """Play what the owner sends, until it has gone."""
    try:
        # That one cannot be made, since its file is missing here, say, is not its loss.
        agents = _Agents([make_agent(agent, seed) for agent in roster.values()], clock)
        while True:
            pairings, watched = connection.recv()
            agents.start = pairings[0].start
            if watched:
                records = [play_game(agents, pairing, clock, _Teller(connection)) for pairing in pairings]
            else:
                records = list(play_games(agents, pairings))
            connection.send(("records", records))
    except Exception as error:
        with suppress(OSError):  # the owner may have gone
            told = f"a worker process on {platform.node()} failed: {type(error).__name__}: {error}"
            connection.send(("failed", told))


def _end_with_owner() -> None:
    """Let this process, and what its agents start, end when its owner has ended, in whatever way."""
    owner = multiprocessing.parent_process()
    assert owner is not None
    if sys.platform != "win32":
        os.setpgid(0, 0)
    if sys.platform == "linux":
        # The system does it, too, since a thread waits while an agent holds the interpreter's lock.
        fcntl.fcntl(owner.sentinel, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(owner.sentinel, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(owner.sentinel, fcntl.F_SETFL, fcntl.fcntl(owner.sentinel, fcntl.F_GETFL) | os.O_ASYNC)
    threading.Thread(target=_wait_for_end, args=(owner.sentinel,), daemon=True).start()


def _wait_for_end(owner: int) -> None:
    wait([owner])
    if sys.platform != "win32":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


class _Owner:
    """The connection to the owner, on which several threads may send."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self.recv = connection.recv

    def send(self, message: tuple[Any, ...]) -> None:
        with self._lock:
            self._connection.send(message)


class _Teller:
    """Tells the owner of a game."""

    def __init__(self, connection: _Owner) -> None:
        self._connection = connection

    def prepares(self, player: int) -> None:
        self._connection.send(("prepares", player, None))

    def thinks(self, player: int, seconds: float | None) -> None:
        self._connection.send(("thinks", player, seconds))

    def plays(self, action: int, seconds: float) -> None:
        self._connection.send(("plays", action, seconds))


class _Agents(Sequence[Agent]):
    """The agents; with a clock each is asked once, when it first begins a game, before that counts.

    A first answer may take long, for what it has to compile or to load.
    """

    def __init__(self, agents: Sequence[Agent], clock: TimeControl | None) -> None:
        self._agents = agents
        self._cold = set(range(len(agents)) if clock else ())
        self._clock = replace(clock, seconds=_WARM_UP_SECONDS).left(0.0) if clock else None
        self.start: Any = None

    def __len__(self) -> int:
        return len(self._agents)

    @overload
    def __getitem__(self, index: int) -> Agent: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Agent]: ...
    def __getitem__(self, index: int | slice) -> Agent | Sequence[Agent]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        agent = self._agents[index]
        if index in self._cold:
            self._cold.remove(index)
            with suppress(Exception):  # what is wrong will be told in the game
                act_on_clock(Seat(agent, 0).agent, self.start, self._clock)
        return agent
