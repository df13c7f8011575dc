"""A word to whoever waits while kernels are compiled for their first use; a load from the cache is no compilation.

The library says nothing by itself. A program that wants to, such as the command, opens `compilation_reported` around
its work.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from numba.core.event import Event, Listener, install_listener

__all__ = ["compilation_reported", "report_compilation"]

_SECONDS = 1.5
"""How long compilation takes, in all, before anybody hears of it."""


class _Watch(Listener):
    """Calls a function once, when compilation has taken some seconds in all."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._once = threading.Lock()
        self._left = _SECONDS
        self._depth = 0
        self._began = 0.0
        self._timer = threading.Timer(0.0, self.tell)

    def tell(self) -> None:
        if self._once.acquire(blocking=False):
            self._tell()

    # Numba compiles in one thread at a time, a kernel's callees within it.

    def on_start(self, event: Event) -> None:
        self._depth += 1
        if self._depth > 1 or self._once.locked():
            return
        self._began = time.monotonic()
        self._timer = threading.Timer(self._left, self.tell)
        self._timer.daemon = True
        with contextlib.suppress(RuntimeError):  # no thread can be started; then nobody hears of it
            self._timer.start()

    def on_end(self, event: Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._timer.cancel()
            self._left = max(0.0, self._left - (time.monotonic() - self._began))


_watches: list[_Watch] = []


@contextlib.contextmanager
def compilation_reported(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell`, once and in another thread, when this process has compiled for a second and a half in all."""
    watch = _Watch(tell)
    _watches.append(watch)
    try:
        with install_listener("numba:compile", watch):
            yield
    finally:
        watch._timer.cancel()
        _watches.remove(watch)


def report_compilation() -> None:
    """Report that another process compiles for this one."""
    for watch in [*_watches]:
        watch.tell()
