"""Report that kernels (compiled functions) are being compiled for their first use.

Loading kernels from the cache is not reported. The library itself prints nothing. A program that wants to inform its
user does its work inside a `compilation_reported` block, as the command ``othello-env`` does.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from numba.core.event import Event, Listener, install_listener

__all__ = ["compilation_reported", "report_compilation"]

_SECONDS = 1.5
"""Compilation is reported when it has taken this many seconds in total."""


class _Watch(Listener):
    """Calls a function once, when compilation has taken `_SECONDS` in total."""

    def __init__(self, report: Callable[[], None]) -> None:
        self._report = report
        self._once = threading.Lock()
        self._left = _SECONDS
        self._depth = 0
        self._began = 0.0
        self._timer = threading.Timer(0.0, self.report)

    def report(self) -> None:
        if self._once.acquire(blocking=False):
            self._report()

    # Numba compiles in one thread at a time. When Numba compiles a kernel, it also compiles the functions that the
    # kernel calls. So `on_start` can be called again before `on_end`. `_depth` counts the compilations in progress.

    def on_start(self, event: Event) -> None:
        self._depth += 1
        if self._depth > 1 or self._once.locked():
            return
        self._began = time.monotonic()
        self._timer = threading.Timer(self._left, self.report)
        self._timer.daemon = True
        with contextlib.suppress(RuntimeError):  # if no thread can be started, nothing is reported
            self._timer.start()

    def on_end(self, event: Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._timer.cancel()
            self._left = max(0.0, self._left - (time.monotonic() - self._began))


_watches: list[_Watch] = []


@contextlib.contextmanager
def compilation_reported(report: Callable[[], None]) -> Iterator[None]:
    """Call `report` once, in another thread, when compilation in this block has taken 1.5 seconds in total."""
    watch = _Watch(report)
    _watches.append(watch)
    try:
        with install_listener("numba:compile", watch):
            yield
    finally:
        watch._timer.cancel()
        _watches.remove(watch)


def report_compilation() -> None:
    """In every open `compilation_reported` block, call `report` now if it has not been called yet.

    Call this function when another process compiles kernels for this process.
    """
    for watch in [*_watches]:
        watch.report()
