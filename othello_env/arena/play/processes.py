"""Games in other processes: several at once, and an agent that exceeds its time is stopped with its process.

A worker process (`othello_env.arena.play.worker`) plays what it is given and sends the records back. When a game is
watched, it also reports each move. So when the worker is killed or dies, it is known how far the game had come and
which player was thinking.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait

from othello_env.agent import Agent, Policy
from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.pairings import Pairing
from othello_env.arena.play.records import GameRecord
from othello_env.arena.play.worker import serve
from othello_env.support.compiling import report_compilation

__all__ = ["GRACE_SECONDS", "PREPARE_SECONDS", "Job", "WorkerError", "play_jobs"]

PREPARE_SECONDS = 120.0
"""How long an agent may take to be made and to begin a game; it may have to compile or to load much."""
GRACE_SECONDS = 0.5
"""How long an agent may still think after the end of its time; then it is stopped. Its answer is too late anyway."""
_DEATHS = 3


class WorkerError(OSError):
    """Worker processes failed, and no game is the reason."""


@dataclass(frozen=True, slots=True)
class Job:
    """Games for one worker.

    Attributes:
        pairings: the games; exactly one if they are watched.
        watched: whether the worker reports each move.
        deaths: how many workers have died while they played it.
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
) -> Generator[list[GameRecord], None, None]:
    """Play games in worker processes and yield the records of each job once it is done, in any order.

    The games of a worker that dies are played again, each in a job of its own. If the worker dies again while an agent
    thinks, that agent forfeits the game.

    Args:
        next_job: returns the next job, or None when there is none left.
        roster: the agents by name.
        seed: for agents whose random choices do not come only from the keys of their games.
        workers: the number of processes.
        clock: each side's, in watched games.

    Raises:
        TypeError: an agent cannot be sent to another process.
        WorkerError: workers keep dying while no agent is thinking, or a worker fails in another way.
    """
    _check_sendable(roster)
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


def _check_sendable(roster: Mapping[str, str | Agent | Policy]) -> None:
    for name, agent in roster.items():
        try:
            pickle.dumps(agent)
        except Exception as error:
            raise TypeError(
                f"agent {name!r} cannot be sent to another process ({error}); give it as a spec, or as a function that "
                "a module defines"
            ) from None


class _Worker:
    """A worker process, as the process that started it sees it."""

    def __init__(self, roster: Mapping[str, str | Agent | Policy], seed: int, clock: TimeControl | None) -> None:
        self._clock = clock
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, dict(roster), seed, clock), daemon=True)
        with _interrupts_held():  # Ctrl-C is for the owner, which stops the worker
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
        with suppress(OSError):  # it has died; `look` will notice
            self.connection.send((job.pairings, job.watched))

    def look(self) -> list[GameRecord] | None:
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
                    records: list[GameRecord] = values[0]
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
        """Take down what a `Watch` was called with: `value` is the action that was played, else a player."""
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

    def _died(self) -> list[GameRecord] | None:
        self.stop()
        assert self.job is not None
        if self._player is not None and self.job.deaths:
            return [self._lost(f"its process ended (exit code {self.process.exitcode})")]
        return None

    def to_repeat(self) -> list[Job]:
        """The games that this worker left unfinished, each as a watched job.

        Raises:
            WorkerError: too many workers have died while they played this job.
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

    def _lost(self, reason: str) -> GameRecord:
        assert self.job is not None
        assert self._player is not None
        pairing, player = self.job.pairings[0], self._player
        self.job = None
        state = pairing.start
        for action in self._actions:
            state = state.play(action)
        if not self._prepares:
            self._used[player] = self._used.get(player, 0.0) + time.monotonic() - self._since
        used = [self._used.get(p, 0.0) for p in range(state.num_players)]
        fault = f"agent {pairing.agents[player]}: {reason} in {state!r}"
        return GameRecord.of(pairing, state, (player, fault), self._clock, used)

    def stop(self) -> None:
        self.stopped = True
        if sys.platform != "win32" and self.process.pid is not None:
            with suppress(ProcessLookupError, PermissionError):  # it has no process group yet, or has none left
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()


def _wait(busy: Sequence[_Worker]) -> None:
    """Wait until a worker has sent something, has died, or is out of time."""
    deadline = min(worker.deadline for worker in busy)
    seconds = None if deadline == math.inf else max(0.0, deadline - time.monotonic())
    wait([worker.connection for worker in busy], seconds)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let an interrupt (Ctrl-C) of this thread wait; a process that is started meanwhile never gets one."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
