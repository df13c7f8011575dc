"""Games on a Ray cluster. The games are divided into jobs, and each job is a Ray task.

Ray finds a free core on a node for each job. If the node or Ray's process on the node dies, another node plays the job
again. Inside the task, a worker process plays the games, as on a single machine (`othello_env.arena.play.processes`).
So the time of an agent is measured on the node where the agent thinks, and an agent that exceeds its time is stopped
there. An agent that crashes does not harm Ray's own process.

The extra ``ray`` of this package installs Ray.
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
"""The number of times that Ray plays a job again after a node or a Ray process died. Crashes of agents do not count."""


def play_jobs_on_cluster(
    next_job: Callable[[], Job | None],
    roster: Mapping[str, str | Agent | Policy],
    seed: int,
    workers: int | None = None,
    clock: TimeControl | None = None,
) -> Generator[list[GameRecord], None, None]:
    """Play games on a Ray cluster and yield the records of each job when it is done. Jobs may end in any order.

    If this process is connected to a cluster, this cluster is used. Otherwise the environment variable ``RAY_ADDRESS``
    gives the address of the cluster. If the variable is not set, the cluster that runs on this machine is used. If no
    cluster runs on this machine, a new cluster is started here and stopped after the games.

    A node that joins the cluster during the games is used, too. Every node must have the files and packages that the
    agents need. On each node, the agents run in the current folder of this process, if the node has such a folder.

    Args:
        next_job: returns the next job, or None when there are no more jobs.
        roster: the agents by name.
        seed: the seed of agents whose random choices do not depend on the key of a game (`Pairing.key`).
        workers: the number of jobs played at once; None means one for each core of the cluster.
        clock: the time of each side in watched games (see `Job`).

    Raises:
        ConnectionError: no cluster answers at the given address. Ray tries to connect for some minutes.
        MissingExtraError: Ray is not installed.
        TypeError: an agent cannot be sent to another process.
        WorkerError: a node does not have something that an agent needs, or has other versions of packages than this
            process. The message names the node. Workers may also fail for other reasons.
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
    except Exception as error:  # Ray raises several kinds of errors, after it has tried for minutes
        raise ConnectionError(f"no Ray cluster can be reached or started: {error}") from error


def _pack(name: str, agent: str | Agent | Policy) -> bytes:
    """Pickle an agent with Ray. Ray includes the code of functions that other machines cannot import."""
    try:
        packed: bytes = import_extra("ray.cloudpickle", "ray").dumps(agent)
    except Exception as error:  # pickling calls the agent's own code, which may raise any error
        raise TypeError(f"agent {name!r} cannot be sent to another process: {error}") from None
    return packed


def _records(ray: Any, task: Any) -> list[GameRecord]:
    try:
        records: list[GameRecord] = ray.get(task)
    except ray.exceptions.RayTaskError as error:
        raise WorkerError(str(error.cause)) from None
    except ray.exceptions.RayError as error:
        raise WorkerError(f"Ray could not finish some games: {error}") from None
    return records


# The code below runs on a node.


@dataclass(frozen=True, slots=True)
class _Setting:
    """The values that all jobs of a tournament share.

    Attributes:
        tournament: a random text that identifies the tournament.
        roster: the pickled agents by name.
        seed: used to make the agents; see `play_jobs_on_cluster`.
        clock: the time of each side, or None.
        folder: the folder in which the tournament was started.
        versions: the versions, by name, of Python and of the packages in the process that started the tournament.
    """

    tournament: str
    roster: Mapping[str, bytes]
    seed: int
    clock: TimeControl | None
    folder: str
    versions: Mapping[str, str]


class _Packed:
    """An agent that is already pickled. When this object is pickled and unpickled, the result is the agent itself."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle.loads, (self._data,)


class _Board:
    """One worker process, which plays jobs of one tournament one after the other.

    Raises:
        WorkerError: this node has other versions of Python or packages than the process that started the tournament.
    """

    def __init__(self, setting: _Setting) -> None:
        if (here := versions()) != setting.versions:
            raise WorkerError(f"node {platform.node()} plays with {here}, but the tournament with {setting.versions}")
        with suppress(OSError):  # if the folder is missing, an agent that needs it will raise an error
            os.chdir(setting.folder)
        self._jobs: deque[Job] = deque()
        roster = {name: cast(Policy, _Packed(data)) for name, data in setting.roster.items()}
        self._played = play_jobs(self._jobs.popleft, roster, setting.seed, workers=1, clock=setting.clock)

    def play(self, job: Job) -> list[GameRecord]:
        self._jobs.append(job)
        records: list[GameRecord] = []
        while len(records) < len(job.pairings):  # more than once if the worker died, since each game is then a job
            records += next(self._played)
        return records


_boards: dict[str, _Board] = {}
"""The `_Board` of the tournament for which this Ray process played last. The key is `_Setting.tournament`."""


def _play(setting: _Setting, job: Job) -> list[GameRecord]:
    """The work of a Ray task: play a job and return its records."""
    board = _boards.pop(setting.tournament, None)
    if board is None:
        _boards.clear()
        board = _Board(setting)
    records = board.play(job)
    _boards[setting.tournament] = board  # a board that raised an error is not used again
    return records
