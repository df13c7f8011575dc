"""Calls in other processes, with a deadline.

A `Worker` is a spawned process that answers calls. If an answer is late, or if the caller stops the worker, the process
and all processes that it has started are killed (on Windows, only the process itself). They also end when the process
that started the worker ends. A worker ignores Ctrl-C: its owner gets the interrupt, and stops the worker.

`othello_env.support.cluster` does the same jobs on the machines of a Ray cluster.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import platform
import queue
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, Protocol

__all__ = ["Host", "Worker", "WorkerDiedError", "WorkerError", "WorkerTimeoutError", "run_jobs"]


class WorkerError(OSError):
    """A worker could not start, or what it was asked for raised an error. The message names the machine."""


class WorkerDiedError(WorkerError):
    """A worker ended before it answered.

    Attributes:
        exitcode: the status with which the process ended. It is negative if a signal ended the process.
    """

    def __init__(self, exitcode: int | None) -> None:
        super().__init__(f"a worker process on {platform.node()} ended (exit code {exitcode})")
        self.exitcode = exitcode


class WorkerTimeoutError(WorkerError):
    """A worker did not answer in time, and was stopped."""


class Worker:
    """A process that answers one call at a time.

    Args:
        make: a function that is called once in the process, with `args`. It returns the function that answers calls.
            The returned function may have a method ``hurry``; see `hurry`.
        args: the arguments of `make`. They must be picklable, as must be all arguments and answers of calls.
    """

    def __init__(self, make: Callable[..., Callable[..., Any]], *args: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, pickle.dumps((make, args))), daemon=True)
        if sys.platform == "win32":
            self._process.start()
        else:  # the process begins with the signals blocked that are blocked here: it imports for a second or two
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                self._process.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        theirs.close()
        self._is_ready = False
        self._sending = threading.Lock()

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.is_alive()

    def wait_until_ready(self, seconds: float | None = None) -> None:
        """Wait until the process has started and has called `make`.

        Args:
            seconds: the longest time that this may take; None for no limit.

        Raises:
            WorkerError: the process did not start in time, or `make` raised an error.
        """
        if self._is_ready:
            return
        try:
            self._receive(seconds)
        except WorkerTimeoutError:
            raise WorkerError(f"a worker process on {platform.node()} was not ready within {seconds:g} s") from None
        except WorkerDiedError as error:
            raise WorkerError(
                f"a worker process on {platform.node()} ended while it started (exit code {error.exitcode}); in a "
                'script that starts worker processes, the main part must be under if __name__ == "__main__"'
            ) from None
        self._is_ready = True

    def call(self, *args: Any, seconds: float | None = None) -> Any:
        """Call the function that `make` returned, and return its answer.

        Args:
            args: the arguments of the call.
            seconds: the longest time for the answer; None for no limit. The start of the process does not count.

        Raises:
            WorkerDiedError: the process ended before it answered.
            WorkerError: the process did not start, or the function raised an error.
            WorkerTimeoutError: no answer came in time. The worker was stopped.
        """
        self.wait_until_ready()
        self._send(args)
        return self._receive(seconds)

    def hurry(self) -> None:
        """Ask for an early end of the call that another thread is making: its answer may be incomplete.

        The method ``hurry`` of the function that `make` returned is called in another thread of the process.
        """
        self._send(None)

    def _send(self, call: tuple[Any, ...] | None) -> None:
        with suppress(OSError), self._sending:  # if the process has ended, `_receive` raises the error
            self._connection.send(call)

    def _receive(self, seconds: float | None) -> Any:
        try:
            if not self._connection.poll(seconds):
                self.stop()
                raise WorkerTimeoutError(f"a worker process gave no answer within {seconds:g} s")
            kind, value = self._connection.recv()
        except WorkerTimeoutError:
            raise
        except (EOFError, OSError):
            self.stop()
            raise WorkerDiedError(self._process.exitcode) from None
        if kind == "failed":
            raise WorkerError(f"a worker process on {platform.node()} failed: {value}")
        return value

    def stop(self) -> None:
        """Kill the process and all processes that it has started. A call in another thread raises an error."""
        if sys.platform != "win32" and self._process.pid is not None:
            with suppress(ProcessLookupError, PermissionError):  # the group was not made yet, or has ended
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()


def _serve(connection: Connection, packed: bytes) -> None:
    """Answer calls until the owner has ended. This is the main function of a worker's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        os.setpgid(0, 0)
    threading.Thread(target=_end_with_owner, name="end-with-owner", daemon=True).start()

    def send(kind: str, value: Any) -> None:
        with suppress(BrokenPipeError):  # the owner may have ended
            connection.send((kind, value))

    try:
        make, args = pickle.loads(packed)  # noqa: S301 - the owner pickled this
        work = make(*args)
        send("ready", None)
        calls: queue.SimpleQueue[tuple[Any, ...] | Exception] = queue.SimpleQueue()
        threading.Thread(target=_take_calls, args=(connection, work, calls), name="take-calls", daemon=True).start()
        while not isinstance(call := calls.get(), Exception):
            send("answer", work(*call))
        if not isinstance(call, EOFError):  # the owner has closed its side
            raise call
    except Exception as error:
        send("failed", f"{type(error).__name__}: {error}")


def _take_calls(connection: Connection, work: Any, calls: queue.SimpleQueue[Any]) -> None:
    """Put the owner's calls into a queue, and pass on at once that the owner is in a hurry."""
    try:
        while True:
            if (call := connection.recv()) is not None:
                calls.put(call)
            elif hasattr(work, "hurry"):
                work.hurry()
    except Exception as error:
        calls.put(error)


def _end_with_owner() -> None:
    """Kill this process and the processes that it has started when the owner ends.

    This thread cannot run while other code holds the interpreter's lock.
    """
    owner = multiprocessing.parent_process()
    assert owner is not None
    owner.join()
    if sys.platform != "win32":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


class Host(Protocol):
    """Does one job at a time, usually in a `Worker`."""

    def call(self, job: Any, /) -> Any:
        """Do a job, and return its result."""

    def stop(self) -> None:
        """Stop the job in progress. The thread that waits for its result gets an error."""


def run_jobs(start: Callable[[], Host], jobs: Iterable[Any], workers: int) -> Generator[Any, None, None]:
    """Do jobs, several at the same time, and yield each result as soon as it is there.

    If a job raises an error, or if the generator is closed, all hosts are stopped.

    Args:
        start: makes a host, such as a `Worker`.
        jobs: the jobs. The next job is taken when a host is free.
        workers: the largest number of hosts.
    """
    hosts: list[Host] = []
    idle: list[Host] = []

    def work(host: Host, job: Any) -> Any:
        result = host.call(job)
        idle.append(host)
        return result

    todo = iter(jobs)
    running: set[Future[Any]] = set()
    with ThreadPoolExecutor(workers, "worker") as threads:
        try:
            while True:
                for job in islice(todo, workers - len(running)):
                    if not idle:
                        hosts.append(start())
                        idle.append(hosts[-1])
                    running.add(threads.submit(work, idle.pop(), job))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for host in hosts:
                host.stop()
