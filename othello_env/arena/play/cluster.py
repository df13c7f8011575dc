"""Games on a Ray cluster. The games are divided into jobs, and each job is a Ray task (`othello_env.support.cluster`).

If a node dies, or if Ray's process on a node dies, another node plays the unfinished jobs of that node again. Inside
each task, a worker process plays the games, as on a single machine (`othello_env.arena.play.processes`). So the time of
an agent is measured on the node where the agent thinks, and an agent that exceeds its time is stopped there. If an
agent crashes, Ray's own process goes on.

The extra ``ray`` of this package installs Ray.
"""

from __future__ import annotations

import pickle
import secrets
from collections import deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from othello_env.agent import Agent, Policy
from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.processes import Job, WorkerError, play_jobs
from othello_env.arena.play.records import GameRecord, versions
from othello_env.support.cluster import ClusterError, connected, pack, run_on_cluster
from othello_env.support.extras import MissingExtraError

__all__ = ["play_jobs_on_cluster"]


def play_jobs_on_cluster(
    next_job: Callable[[], Job | None],
    roster: Mapping[str, str | Agent | Policy],
    seed: int,
    workers: int | None = None,
    clock: TimeControl | None = None,
) -> Generator[list[GameRecord], None, None]:
    """Play games on a Ray cluster and yield the records of each job when it is done. Jobs may end in any order.

    `othello_env.support.cluster.connected` explains which cluster is used, and when this process starts a new cluster.

    A node that joins the cluster during the games also plays. Every node must have the files and packages that the
    agents need. If a node has a folder with the same path as the current folder of this process, the agents run in that
    folder.

    Args:
        next_job: returns the next job, or None when there are no more jobs.
        roster: the agents by name.
        seed: the seed with which `othello_env.agent.make_agent` makes the agents.
        workers: the number of jobs played at once; None means one for each core of the cluster.
        clock: the time of each side in watched games (see `Job`).

    Raises:
        ConnectionError: no cluster can be reached or started. Ray tries for some minutes before it gives up.
        MissingExtraError: Ray is not installed.
        TypeError: an agent cannot be sent to another process.
        WorkerError: a node does not have something that an agent needs, or has other versions of packages than this
            process. The message names the node. Workers may also fail for other reasons.
    """
    packed = {name: _packed(name, agent) for name, agent in roster.items()}
    setting = _Setting(secrets.token_hex(8), packed, seed, clock)
    try:
        with connected():
            yield from run_on_cluster(_play, setting, next_job, workers, versions=versions())
    except ClusterError as error:
        raise WorkerError(str(error)) from None


def _packed(name: str, agent: str | Agent | Policy) -> bytes:
    try:
        return pack(agent)
    except MissingExtraError:
        raise
    except Exception as error:  # pickling calls the agent's own code, which may raise any error
        raise TypeError(f"agent {name!r} cannot be sent to another process: {error}") from None


# The code below runs on a node.


@dataclass(frozen=True, slots=True)
class _Setting:
    """The values that all jobs of a tournament share.

    Attributes:
        tournament: a random text that identifies the tournament.
        roster: the pickled agents by name.
        seed: used to make the agents; see `play_jobs_on_cluster`.
        clock: the time of each side, or None.
    """

    tournament: str
    roster: Mapping[str, bytes]
    seed: int
    clock: TimeControl | None


class _Packed:
    """An agent that is already pickled. When this object is pickled and unpickled, the result is the agent itself."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle.loads, (self._data,)


class _Board:
    """A worker process that plays the jobs of one tournament, one after the other."""

    def __init__(self, setting: _Setting) -> None:
        self._jobs: deque[Job] = deque()
        roster = {name: cast(Policy, _Packed(data)) for name, data in setting.roster.items()}
        self._played = play_jobs(self._jobs.popleft, roster, setting.seed, workers=1, clock=setting.clock)

    def play(self, job: Job) -> list[GameRecord]:
        self._jobs.append(job)
        records: list[GameRecord] = []
        # One `next` usually gives all records of the job. After the death of a worker, each game is a job of its own
        # (see `play_jobs`), so each `next` gives one record.
        while len(records) < len(job.pairings):
            records += next(self._played)
        return records


_boards: dict[str, _Board] = {}
"""At most one entry: the `_Board` of the last tournament in this Ray process. The key is `_Setting.tournament`."""


def _play(setting: _Setting, job: Job) -> list[GameRecord]:
    """The work of a Ray task: play a job and return its records."""
    board = _boards.pop(setting.tournament, None)
    if board is None:
        _boards.clear()
        board = _Board(setting)
    records = board.play(job)
    _boards[setting.tournament] = board  # not reached if `play` raises an error, so a `_Board` that failed is not kept
    return records
