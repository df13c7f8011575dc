"""Runs another program: sends lines to it, reads its lines, limits the time and the size of its answers, and ends it.

If the program has started other processes, they end together with the program. `othello_agents.programs.supervisor`
ends the program when this process ends, even if this process is killed.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from pathlib import Path
from typing import IO

from othello_agents.programs import supervisor
from othello_env.agent import AgentError

__all__ = ["Program", "find_program", "shown"]

_LONGEST_LINE = 1 << 16
"""The longest line that a program may write, in bytes. A longer line is an error. While more bytes than this
wait for `Program.read`, no more output is accepted. Then the program may have to wait before it can write."""
_LONGEST_ANSWER = 1 << 20
"""The largest amount of output after one command, in bytes. All lines count, even those outside the answer."""
_REMEMBERED_ERRORS = 2048
"""An error message shows at most this number of bytes from the end of the program's stderr."""
_SHOWN = 200
"""An error message shows at most this number of characters of a line."""
_CHUNK = 4096
_END_SECONDS = 5.0


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
                [sys.executable, "-I", "-S", str(Path(supervisor.__file__)), *find_program(command)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=sys.platform != "win32",  # so Ctrl-C in the terminal does not reach the program
            )
        except (OSError, ValueError) as error:
            raise AgentError(f"{who}: the command {command!r} cannot be started: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._stdin = self._process.stdin
        _running.add(self)
        self._lines = _Lines(self._process.stdout)
        self._errors = bytearray()
        self._listener = threading.Thread(
            target=_remember, args=(self._process.stderr, self._errors), name="program-errors", daemon=True
        )
        self._listener.start()

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

    def read(self, wanted: str) -> str:
        """The next line that the program writes, without its line break.

        Args:
            wanted: the command that the program is answering. Error messages show it.

        Raises:
            AgentError: the program has ended, or it is late, or it has written too much since the last `send`. The
                message shows the last lines that were sent and read.
        """
        line = self._lines.take(self._end)
        if line is None:
            raise self.failure(self._silence())
        self._size += len(line)
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text.strip():
            self._exchange.append(f"< {shown(text)}")
        if self._size > _LONGEST_ANSWER or len(line) > _LONGEST_LINE:
            raise self.failure(f"wrote {self._size} bytes without ending its answer to {shown(wanted)!r}")
        return text

    def _silence(self) -> str:
        """The reason why no line came."""
        if not self._lines.have_ended:
            return f"gave no answer within {self._seconds:g} s"
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self._listener.join(_END_SECONDS)
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
        self._lines.close()
        with contextlib.suppress(OSError, ValueError):
            self._stdin.write(b"quit\n")
        self.leave()
        for stop in (self._process.terminate, self._process.kill):  # called if the process does not end in time
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(supervisor.GRACE_SECONDS + _END_SECONDS)
                return
            stop()
        self._process.wait()

    def leave(self) -> None:
        """Close this process's end of the pipe to the program.

        A forked process has a copy of this end. The program's input ends when all copies are closed.
        """
        with contextlib.suppress(OSError, ValueError):
            self._stdin.close()


def shown(text: str) -> str:
    """The beginning of a text, without control characters, for an error message."""
    return "".join(c if c.isprintable() else " " for c in text[:_SHOWN])


_running: weakref.WeakSet[Program] = weakref.WeakSet()


def _leave_to_parent() -> None:
    """In a forked process, close the pipes to the programs.

    If the forked process kept these pipes open, the programs would not notice the end of the parent.
    """
    for program in _running:
        program.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


class _Lines:
    """The lines of a stream. A thread reads ahead, but keeps at most about `_LONGEST_LINE` unread bytes."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.have_ended = False
        self._is_closed = False
        self._text = bytearray()
        self._changed = threading.Condition()
        threading.Thread(target=self._read, args=(stream,), name="program-answers", daemon=True).start()

    def take(self, end: float) -> bytes | None:
        """The next line, or the beginning of a line that is longer than `_LONGEST_LINE`.

        Returns None at the end of the stream, or when `time.monotonic` has reached `end`.
        """
        with self._changed:
            left = end - time.monotonic()
            if left <= 0 or not self._changed.wait_for(self._can_take, left):
                return None
            size = self._text.find(b"\n") + 1 or len(self._text)
            line = bytes(self._text[:size])
            del self._text[:size]
            self._changed.notify_all()
            return line or None

    def _can_take(self) -> bool:
        return self.have_ended or len(self._text) > _LONGEST_LINE or b"\n" in self._text

    def _read(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError), stream:
            while chunk := os.read(stream.fileno(), _CHUNK):
                with self._changed:
                    self._changed.wait_for(lambda: self._is_closed or len(self._text) <= _LONGEST_LINE)
                    if not self._is_closed:
                        self._text += chunk
                        self._changed.notify_all()
        with self._changed:
            self.have_ended = True
            self._changed.notify_all()

    def close(self) -> None:
        """Drop all output that comes from now on."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()


def _remember(stream: IO[bytes], last: bytearray) -> None:
    """Read a stream to its end, and keep its last `_REMEMBERED_ERRORS` bytes in `last`."""
    with contextlib.suppress(OSError, ValueError), stream:
        while chunk := os.read(stream.fileno(), _CHUNK):
            last += chunk
            del last[:-_REMEMBERED_ERRORS]
