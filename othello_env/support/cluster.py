"""Jobs on a Ray cluster: `run_jobs_on_cluster` does what `othello_env.support.workers.run_jobs` does, on many machines.

Each job is a Ray task. Ray finds a free core on a machine (a node) for each task. If a node or Ray's process on the
node dies, Ray repeats the node's tasks on another node. Nodes that join the cluster later are used, too.

The extra ``ray`` installs Ray.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import secrets
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any

from othello_env.support.extras import import_extra
from othello_env.support.workers import Host, WorkerError

__all__ = ["connected", "pack", "run_jobs_on_cluster"]

_RETRIES = 10
"""The largest number of times that Ray repeats a task because a node or a Ray process died.

A task that raises an error is not repeated.
"""


@contextmanager
def connected() -> Iterator[Any]:
    """Connect this process to a Ray cluster while the block runs. The block gets the module ``ray``.

    If this process is already connected to a cluster, the existing connection is used and stays open. Otherwise the
    environment variable ``RAY_ADDRESS`` gives the address of the cluster. If the variable is not set, the cluster that
    runs on this machine is used. If no cluster runs on this machine, a new cluster is started here and stopped after
    the block.

    Raises:
        ConnectionError: no cluster answers at the given address. Before this error, Ray tries to connect for some
            minutes.
        MissingExtraError: Ray is not installed.
    """
    ray = import_extra("ray", "ray")
    if ray.is_initialized():
        yield ray
        return
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises several kinds of errors, after it has tried for minutes
        raise ConnectionError(f"no Ray cluster can be reached or started: {error}{_hint(error)}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def pack(thing: Any) -> bytes:
    """Pickle an object with Ray. Ray includes the code of functions that other machines cannot import.

    Raises:
        MissingExtraError: Ray is not installed.
        Exception: the object cannot be pickled. Pickling may call the object's own code, which may raise any error.
    """
    packed: bytes = import_extra("ray.cloudpickle", "ray").dumps(thing)
    return packed


def run_jobs_on_cluster(
    start: Callable[[], Host], jobs: Iterable[Any], workers: int | None = None, *, versions: Mapping[str, str]
) -> Generator[Any, None, None]:
    """Do jobs on a Ray cluster, several at the same time, and yield each result as soon as it is there.

    If this process is not connected to a cluster, it connects while the jobs are done; see `connected`. If a node has a
    folder with the same path as the current folder of this process, relative paths on this node refer to that folder.

    Args:
        start: makes a host in each of Ray's processes; see `othello_env.support.workers.Host`. If a node dies, a job
            may be done again by another host.
        jobs: the jobs. The next job is taken when a core is free.
        workers: the number of jobs at the same time; None means one for each core of the cluster.
        versions: a dict from names of packages to the versions that every node must have. The name ``python`` stands
            for Python itself. The part of a version after ``+``, which names a build such as ``+cpu``, may differ.

    Raises:
        ConnectionError: no cluster can be reached or started.
        MissingExtraError: Ray is not installed.
        WorkerError: a node has other versions (the message names the node), a job raised an error, or Ray failed.
    """
    with connected() as ray:
        yield from _run_jobs(ray, start, iter(jobs), workers, versions)


def _run_jobs(
    ray: Any, start: Callable[[], Host], jobs: Iterator[Any], workers: int | None, versions: Mapping[str, str]
) -> Generator[Any, None, None]:
    task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_run)
    setting = ray.put(_Setting(secrets.token_hex(8), pack(start), str(Path.cwd()), dict(versions)))
    running: set[Any] = set()
    try:
        while True:
            room = workers or max(1, int(ray.cluster_resources().get("CPU", 0)))
            for job in islice(jobs, max(0, room - len(running))):
                running.add(task.remote(setting, job))
            if not running:
                return
            ray.wait([*running])
            done, _ = ray.wait([*running], num_returns=len(running), timeout=0)
            for ref in done:
                running.remove(ref)
                yield _result(ray, ref)
    finally:
        for ref in running:
            with suppress(Exception):  # fails if the cluster no longer exists
                ray.cancel(ref)


def _result(ray: Any, task: Any) -> Any:
    try:
        return ray.get(task)
    except ray.exceptions.RayTaskError as error:
        raise WorkerError(str(error.cause)) from error
    except ray.exceptions.RayError as error:
        raise WorkerError(f"Ray could not finish a job: {error}{_hint(error)}") from None


def _hint(error: Exception) -> str:
    """What to do if the machines of a cluster do not have the same token."""
    if "RAY_AUTH_MODE" not in str(error) and "AuthToken" not in str(error):
        return ""
    return (
        "\nOn every machine, set RAY_AUTH_MODE=token and store the same token in ~/.ray/auth_token, before Ray starts "
        "and for this command"
    )


# The code below runs on a node.


@dataclass(frozen=True, slots=True)
class _Setting:
    """The values that all jobs share.

    Attributes:
        name: a random text that stands for these jobs.
        start: the pickled function that makes a host. It is unpickled after the check of the versions.
        folder: the current folder of the process that called `run_jobs_on_cluster`.
        versions: the versions that every node must have, by name.
    """

    name: str
    start: bytes
    folder: str
    versions: Mapping[str, str]


_hosts: dict[str, Host] = {}
"""At most one entry: the last host in this process of Ray. The key is `_Setting.name`."""


def _run(setting: _Setting, job: Any) -> Any:
    """The work of a Ray task: one job."""
    wanted = {name: _public(version) for name, version in setting.versions.items()}
    if (here := {name: _installed(name) for name in wanted}) != wanted:
        raise WorkerError(f"node {platform.node()} has the versions {here}, but this process has {wanted}")
    with suppress(OSError):  # if the folder is missing, a job that needs it will raise an error
        os.chdir(setting.folder)
    host = _hosts.pop(setting.name, None)
    try:
        if host is None:
            while _hosts:
                _hosts.popitem()[1].stop()
            host = pickle.loads(setting.start)()  # noqa: S301 - `run_jobs_on_cluster` pickled this
        result = host.call(job)
    except BaseException as error:
        if host is not None:
            host.stop()
        if not isinstance(error, Exception):  # Ray has cancelled this task
            raise
        # The message is for users, so the type of an OSError is left out.
        reason = str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        raise WorkerError(f"node {platform.node()}: {reason}") from error
    _hosts[setting.name] = host  # not after an error: the next job gets a new host
    return result


def _installed(name: str) -> str:
    """The version of a package on this node, without the name of the build; ``none`` if it is not installed."""
    try:
        return _public(platform.python_version() if name == "python" else version(name))
    except PackageNotFoundError:
        return "none"


def _public(version: str) -> str:
    return version.partition("+")[0]
