"""Threads that share the work on a batch of games.

A step of thousands of games takes a fraction of a millisecond. A `ThreadPoolExecutor` would make such a step noticeably
slower, because it needs a future and a condition for each task. A `SimpleQueue`, which is written in C, hands a task to
a thread in a few microseconds.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Any, TypeVar

__all__ = ["Threads"]

_T = TypeVar("_T")
_Answer = tuple[int, Any, BaseException | None]
_Task = tuple[Callable[[int], Any], int, "SimpleQueue[_Answer]"]


class Threads:
    """`count` threads: the calling thread, and `count` - 1 other threads, which start when they are first needed.

    After a fork, the new process starts threads of its own.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._process = 0  # the id of the process that started the threads; 0 if there are no threads
        self._tasks: list[SimpleQueue[_Task | None]] = []
        self._finalizer: Callable[[], Any]
        self._locks: dict[int, threading.Lock] = {}

    def run(self, work: Callable[[int], _T]) -> list[_T]:
        """Call work(0) to work(count - 1) in the threads, and return the results. The calling thread does work(0).

        Raises:
            RuntimeError: a thread cannot be started. In this case no work has begun.
            BaseException: a call of `work` raised this error. It is raised again after all calls have ended. If several
                calls failed, the error of the call with the lowest number is raised.
        """
        if self.count == 1:
            return [work(0)]
        # Each run has a new queue, because answers of an interrupted run may still arrive in the old queue.
        results: SimpleQueue[_Answer] = SimpleQueue()
        self._put(work, range(1, self.count), results)
        answers = [_done(work, 0)]
        answers += [results.get() for _ in range(1, self.count)]
        answers.sort(key=lambda answer: answer[0])
        for _, _, error in answers:
            if error is not None:
                raise error
        return [result for _, result, _ in answers]

    def send(self, k: int, work: Callable[[int], Any]) -> None:
        """Let thread number k call work(k), and return at once. `work` must not raise an error.

        The calling thread has the number 0, so k is from 1 to `count` - 1.

        Raises:
            RuntimeError: a thread cannot be started.
        """
        self._put(work, [k], SimpleQueue())

    def _put(self, work: Callable[[int], Any], numbers: Iterable[int], results: SimpleQueue[_Answer]) -> None:
        process = os.getpid()
        with self._lock(process):  # otherwise `close` could end the threads before all tasks are in their queues
            if self._process != process:
                self._start(process)
            for k in numbers:
                self._tasks[k - 1].put((work, k, results))

    def close(self) -> None:
        """End the threads when their current work is done. The next `run` starts new threads."""
        process = os.getpid()
        with self._lock(process):
            if self._process == process:
                self._process = 0
                self._finalizer()

    def _lock(self, process: int) -> threading.Lock:
        """The lock of this process.

        A forked process needs its own lock, because a thread of the parent may have held the old lock during the fork.
        """
        return self._locks.setdefault(process, threading.Lock())

    def _start(self, process: int) -> None:
        queues: list[SimpleQueue[_Task | None]] = []
        try:
            for _ in range(1, self.count):
                queues.append(SimpleQueue())
                threading.Thread(target=_serve, args=queues[-1:], daemon=True).start()
        except BaseException as error:  # end the threads that were started, also after KeyboardInterrupt
            _end(queues)
            if isinstance(error, RuntimeError):
                raise RuntimeError(
                    f"thread {len(queues) + 1} of {self.count} could not be started: {error}; ask for fewer threads"
                ) from error
            raise
        self._tasks = queues
        self._finalizer = weakref.finalize(self, _end, queues)
        self._process = process

    def __reduce__(self) -> tuple[Any, ...]:
        return (Threads, (self.count,))


def _done(work: Callable[[int], Any], k: int) -> _Answer:
    try:
        return k, work(k), None
    except BaseException as error:  # returned, because `run` raises it in the calling thread
        return k, None, error


def _serve(tasks: SimpleQueue[_Task | None]) -> None:
    while (task := tasks.get()) is not None:
        work, k, results = task
        results.put(_done(work, k))
        del task, work  # while the thread waits for a task, these variables must not keep the batch in memory


def _end(queues: list[SimpleQueue[_Task | None]]) -> None:
    for tasks in queues:
        tasks.put(None)
