"""Thinking in a bounded number of processes, killed when their time is up or, soon, when nobody waits for them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

__all__ = ["BusyError", "ClosedError", "Thinkers", "ThinkingError"]

_WAITING_PER_CLIENT = 8
_CLIENTS = 32
_START_SECONDS = 120.0
"""The longest that a process may take until it can be asked."""


class ThinkingError(RuntimeError):
    """An agent that failed, or thought too long."""


class ClosedError(ThinkingError):
    """Nobody thinks any more."""


class BusyError(ThinkingError):
    """More is being thought about than one page, or all of them, may ask for."""


class _Client:
    """What one page waits for."""

    def __init__(self, share: int) -> None:
        self.waiting = 0
        self.share = asyncio.Semaphore(share)
        self.beside_moves = asyncio.Semaphore(max(1, share - 1))


class Thinkers:
    """Processes that think, started when they are first needed.

    A client never has more than all but one of them, so that another one is served. If that is two or more, it has one
    less for what it asks beside moves, so that a move does not wait for what is merely shown.

    Args:
        processes: how many, at least two.
        seconds: the longest that one think may take; a process's first may take `start_seconds` more, to compile.
        start_seconds: see there.
        grace_seconds: how long a think goes on that nobody waits for any more: ending it costs its process, and most
            would have ended by then.
    """

    def __init__(
        self, processes: int = 3, seconds: float = 60.0, start_seconds: float = 60.0, grace_seconds: float = 1.0
    ) -> None:
        if processes < 2:
            raise ValueError(f"a page needs at least 2 thinking processes, not {processes}")
        self._share = processes - 1
        self._seconds = seconds
        self._start_seconds = start_seconds
        self._grace_seconds = grace_seconds
        self._free = asyncio.Semaphore(processes)
        self._clients: dict[str, _Client] = {}
        self._idle: list[asyncio.Task[asyncio.subprocess.Process]] = []
        self._all: set[asyncio.subprocess.Process] = set()
        self._compiled: set[asyncio.subprocess.Process] = set()  # those that have answered
        self._answering: set[asyncio.Task[dict[str, Any]]] = set()
        self._is_closed = False

    @property
    def alive(self) -> int:
        """The number of processes that run."""
        return sum(process.returncode is None for process in self._all)

    async def think(self, client: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer of `othello_env.page.worker` to a request.

        Cancelling this call ends the think, too, a moment later.

        Raises:
            ClosedError: the thinkers are closed, or were before it was answered.
            BusyError: the client, or all of them together, wait for too much already.
            ThinkingError: the agent failed, or took too long.
        """
        async with contextlib.AsyncExitStack() as turn:
            await turn.enter_async_context(self._admitted(client, request["task"] == "move"))
            if self._is_closed:
                raise ClosedError("nobody thinks here any more")
            answering = asyncio.create_task(self._answer(request, turn.pop_all()))
        self._answering.add(answering)
        answering.add_done_callback(self._answering.discard)
        try:
            told = await asyncio.shield(answering)
        except asyncio.CancelledError:
            if self._is_closed:
                raise ClosedError("nobody thinks here any more") from None
            answering.add_done_callback(lambda task: task.cancelled() or task.exception())  # nobody is told
            asyncio.get_running_loop().call_later(self._grace_seconds, answering.cancel)
            raise
        if "error" in told:
            raise ThinkingError(told["error"])
        return told

    async def _answer(self, request: dict[str, Any], turn: contextlib.AsyncExitStack) -> dict[str, Any]:
        async with turn:
            starting = self._idle.pop() if self._idle else asyncio.create_task(self._start())
            try:
                process = await asyncio.shield(starting)
            except asyncio.CancelledError:
                if not starting.done() or starting.exception() is None:
                    self._idle.insert(0, starting)  # for a later one: a start takes longer than most thinks
                raise
            seconds = self._seconds + (0 if process in self._compiled else self._start_seconds)
            try:
                async with asyncio.timeout(seconds):
                    told = await _exchange(process, request)
            except BaseException as error:
                await self._kill(process)
                if isinstance(error, TimeoutError):
                    raise ThinkingError(f"{request['spec']} was stopped after {seconds:g} s") from None
                raise
            self._compiled.add(process)
            self._idle.append(starting)
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
    async def _admitted(self, name: str, is_move: bool) -> AsyncIterator[None]:
        client = self._clients.get(name) or _Client(self._share)
        if client.waiting >= _WAITING_PER_CLIENT or len(self._clients | {name: client}) > _CLIENTS:
            raise BusyError("too much is being thought about; wait for an answer or cancel one")
        self._clients[name] = client
        client.waiting += 1
        try:
            async with contextlib.nullcontext() if is_move else client.beside_moves, client.share, self._free:
                yield
        finally:
            client.waiting -= 1
            if not client.waiting:
                del self._clients[name]

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
        assert process.stdout is not None
        ready = b""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_START_SECONDS):
                ready = await process.stdout.readline()  # it tells that it is ready
        if not ready:
            await self._kill(process)
            raise ThinkingError("a process to think in did not start")
        return process

    async def _kill(self, process: asyncio.subprocess.Process) -> None:
        self._all.discard(process)
        self._compiled.discard(process)
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)  # with the programs that it started
            else:
                process.kill()
        await process.wait()

    async def close(self) -> None:
        """End all processes; nobody is answered any more."""
        self._is_closed = True
        for tasks in (self._answering, self._idle):  # what was to answer leaves what it was starting among the idle
            unfinished: list[asyncio.Task[Any]] = list(tasks)
            for task in unfinished:
                task.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)
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
