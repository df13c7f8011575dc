"""Play games in several worker processes at once. If an agent exceeds its time, its worker process is stopped.

A worker process (`othello_env.arena.play.worker`) plays the games that it gets, and sends the records back. In a
watched game, the worker also reports each move. If the worker is stopped or crashes, these reports show the last
position of the game and the player that was thinking.
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
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait

from othello_env.agent import Agent, Policy
from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.pairings import Pairing
from othello_env.arena.play.records import GameRecord
from othello_env.arena.play.worker import serve
from othello_env.support.interrupts import interrupts_held

__all__ = ["GRACE_SECONDS", "PREPARE_SECONDS", "Job", "WorkerError", "play_jobs"]

PREPARE_SECONDS = 120.0
"""With a clock, the greatest number of seconds that an agent may take to prepare for a game.

An agent prepares, for example, by compiling code. Without a clock there is no limit.
"""
GRACE_SECONDS = 0.5
"""The number of seconds from the end of an agent's time until the agent is stopped.

An agent that answers during these seconds also loses on time.
"""
_DEATHS = 3


class WorkerError(OSError):
    """Worker processes failed for a reason outside the games, for example because an agent could not be made."""


@dataclass(frozen=True, slots=True)
class Job:
    """Games for one worker.

    Attributes:
        pairings: the games. If `watched` is true, there is exactly one game.
        watched: whether the worker reports each move.
        deaths: the number of workers that have died while they played these games.
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
    """Play games in worker processes and yield the records of each job when it is done. Jobs may end in any order.

    If a worker dies, each game of its unfinished job is played again as a separate job. If the worker that plays the
    game again also dies, the agent that was preparing or thinking at that moment forfeits the game.

    Args:
        next_job: returns the next job, or None when there are no more jobs.
        roster: the agents by name.
        seed: the seed with which `othello_env.agent.make_agent` makes the agents.
        workers: the number of processes.
        clock: the time of each side in watched games (see `Job`).

    Raises:
        TypeError: an agent cannot be sent to another process.
        WorkerError: a third worker dies in the same game, while no agent prepares or thinks; or a worker fails in
            another way.
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
        except Exception as error:  # pickling calls the agent's own code, which may raise any error
            raise TypeError(
                f"agent {name!r} cannot be sent to another process ({error}); give it as a spec, or as a function that "
                "a module defines"
            ) from None


class _Worker:
    """Controls one worker process. This object is in the worker's owner, the process that started the worker."""

    def __init__(self, roster: Mapping[str, str | Agent | Policy], seed: int, clock: TimeControl | None) -> None:
        self._clock = clock
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, dict(roster), seed, clock), daemon=True)
        with interrupts_held():  # only the owner gets Ctrl-C; the owner then stops the worker
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
        with suppress(OSError):  # if the worker has died, `look` will notice it
            self.connection.send((job.pairings, job.watched))

    def look(self) -> list[GameRecord] | None:
        """The records of the job, or None if the job is not done.

        If the worker has died or an agent is out of time, the worker is stopped.

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
                self._note(kind, *values)
        except WorkerError:  # it is an OSError, but the next lines are only for failures of the connection
            raise
        except (EOFError, OSError):
            return self._died()
        if time.monotonic() > self.deadline:
            self.stop()
            return [self._lost(self._out_of_time())]
        return None

    def _note(self, kind: str, value: int, seconds: float | None) -> None:
        """Store what the worker reported: a call of a `Watch` method.

        `value` is the action if the method is ``plays``, otherwise the player.
        """
        if kind == "plays":
            if self._player is not None:
                self._used[self._player] = self._used.get(self._player, 0.0) + (seconds or 0.0)
            self._actions.append(value)
            self._player, self.deadline = None, math.inf
            return
        self._player, self._prepares, self._since = value, kind == "prepares", time.monotonic()
        if self._clock is None:
            self.deadline = math.inf  # this game is watched only because a worker died; no agent has a time limit
        elif self._prepares:
            self.deadline = self._since + PREPARE_SECONDS
        else:
            self.deadline = math.inf if seconds is None else self._since + seconds + GRACE_SECONDS

    def _died(self) -> list[GameRecord] | None:
        self.stop()
        assert self.job is not None
        if self._player is not None and self.job.deaths:
            return [self._lost(f"its process ended (exit code {self.process.exitcode})")]
        return None

    def to_repeat(self) -> list[Job]:
        """The games that this worker left unfinished, each as a job in which every move is reported (`Job.watched`).

        Raises:
            WorkerError: too many workers have died while they played this job.
        """
        job = self.job
        if job is None:
            return []
        if job.deaths + 1 >= _DEATHS:
            raise WorkerError(
                f"{_DEATHS} worker processes ended before they played (exit code {self.process.exitcode}); in a script "
                'that starts worker processes, the main part must be under if __name__ == "__main__"'
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
            with suppress(ProcessLookupError, PermissionError):  # the process group was not made yet, or has ended
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()


def _wait(busy: Sequence[_Worker]) -> None:
    """Wait until a worker has sent something, has died, or is out of time."""
    deadline = min(worker.deadline for worker in busy)
    seconds = None if deadline == math.inf else max(0.0, deadline - time.monotonic())
    wait([worker.connection for worker in busy], seconds)
