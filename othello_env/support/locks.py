"""Locks between processes. The locks are the file locks of POSIX systems. On Windows, nothing is locked."""

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
"""The longest time to wait for another process. Without this limit, a suspended process could stop all others."""

_held: set[Path] = set()


def try_lock(file: IO[bytes]) -> bool:
    """Lock an open file until it is closed or this process ends. Return False if another process has locked it.

    On Windows, and on file systems that do not have such locks, nothing is locked and the result is True.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # this file system has no locks
        return True
    return True


@contextlib.contextmanager
def one_process(path: Path) -> Iterator[None]:
    """Lock the file at `path` against other processes while the block runs.

    If another process has locked the file, first wait until the file is unlocked. After two minutes of waiting, the
    block begins without the lock.

    The block runs without a new lock if an outer block of this process has already locked the file, if the system has
    no locks, or if the file cannot be made. Only one thread may use this function at a time.
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
            # A child process that was forked during the block has the file open, too. Without this unlocking, the file
            # would stay locked until the child closes it.
            with contextlib.suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)
