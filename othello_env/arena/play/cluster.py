"""Games on a Ray cluster: each job of a tournament is a Ray task.

Ray finds a free core on some node for each job. If the node dies, or Ray's process on it, another node plays the job.
Within the task a worker process plays the games, as on one machine (`othello_env.arena.play.processes`). So clocks are
kept and agents are stopped on the node where they think, and an agent that crashes does not harm Ray's own process.

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
from othello_env.arena.play.processes import Job, WorkerError, play_jobs
from othello_env.arena.play.records import GameRecord, versions
from othello_env.support.extras import import_extra

__all__ = ["play_jobs_on_cluster"]

_RETRIES = 10
"""How many nodes or processes of Ray's may die during a job. An agent that crashes ends neither."""


def play_jobs_on_cluster(
    next_job: Callable[[], Job | None],
    roster: Mapping[str, str | Agent | Policy],
    seed: int,
    workers: int | None = None,
    clock: TimeControl | None = None,
) -> Generator[list[GameRecord], None, None]:
    """Play games on a Ray cluster and yield the records of each job once it is done, in any order.

    The cluster is the one that this process is connected to; otherwise that of the variable ``RAY_ADDRESS``, otherwise
    the one that runs on this machine, otherwise one that is started here and stopped after the games. Nodes that join
    later are used at once. The files and packages that an agent needs must be on every node. A node looks up relative
    paths in the folder that this process is in, if it has that folder.

    Args:
        next_job: returns the next job, or None when there is none left.
        roster: the agents by name.
        seed: for agents whose random choices do not come only from the keys of their games.
        workers: the number of jobs played at once; None means one for each core of the cluster.
        clock: each side's, in watched games.

    Raises:
        ConnectionError: there is no cluster at the given address; Ray takes some minutes to give up.
        MissingExtraError: Ray is not installed.
        TypeError: an agent cannot be sent to another process.
        WorkerError: a node lacks what an agent needs or has other versions, or workers fail otherwise; the message
            names the node.
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
    """An agent as Ray pickles it: including the code of functions that other machines cannot import."""
    try:
        packed: bytes = import_extra("ray.cloudpickle", "ray").dumps(agent)
    except Exception as error:
        raise TypeError(f"agent {name!r} cannot be sent to another process: {error}") from None
    return packed


def _records(ray: Any, task: Any) -> list[GameRecord]:
    try:
        records: list[GameRecord] = ray.get(task)
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
        tournament: its key, different for each tournament.
        roster: the pickled agents by name.
        seed: for agents whose random choices do not come only from the keys of their games.
        clock: each side's.
        folder: in which the tournament was started.
        versions: that the tournament's records name.
    """

    tournament: str
    roster: Mapping[str, bytes]
    seed: int
    clock: TimeControl | None
    folder: str
    versions: Mapping[str, str]


class _Packed:
    """An agent that is pickled already. Pickled again and unpickled, this is the agent itself."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle.loads, (self._data,)


class _Board:
    """One worker process, which plays one job after another of a tournament.

    Raises:
        WorkerError: this node has other versions, so it might play other games.
    """

    def __init__(self, setting: _Setting) -> None:
        if (here := versions()) != setting.versions:
            raise WorkerError(f"node {platform.node()} plays with {here}, but the tournament with {setting.versions}")
        with suppress(OSError):  # an agent that misses a relative path will name it
            os.chdir(setting.folder)
        self._jobs: deque[Job] = deque()
        roster = {name: cast(Policy, _Packed(data)) for name, data in setting.roster.items()}
        self._played = play_jobs(self._jobs.popleft, roster, setting.seed, workers=1, clock=setting.clock)

    def play(self, job: Job) -> list[GameRecord]:
        self._jobs.append(job)
        records: list[GameRecord] = []
        while len(records) < len(job.pairings):  # if the worker dies, its games come back one by one
            records += next(self._played)
        return records


_boards: dict[str, _Board] = {}
"""By tournament, the board of the last tournament that this process of Ray's played for; it ends with the process."""


def _play(setting: _Setting, job: Job) -> list[GameRecord]:
    """What a Ray task does: play a job and return its records."""
    board = _boards.pop(setting.tournament, None)
    if board is None:
        _boards.clear()
        board = _Board(setting)
    records = board.play(job)
    _boards[setting.tournament] = board  # not after an error
    return records
