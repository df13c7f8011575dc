"""Runs a program, and ends it when the supervisor's owner ends: ``python supervisor.py PROGRAM ARGUMENT ...``.

The owner is the process that started the supervisor. The supervisor passes its stdin on to the program. The program
inherits the supervisor's stdout and stderr. The system closes the supervisor's stdin when the owner dies, even if the
owner is killed. Then the supervisor closes the program's stdin. One second later, the supervisor kills the program and
all processes that the program has started. On SIGTERM, it kills them without waiting.

The supervisor exits with the program's status, or with 128 + N if signal N ended the program. This module imports only
the standard library, so that the supervisor starts quickly.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from typing import IO

__all__ = ["GRACE_SECONDS"]

GRACE_SECONDS = 1.0
"""The number of seconds that a program may still run after its stdin has ended."""
_CHUNK = 1 << 16
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG in Linux's sys/prctl.h


def _main() -> None:
    try:
        program = subprocess.Popen(  # noqa: S603 - the user's own command
            sys.argv[1:],
            stdin=subprocess.PIPE,
            start_new_session=sys.platform != "win32",  # makes a process group, which `_kill` kills as a whole
            preexec_fn=_end_with_supervisor if sys.platform == "linux" else None,
        )
    except OSError as error:
        sys.exit(f"cannot be started: {error}")
    signal.signal(signal.SIGTERM, lambda *_: _kill(program))
    assert program.stdin is not None
    # One thread reads stdin into a queue, and another thread writes the queue to the program. So the supervisor notices
    # the end of its own stdin even while the program does not read its input.
    chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_write, args=(program.stdin, chunks), daemon=True).start()
    threading.Thread(target=_read, args=(program, chunks), daemon=True).start()
    status = program.wait()
    _kill(program)  # kills the processes that the program left behind
    if sys.platform == "win32":  # after a crash, the status can be 2**31 or more, which `os._exit` does not take
        os._exit(status - (1 << 32) if status >= 1 << 31 else status)
    os._exit(status if status >= 0 else 128 - status)


def _end_with_supervisor() -> None:
    """Make the system kill this process (the program) when the supervisor is killed. Only Linux can do this."""
    import ctypes

    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


def _read(program: subprocess.Popen[bytes], chunks: queue.SimpleQueue[bytes]) -> None:
    """Pass stdin on to the queue until stdin ends, then end the program."""
    with contextlib.suppress(OSError):
        while chunk := os.read(0, _CHUNK):
            chunks.put(chunk)
    chunks.put(b"")
    time.sleep(GRACE_SECONDS)
    _kill(program)


def _write(stream: IO[bytes], chunks: queue.SimpleQueue[bytes]) -> None:
    with contextlib.suppress(OSError), stream:
        while chunk := chunks.get():
            stream.write(chunk)
            stream.flush()


def _kill(program: subprocess.Popen[bytes]) -> None:
    """Kill a program and all processes that it has started."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(program.pid)], capture_output=True, check=False)  # noqa: S603, S607
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(program.pid, signal.SIGKILL)


if __name__ == "__main__":
    _main()
