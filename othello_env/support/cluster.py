"""Work on a Ray cluster: a function is called with many jobs, on all machines of the cluster at the same time.

Each call is a Ray task. Ray finds a free core on a machine (a node) for each task. If a node or Ray's process on the
node dies, Ray repeats the node's tasks on another node. Nodes that join the cluster later are used, too.

The extra ``ray`` installs Ray.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from othello_env.support.extras import import_extra

__all__ = ["ClusterError", "connected", "pack", "run_on_cluster"]

_RETRIES = 10
"""The largest number of times that Ray repeats a task because a node or a Ray process died.

A task that raises an error is not repeated.
"""

_Common = TypeVar("_Common")
_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


class ClusterError(OSError):
    """A job failed on a cluster, or a node has other versions of packages than this process."""


@contextmanager
def connected() -> Iterator[None]:
    """Connect this process to a Ray cluster while the block runs.

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
        yield
        return
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises several kinds of errors, after it has tried for minutes
        raise ConnectionError(f"no Ray cluster can be reached or started: {error}") from error
    try:
        yield
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


def run_on_cluster(
    work: Callable[[_Common, _Job], _Result],
    common: _Common,
    next_job: Callable[[], _Job | None],
    workers: int | None = None,
    *,
    versions: Mapping[str, str],
) -> Generator[_Result, None, None]:
    """Call ``work(common, job)`` for each job on a Ray cluster. Yield each result as soon as it is there.

    This process must be connected to the cluster; see `connected`.

    If a node has a folder with the same path as the current folder of this process, relative paths on this node refer
    to that folder.

    Args:
        work: the function. If a node dies, the function may be called again with the same job.
        common: a value that all calls get. Each node receives it once.
        next_job: returns the next job, or None when there are no more jobs.
        workers: the number of calls at the same time; None means one for each core of the cluster.
        versions: a dict from names of packages to the versions that every node must have. The name ``python`` stands
            for Python itself. The part of a version after ``+``, which names a build such as ``+cpu``, may differ.

    Raises:
        ClusterError: a node has other versions (the message names the node), `work` raised an error, or Ray failed.
    """
    ray = import_extra("ray", "ray")
    task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_run)
    setting = ray.put(_Setting(pack((work, common)), str(Path.cwd()), dict(versions)))
    running: set[Any] = set()
    try:
        while True:
            room = workers or max(1, int(ray.cluster_resources().get("CPU", 0)))
            while len(running) < room and (job := next_job()) is not None:
                running.add(task.remote(setting, job))
            if not running:
                return
            ray.wait([*running])
            done, _ = ray.wait([*running], num_returns=len(running), timeout=0)
            for each in done:
                running.remove(each)
                yield _result(ray, each)
    finally:
        for each in running:
            with suppress(Exception):  # fails if the cluster no longer exists
                ray.cancel(each)


def _result(ray: Any, task: Any) -> Any:
    try:
        return ray.get(task)
    except ray.exceptions.RayTaskError as error:
        raise ClusterError(str(error.cause)) from error
    except ray.exceptions.RayError as error:
        raise ClusterError(f"Ray could not finish a job: {error}") from None


# The code below runs on a node.


@dataclass(frozen=True, slots=True)
class _Setting:
    """The values that all jobs share.

    Attributes:
        packed: the function and its first argument, pickled. They are unpickled after the check of the versions.
        folder: the current folder of the process that called `run_on_cluster`.
        versions: the versions that every node must have, by name.
    """

    packed: bytes
    folder: str
    versions: Mapping[str, str]


def _run(setting: _Setting, job: Any) -> Any:
    """The work of a Ray task: one call of the function."""
    wanted = {name: _public(found) for name, found in setting.versions.items()}
    if (here := {name: _installed(name) for name in wanted}) != wanted:
        raise ClusterError(f"node {platform.node()} has the versions {here}, but this process has {wanted}")
    with suppress(OSError):  # if the folder is missing, a job that needs it will raise an error
        os.chdir(setting.folder)
    try:
        work, common = pickle.loads(setting.packed)  # noqa: S301 - `run_on_cluster` pickled this
        return work(common, job)
    except ArithmeticError:  # a training has diverged; the node did not cause this, so the message does not name it
        raise
    except OSError as error:  # the message is for users, so the type of the error is left out
        raise ClusterError(f"node {platform.node()}: {error}") from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise ClusterError(f"a job failed on node {platform.node()}: {reason}") from error


def _installed(name: str) -> str:
    """The version of a package on this node, without the name of the build; ``none`` if it is not installed."""
    try:
        return _public(platform.python_version() if name == "python" else version(name))
    except PackageNotFoundError:
        return "none"


def _public(found: str) -> str:
    return found.partition("+")[0]
