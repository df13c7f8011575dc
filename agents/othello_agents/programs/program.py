"""Runs another program: sends lines to it, reads its lines, limits the time and the size of its answers, and ends it.

If the program has started other processes, they end together with the program. If this process is killed, the program's
input ends, at which most programs end by themselves.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from typing import IO

from othello_env.agent import AgentError

__all__ = ["Program", "find_program", "shown"]

_LONGEST_LINE = 1 << 16
"""The longest line that a program may write, in bytes. A longer line is an error."""
_UNREAD = 1 << 8
"""If this number of lines waits for `Program.read`, the program may have to wait before it can write more."""
_LONGEST_ANSWER = 1 << 20
"""The largest amount of output after one command, in bytes. All lines count, even those outside the answer."""
_REMEMBERED_ERRORS = 2048
"""An error message shows at most this number of bytes from the end of the program's stderr."""
_SHOWN = 200
"""An error message shows at most this number of characters of a line."""
_CHUNK = 4096
_GRACE_SECONDS = 1.0
"""How long a program may take to end after it was asked to."""


def find_program(command: str) -> list[str]:
    """Split a command into words, and check that the first word is a program on this machine.

    Raises:
        ValueError: the command is empty or wrongly quoted.
        FileNotFoundError: the program does not exist.
    """
    words = shlex.split(command)
    if not words:
        raise ValueError("the command is empty: expected a program and its arguments, such as 'gtp-rhino -l 4 -b 0'")
    if shutil.which(words[0]) is None:
        raise FileNotFoundError(f"there is no program {words[0]!r}, the first word of the command {command!r}")
    return words


class Program:
    """A running program that reads lines from this process and writes lines to this process.

    Args:
        command: the program's path and arguments, quoted as in a shell.
        who: the word at the beginning of error messages, such as ``"gtp"``.

    Raises:
        AgentError: the program cannot be started.
    """

    def __init__(self, command: str, who: str) -> None:
        self._command = command
        self._who = who
        self._exchange: deque[str] = deque(maxlen=6)
        self._owner = os.getpid()
        self._seconds = self._end = 0.0
        self._size = 0
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own command
                find_program(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=sys.platform != "win32",  # so Ctrl-C in the terminal does not reach the program
            )
        except (OSError, ValueError) as error:
            raise AgentError(f"{who}: the command {command!r} cannot be started: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._stdin = self._process.stdin
        self._lines: queue.Queue[bytes] = queue.Queue(_UNREAD)
        self._errors = bytearray()
        self._listener = threading.Thread(target=_remember, args=(self._process.stderr, self._errors), daemon=True)
        self._listener.start()
        threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()

    @property
    def is_ours(self) -> bool:
        """Whether this process started the program. A process that was forked later must not use the program."""
        return self._owner == os.getpid()

    def limit(self, seconds: float) -> None:
        """Set a time limit: all answers until the next call of `limit` must come within `seconds` from now."""
        self._seconds, self._end = seconds, time.monotonic() + seconds

    def send(self, line: str) -> None:
        """Send a line. If the program has ended, the next call of `read` reports this."""
        self._exchange.append(f"> {shown(line)}")
        self._size = 0
        with contextlib.suppress(OSError, ValueError):
            self._stdin.write(f"{line}\n".encode())
            self._stdin.flush()

    def read(self, wanted: str) -> str:
        """The next line that the program writes, without its line break.

        Args:
            wanted: the command that the program is answering. Error messages show it.

        Raises:
            AgentError: the program has ended, or it is late, or it has written too much since the last `send`. The
                message shows the last lines that were sent and read.
        """
        try:
            line = self._lines.get(timeout=max(0.0, self._end - time.monotonic()))
        except queue.Empty:
            raise self.failure(f"gave no answer within {self._seconds:g} s") from None
        if not line:
            raise self.failure(self._ending())
        self._size += len(line)
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text.strip():
            self._exchange.append(f"< {shown(text)}")
        if self._size > _LONGEST_ANSWER or len(line) > _LONGEST_LINE:
            raise self.failure(f"wrote {self._size} bytes without ending its answer to {shown(wanted)!r}")
        return text

    def _ending(self) -> str:
        """The status with which the program has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        self._listener.join(_GRACE_SECONDS)
        return f"has ended with status {self._process.returncode}"

    def failure(self, what: str) -> AgentError:
        """An error that says what went wrong and shows the last lines that were sent and read; the caller raises it."""
        words = [f"{self._who}: {self._command!r} {what}", "the last exchange:", *self._exchange]
        if errors := bytes(self._errors).decode("utf-8", "replace").splitlines():
            words += ["its stderr:", *(shown(line[-_SHOWN:]) for line in errors)]
        return AgentError("\n  ".join(words))

    def close(self) -> None:
        """Ask the program to quit, then end it and all processes that it has started."""
        if not self.is_ours:
            return
        with contextlib.suppress(OSError, ValueError), self._stdin:
            self._stdin.write(b"quit\n")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        if sys.platform == "win32":
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(self._process.pid)], capture_output=True, check=False)  # noqa: S603, S607
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        with contextlib.suppress(queue.Empty):
            while self._lines.get(timeout=_GRACE_SECONDS):
                pass  # what was not read, so that the thread that reads comes to the end


def shown(text: str) -> str:
    """The beginning of a text, without control characters, for an error message."""
    return "".join(c if c.isprintable() else " " for c in text[:_SHOWN])


def _read(stream: IO[bytes], lines: queue.Queue[bytes]) -> None:
    """Put the lines of a stream into a queue, and at its end b"". A long line comes in parts."""
    with contextlib.suppress(OSError, ValueError), stream:
        while line := stream.readline(_LONGEST_LINE + 1):
            lines.put(line)
    lines.put(b"")


def _remember(stream: IO[bytes], last: bytearray) -> None:
    """Read a stream to its end, and keep its last `_REMEMBERED_ERRORS` bytes in `last`."""
    with contextlib.suppress(OSError, ValueError), stream:
        while chunk := os.read(stream.fileno(), _CHUNK):
            last += chunk
            del last[:-_REMEMBERED_ERRORS]
