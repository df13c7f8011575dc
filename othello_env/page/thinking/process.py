"""Starts processes in which agents think, and sends requests to them.

A process runs the program `othello_env.page.thinking.worker`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from typing import Any

from othello_env.page.thinking.errors import ThinkingError

__all__ = ["Process"]

_START_SECONDS = 120.0
"""The longest time that a process may take to start."""


class Process:
    """A process in which agents think.

    `spawn` starts the process. `ready` waits until the process can answer requests.

    Attributes:
        has_answered: whether the process has answered a request. The first answer may take longer, because code may
            have to be compiled.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._in, self._out = process, process.stdin, process.stdout
        self.has_answered = False

    @classmethod
    async def spawn(cls) -> Process:
        """Start a process."""
        return cls(
            await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # so that a file such as json.py in the current folder does not replace a module of Python
                "-m",
                "othello_env.page.thinking.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,  # so that Ctrl-C in the terminal reaches only the server
            )
        )

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    async def ready(self) -> None:
        """Wait until the process has started.

        Raises:
            ThinkingError: the process ended, or took too long to start.
        """
        line = b""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_START_SECONDS):
                line = await self._out.readline()
        if not line:
            raise ThinkingError("a thinking process did not start")

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request. Return the answer of `othello_env.page.thinking.worker.answer`, or ``{"error": text}``.

        Raises:
            ThinkingError: the process died.
        """
        try:
            self._in.write(json.dumps(request).encode() + b"\n")
            await self._in.drain()
            line = await self._out.readline()
        except ConnectionError:
            line = b""
        if not line:
            raise ThinkingError(f"the process of {request['spec']} died")
        self.has_answered = True
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def kill(self) -> None:
        """End the process and the programs that it started."""
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        await self._process.wait()
