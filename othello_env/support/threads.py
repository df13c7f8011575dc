"""Threads that share the work on a batch of games.

A plain thread pool: waking a thread takes up to 200 microseconds, so it pays where a run takes much longer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

__all__ = ["Threads"]

_T = TypeVar("_T")


class Threads:
    """`count` threads: the calling thread, and `count` - 1 other threads, which start when they are first needed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0  # the process that made the pool: after a fork, the new process has none of its threads

    def run(self, work: Callable[[int], _T]) -> list[_T]:
        """Call work(0) to work(count - 1) in the threads, and return the results. The calling thread does work(0).

        Raises:
            RuntimeError: a thread cannot be started.
            BaseException: a call of `work` raised this error. It is raised again after all calls have ended. If several
                calls failed, the error of the call with the lowest number is raised.
        """
        if self.count == 1:
            return [work(0)]
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.count - 1), os.getpid()
        futures = [self._pool.submit(work, k) for k in range(1, self.count)]
        try:
            first = work(0)
        finally:
            wait(futures)
        return [first, *(future.result() for future in futures)]

    def close(self) -> None:
        """End the threads when their current work is done. The next `run` starts new threads."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown(wait=False)
        self._pool = None

    def __reduce__(self) -> tuple[Any, ...]:
        return (Threads, (self.count,))
