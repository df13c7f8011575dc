"""Games on a Ray cluster: each job of a tournament is a Ray task.

Ray finds a free core for a job, on whatever node, and plays it again elsewhere if the node or Ray's process there dies.
Within the task the games are played by a worker process as on one machine (`othello_env.arena.play.processes`): so a
clock is kept, and an agent stopped, where that agent thinks, and what an agent does to its process never hurts Ray's.

Ray is the extra ``ray``.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import secrets
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from othello_env.agent import Agent, Policy
from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.games import Record
from othello_env.arena.play.processes import Job, WorkerError, play_jobs
from othello_env.arena.tournament.records import versions
from othello_env.support.extras import import_extra

__all__ = ["play_jobs_on_cluster"]

_RETRIES = 10
"""How many nodes or processes of Ray's may die of a job; an agent that crashes ends neither."""


def play_jobs_on_cluster(
    next_job: Callable[[], Job | None],
    roster: Mapping[str, str | Agent | Policy],
    seed: int,
    workers: int | None = None,
    clock: TimeControl | None = None,
) -> Generator[list[Record], None, None]:
    """Play games on a Ray cluster and yield the records of each job once it is done, in any order.

    The cluster is the one that this process is connected to; else that of the variable ``RAY_ADDRESS``, else the one
    that runs on this machine, else one that is started here for as long as the games last. A cluster that grows is used
    at once. What an agent needs beyond its spec, files or packages, has to be on every node; a relative path is looked
    up in the folder that this process is in, where a node has it.

    Args:
        next_job: gives the next job, or None when there is no more.
        roster: the agents by name; pairings give their places.
        seed: of agents that are random beyond their games' keys.
        workers: how many jobs are played at once; None means as many as the cluster has cores.
        clock: each side's, in watched games.

    Raises:
        ConnectionError: there is no cluster at the given address; Ray takes some minutes to give up.
        MissingExtraError: Ray is not installed.
        TypeError: an agent cannot be sent to another process.
        WorkerError: a node lacks what an agent needs or has other versions, or games fail for no reason that lies in
            them; the message names the node.
    """
    ray = import_extra("ray", "ray")
    packed = {name: _pack(name, agent) for name, agent in roster.items()}
    ours = not ray.is_initialized()
    if ours:
        _connect(ray)
    running: set[Any] = set()
    try:
        play = ray.remote(num_cpus=1, max_retries=_RETRIES)(_play)
        setting = ray.put(_Setting(secrets.token_hex(8), packed, seed, clock, str(Path.cwd()), versions()))
        while True:
            room = workers or max(1, int(ray.cluster_resources().get("CPU", 0)))
            while len(running) < room and (job := next_job()) is not None:
                running.add(play.remote(setting, job))
            if not running:
                return
            ray.wait([*running])
            done, _ = ray.wait([*running], num_returns=len(running), timeout=0)
            for task in done:
                running.remove(task)
                yield _records(ray, task)
    finally:
        for task in running:
            with suppress(Exception):  # the cluster may be gone
                ray.cancel(task)
        if ours:
            ray.shutdown()


def _connect(ray: Any) -> None:
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # of several kinds, after minutes of trying
        raise ConnectionError(f"no Ray cluster can be reached or started: {error}") from error


def _pack(name: str, agent: str | Agent | Policy) -> bytes:
    """An agent as Ray pickles it: with the code of functions that no module on another machine defines."""
    try:
        packed: bytes = import_extra("ray.cloudpickle", "ray").dumps(agent)
    except Exception as error:
        raise TypeError(f"agent {name!r} cannot be sent to another process: {error}") from None
    return packed


def _records(ray: Any, task: Any) -> list[Record]:
    try:
        records: list[Record] = ray.get(task)
    except ray.exceptions.RayTaskError as error:
        raise WorkerError(str(error.cause)) from None
    except ray.exceptions.RayError as error:
        raise WorkerError(f"Ray gave games up: {error}") from None
    return records


# On a node.


@dataclass(frozen=True, slots=True)
class _Setting:
    """What the jobs of a tournament share.

    Attributes:
        tournament: its key.
        roster: the agents, pickled, by name.
        seed: of agents.
        clock: each side's.
        folder: that the tournament was started in.
        versions: of what its records say that they were played with.
    """

    tournament: str
    roster: Mapping[str, bytes]
    seed: int
    clock: TimeControl | None
    folder: str
    versions: Mapping[str, str]


class _Packed:
    """An agent that is pickled already: whoever unpickles it gets the agent."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle.loads, (self._data,)


class _Board:
    """One worker process, that plays job after job of a tournament.

    Raises:
        WorkerError: this node cannot play the same games.
    """

    def __init__(self, setting: _Setting) -> None:
        if (here := versions()) != setting.versions:
            raise WorkerError(f"node {platform.node()} plays with {here}, but the tournament with {setting.versions}")
        with suppress(OSError):  # a relative path that is missed will be told
            os.chdir(setting.folder)
        self._jobs: deque[Job] = deque()
        roster = {name: cast(Policy, _Packed(data)) for name, data in setting.roster.items()}
        self._played = play_jobs(self._jobs.popleft, roster, setting.seed, workers=1, clock=setting.clock)

    def play(self, job: Job) -> list[Record]:
        self._jobs.append(job)
        records: list[Record] = []
        while len(records) < len(job.pairings):  # of a worker that died, its games come back one by one
            records += next(self._played)
        return records


_boards: dict[str, _Board] = {}
"""That of the tournament which this process of Ray's has last played for; its worker ends with this process."""


def _play(setting: _Setting, job: Job) -> list[Record]:
    """The task: a job's records."""
    board = _boards.pop(setting.tournament, None)
    if board is None:
        _boards.clear()
        board = _Board(setting)
    records = board.play(job)
    _boards[setting.tournament] = board  # not after an error
    return records
