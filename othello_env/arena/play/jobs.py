"""Divide games into jobs, and play the jobs in this process, in worker processes or on a cluster."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice

from othello_env.agent import Agent, Policy
from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.cluster import play_jobs_on_cluster
from othello_env.arena.play.games import play_games
from othello_env.arena.play.pairings import Pairing
from othello_env.arena.play.processes import Job, play_jobs
from othello_env.arena.play.records import GameRecord

__all__ = ["check_workers", "play_all", "play_elsewhere", "play_here"]

_LARGEST_JOB = 512
_SECONDS_A_JOB = 0.5


def check_workers(workers: int | None) -> None:
    """Check a number of worker processes. None means the default number.

    Raises:
        ValueError: the number is less than 1.
    """
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")


def play_all(
    todo: Iterator[Pairing],
    agents: Mapping[str, Agent],
    roster: Mapping[str, str | Agent | Policy],
    seed: int,
    clock: TimeControl | None = None,
    workers: int | None = None,
    *,
    ray: bool = False,
) -> Generator[GameRecord, None, None]:
    """Play games in this process if one process is enough and there is no clock. Otherwise, use other processes.

    Games in this process use the agents in `agents`; see `play_here`. Games in other processes use the agents in
    `roster`; see `play_elsewhere`, which also explains `seed`, `clock`, `workers` and `ray`.
    """
    if clock is None and not ray and workers in (None, 1):
        return play_here(todo, agents)
    return play_elsewhere(todo, roster, seed, clock, workers, ray=ray)


def play_here(todo: Iterator[Pairing], agents: Mapping[str, Agent]) -> Generator[GameRecord, None, None]:
    """Play games in this process and yield their records in the order of `todo`.

    The first job has few games, so that the first record comes soon. Later jobs have more games if the games are fast.

    Raises:
        AgentLeftError, WrongGameError: see `play_games`.
    """
    jobs = _Jobs(todo, watched=False)
    while (job := jobs.next()) is not None:
        done = []
        for record in play_games(agents, job.pairings):
            done.append(record)
            yield record  # not only after the job, so that an interrupt in a later game does not lose it
        jobs.took(done)


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

    Args:
        todo: the games.
        roster: the agents by name.
        seed: the seed with which `othello_env.agent.make_agent` makes the agents.
        clock: the time of each side, or None. An agent that exceeds its time is stopped.
        workers: the number of jobs that are played at the same time. None means 1 job. On a cluster, None means 1 job
            for each core.
        ray: whether to play on a cluster.

    Raises:
        TypeError, WorkerError: see `play_jobs`. On a cluster there may be more errors; see `play_jobs_on_cluster`.
    """
    jobs = _Jobs(todo, watched=clock is not None)
    if ray:
        played = play_jobs_on_cluster(jobs.next, roster, seed, workers, clock)
    else:
        played = play_jobs(jobs.next, roster, seed, workers or 1, clock)
    with closing(played):
        for done in played:
            jobs.took(done)
            yield from done


class _Jobs:
    """Games divided into jobs. A fast job makes the next jobs larger, and a slow job makes them smaller."""

    def __init__(self, todo: Iterator[Pairing], *, watched: bool) -> None:
        self._todo = todo
        self._watched = watched
        self._size = 1 if watched else 2
        self._given: dict[int, float] = {}
        """The time at which each unfinished job began. The dict's key is the `Pairing.key` of the job's first game."""

    def next(self) -> Job | None:
        """The next job, or None when there are no more games."""
        pairings = list(islice(self._todo, self._size))
        if not pairings:
            return None
        self._given[pairings[0].key] = time.monotonic()
        return Job(pairings, self._watched)

    def took(self, done: Sequence[GameRecord]) -> None:
        """Choose the size of the next job: more games after a fast job, fewer games after a slow job."""
        began = self._given.pop(done[0].key, None)
        if self._watched or began is None:
            return
        seconds = time.monotonic() - began
        if seconds < _SECONDS_A_JOB and len(done) >= self._size:
            self._size = min(2 * self._size, _LARGEST_JOB)
        elif seconds > 2 * _SECONDS_A_JOB:
            self._size = max(self._size // 2, 1)
