"""Keep interrupts (Ctrl-C) away from worker processes: only the process that started them gets the interrupt."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["interrupts_held"]


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Delay interrupts (Ctrl-C) of this thread until the block ends.

    A process that is started in the block never gets an interrupt. On Windows, this function has no effect.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
