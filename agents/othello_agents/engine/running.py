"""Run a search that a time limit or Ctrl-C can end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from othello_agents.engine.memory import LIMIT, NODES, Memory

__all__ = ["run"]

_WAIT_SECONDS = 0.2

_T = TypeVar("_T")


def run(
    search: Callable[[], _T],
    memory: Memory,
    seconds: float | None = None,
    progress: Callable[[int], object] | None = None,
) -> _T:
    """Call `search` in another thread and return its result.

    After `seconds` or Ctrl-C, the calling thread sets the limit of nodes in `memory` to 0, which ends the search. The
    compiled search releases Python's global interpreter lock. So the calling thread can check the time and notice
    Ctrl-C during the search. `progress` is called a few times a second with the number of nodes visited so far.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the search has ended.
    """
    answers: list[_T] = []
    errors: list[BaseException] = []
    has_ended = threading.Event()  # needed because `is_alive` may be False too early after an interrupt of `join`

    def work() -> None:
        try:
            answers.append(search())
        except BaseException as error:  # raised again in the calling thread
            errors.append(error)
        finally:
            has_ended.set()

    thread = threading.Thread(target=work, name="othello-engine", daemon=True)
    end = None if seconds is None else time.perf_counter() + seconds
    thread.start()
    try:
        while not has_ended.is_set():
            left = _WAIT_SECONDS if end is None else min(_WAIT_SECONDS, end - time.perf_counter())
            if left <= 0:
                break
            has_ended.wait(left)
            if progress is not None:
                progress(int(memory.control[NODES]))
    finally:
        if not has_ended.is_set():
            memory.control[LIMIT] = 0
            has_ended.wait()
    if errors:
        raise errors[0]
    return answers[0]
