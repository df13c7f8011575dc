"""Locks between processes: those that POSIX systems have on open files. Other systems do without."""

import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import fcntl

__all__ = ["one_process", "try_lock"]

_PATIENCE_SECONDS = 120.0
"""How long to wait for another process; it may have been stopped."""

_held: set[Path] = set()


def try_lock(file: IO[bytes]) -> bool:
    """Hold an open file until it is closed or this process ends, or return False if another process holds it.

    Where there are no such locks, on Windows and on some file systems, nobody holds a file and this returns True.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


@contextlib.contextmanager
def one_process(path: Path) -> Iterator[None]:
    """Wait until no other process holds this lock file, or for two minutes, then hold it.

    Within itself it does nothing, and neither where there are no locks or the file cannot be made. Only one thread may
    use it at a time.
    """
    if sys.platform == "win32" or path in _held:
        yield
        return
    try:
        file = path.open("ab")
    except OSError:
        yield
        return
    with file:
        _held.add(path)
        try:
            deadline = time.monotonic() + _PATIENCE_SECONDS
            while not try_lock(file) and time.monotonic() < deadline:
                time.sleep(0.01)
            yield
        finally:
            _held.discard(path)
            with contextlib.suppress(OSError):  # closing is not enough: a child forked meanwhile has the file open too
                fcntl.flock(file, fcntl.LOCK_UN)
