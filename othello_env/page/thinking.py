"""Thinking in a bounded number of processes, each of which is killed when nobody waits for it or its time is up."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any

__all__ = ["BusyError", "Thinkers", "ThinkingError"]

_WAITING_PER_CLIENT = 8
_CLIENTS = 32


class ThinkingError(RuntimeError):
    """An agent that failed, or thought too long."""


class BusyError(ThinkingError):
    """More is being thought about than one page, or all of them, may ask for."""


class Thinkers:
    """Processes that think, started when they are first needed.

    A client never has more than all but one of them, so that another one is served.

    Args:
        processes: how many, at least two.
        seconds: the longest that one think may take; a process's first may take `start_seconds` more, to compile.
        start_seconds: see there.
    """

    def __init__(self, processes: int = 3, seconds: float = 60.0, start_seconds: float = 60.0) -> None:
        if processes < 2:
            raise ValueError(f"a page needs at least 2 thinking processes, not {processes}")
        self._share = processes - 1
        self._seconds = seconds
        self._start_seconds = start_seconds
        self._free = asyncio.Semaphore(processes)
        self._shares: dict[str, asyncio.Semaphore] = {}
        self._waiting: Counter[str] = Counter()
        self._idle: list[asyncio.subprocess.Process] = []
        self._all: set[asyncio.subprocess.Process] = set()

    @property
    def alive(self) -> int:
        """The number of processes that run."""
        return sum(process.returncode is None for process in self._all)

    async def think(self, client: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer of `othello_env.page.worker` to a request; cancelling this call kills what thinks about it.

        Raises:
            BusyError: the client, or all of them together, wait for too much already.
            ThinkingError: the agent failed, or took too long.
        """
        async with self._admitted(client):
            process = self._idle.pop() if self._idle else None
            seconds = self._seconds if process else self._seconds + self._start_seconds
            try:
                async with asyncio.timeout(seconds):
                    process = process or await self._start()
                    told = await _exchange(process, request)
            except BaseException as error:
                if process is not None:
                    await self._kill(process)
                if isinstance(error, TimeoutError):
                    raise ThinkingError(f"{request['spec']} was stopped after {seconds:g} s") from None
                raise
            self._idle.append(process)
        if "error" in told:
            raise ThinkingError(told["error"])
        return told

    async def prepare(self, requests: Sequence[dict[str, Any]]) -> None:
        """Answer requests in one more process, so that what agents compile is there for those that are asked later.

        Nobody waits for it and it has no limit of time: a think that is stopped while it compiles compiles again.
        """
        if not requests:
            return
        process = await self._start()
        try:
            for request in requests:
                await _exchange(process, request)
        except ThinkingError:  # it died, which whoever asks will be told
            pass
        finally:
            await self._kill(process)

    @contextlib.asynccontextmanager
    async def _admitted(self, client: str) -> AsyncIterator[None]:
        if self._waiting[client] >= _WAITING_PER_CLIENT or len(+self._waiting) > _CLIENTS:
            raise BusyError("too much is being thought about; wait for an answer or cancel one")
        share = self._shares.setdefault(client, asyncio.Semaphore(self._share))
        self._waiting[client] += 1
        try:
            async with share, self._free:
                yield
        finally:
            self._waiting[client] -= 1
            if not self._waiting[client]:
                del self._waiting[client], self._shares[client]

    async def _start(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "othello_env.page.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # the terminal's Ctrl-C is for the server, which ends these
        )
        self._all.add(process)
        return process

    async def _kill(self, process: asyncio.subprocess.Process) -> None:
        self._all.discard(process)
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)  # with the programs that it started
            else:
                process.kill()
        await process.wait()

    async def close(self) -> None:
        """End all processes."""
        for process in list(self._all):
            await self._kill(process)
        self._idle.clear()


async def _exchange(process: asyncio.subprocess.Process, request: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(request).encode() + b"\n")
        await process.stdin.drain()
        line = await process.stdout.readline()
    except ConnectionError:
        line = b""
    if not line:
        raise ThinkingError(f"the process of {request['spec']} died")
    told: dict[str, Any] = json.loads(line)
    return told
