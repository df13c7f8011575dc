"""A bounded number of processes that think; each think can be stopped."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

from othello_env.page.thinking.errors import ClosedError, ThinkingError
from othello_env.page.thinking.process import Process
from othello_env.page.thinking.turns import Turns

__all__ = ["Thinkers"]


class Thinkers:
    """Processes that think; each is started when it is first needed, and killed when its think has to be stopped.

    A think is stopped when its time is up, or soon after nobody waits for it any more. `Turns` says which is next.

    Args:
        processes: how many, at least two.
        seconds: the longest that one think may take.
        start_seconds: how much longer a process's first think may take, which may have to compile.
        grace_seconds: how long a think goes on after nobody waits for it. Stopping it costs its process, and most
            thinks end by themselves within this time.
    """

    def __init__(
        self, processes: int = 3, seconds: float = 60.0, start_seconds: float = 60.0, grace_seconds: float = 1.0
    ) -> None:
        if processes < 2:
            raise ValueError(f"a page needs at least 2 thinking processes, not {processes}")
        self._seconds = seconds
        self._start_seconds = start_seconds
        self._grace_seconds = grace_seconds
        self._turns = Turns(processes)
        self._all: set[Process] = set()
        self._idle: list[asyncio.Task[Process]] = []  # tasks, since some may still be starting
        self._answering: set[asyncio.Task[dict[str, Any]]] = set()
        self._is_closed = False

    @property
    def alive(self) -> int:
        """The number of processes that run."""
        return sum(process.is_running for process in self._all)

    async def think(self, client: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer of `othello_env.page.thinking.worker.answer` to a request.

        Cancelling this call stops the think, too, a moment later.

        Raises:
            ClosedError: the thinkers are closed, or were before the answer came.
            BusyError: the client, or all of them together, wait for too much already.
            ThinkingError: the agent failed or took too long.
        """
        answering = await self._begin(client, request)
        try:
            answer = await asyncio.shield(answering)
        except asyncio.CancelledError:
            if self._is_closed:
                raise ClosedError("nobody thinks here any more") from None
            answering.add_done_callback(lambda task: task.cancelled() or task.exception())  # nobody awaits its error
            asyncio.get_running_loop().call_later(self._grace_seconds, answering.cancel)
            raise
        if "error" in answer:
            raise ThinkingError(answer["error"])
        return answer

    async def _begin(self, client: str, request: dict[str, Any]) -> asyncio.Task[dict[str, Any]]:
        """Wait for a turn, then start the task that answers; the task keeps the turn until it ends."""
        async with contextlib.AsyncExitStack() as turn:
            await turn.enter_async_context(self._turns.turn(client, is_move=request["task"] == "move"))
            if self._is_closed:
                raise ClosedError("nobody thinks here any more")
            answering = asyncio.create_task(self._answer(request, turn.pop_all()))
        self._answering.add(answering)
        answering.add_done_callback(self._answering.discard)
        return answering

    async def _answer(self, request: dict[str, Any], turn: contextlib.AsyncExitStack) -> dict[str, Any]:
        async with turn:
            starting = self._idle.pop() if self._idle else asyncio.create_task(self._start())
            process = await self._started(starting)
            answer = await self._ask(process, request)
            self._idle.append(starting)
            return answer

    async def _started(self, starting: asyncio.Task[Process]) -> Process:
        """Wait for a process to start; if this is cancelled meanwhile, the process is kept for a later think."""
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            if not starting.done() or starting.exception() is None:
                self._idle.insert(0, starting)  # used last: starting a process takes longer than most answers
            raise

    async def _ask(self, process: Process, request: dict[str, Any]) -> dict[str, Any]:
        """Ask a process within the limit of time; it is killed unless it answers."""
        seconds = self._seconds + (0 if process.has_answered else self._start_seconds)
        try:
            async with asyncio.timeout(seconds):
                return await process.ask(request)
        except BaseException as error:
            await self._kill(process)
            if isinstance(error, TimeoutError):
                raise ThinkingError(f"{request['spec']} was stopped after {seconds:g} s") from None
            raise

    async def _start(self) -> Process:
        process = await Process.spawn()
        self._all.add(process)
        try:
            await process.ready()
        except ThinkingError:
            await self._kill(process)
            raise
        return process

    async def _kill(self, process: Process) -> None:
        self._all.discard(process)
        await process.kill()

    async def prepare(self, requests: Sequence[dict[str, Any]]) -> None:
        """Answer requests in one more process, so that the agents' machine code is compiled before it is needed.

        Nobody waits for the answers, and there is no limit of time: a think that is stopped while it compiles has to
        compile again.
        """
        if not requests:
            return
        process = await self._start()
        try:
            for request in requests:
                await process.ask(request)
        except ThinkingError:  # it died; a page that asks for the same gets the error
            pass
        finally:
            await self._kill(process)

    async def close(self) -> None:
        """End all processes; nothing is answered any more."""
        self._is_closed = True
        for tasks in (self._answering, self._idle):  # an answer that waits for a process leaves it among the idle
            unfinished: list[asyncio.Task[Any]] = list(tasks)
            for task in unfinished:
                task.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)
        for process in list(self._all):
            await self._kill(process)
        self._idle.clear()
