"""A limited number of processes in which agents think. An agent's work on one request is called a think."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

from othello_env.page.thinking.errors import AgentFailedError, ClosedError, ThinkingError, take_error
from othello_env.page.thinking.process import Process
from othello_env.page.thinking.turns import Turns

__all__ = ["Thinkers"]


class Thinkers:
    """Processes in which agents think. A think is an agent's work on one request, such as a request for a move.

    A process is started when a think first needs it. A think is stopped when its time is up. It is also stopped if
    nobody waits for its answer any more. To stop a think, its process is killed. `Turns` decides which think is next.

    Args:
        processes: the number of processes, at least two.
        seconds: the time that an agent may think, in seconds.
        start_seconds: the additional time for the first think of a process, because code may have to be compiled.
        grace_seconds: if nobody waits for a think's answer any more, the think continues for this time. Most thinks end
            within this time, so that their processes need not be killed.
        margin_seconds: the time that is added to `seconds` before a think is stopped, so that an agent can use all its
            time and still answer.
    """

    def __init__(
        self,
        processes: int = 3,
        seconds: float = 60.0,
        start_seconds: float = 60.0,
        grace_seconds: float = 1.0,
        margin_seconds: float = 5.0,
    ) -> None:
        if processes < 2:
            raise ValueError(f"a page needs at least 2 thinking processes, not {processes}")
        self._seconds = seconds + margin_seconds
        self._start_seconds = start_seconds
        self._grace_seconds = grace_seconds
        self._turns = Turns(processes)
        self._all: set[Process] = set()
        # for each idle process, the task that starts the process; this task may still be running
        self._idle: list[asyncio.Task[Process]] = []
        self._answering: set[asyncio.Task[dict[str, Any]]] = set()
        self._is_closed = False

    @property
    def alive(self) -> int:
        """The number of running processes."""
        return sum(process.is_running for process in self._all)

    async def think(self, client: str, request: dict[str, Any]) -> dict[str, Any]:
        """Let an agent think about a request. Return the answer of `othello_env.page.thinking.worker.answer`.

        If this call is cancelled, the think is stopped `grace_seconds` later.

        Raises:
            ClosedError: `close` was called before the answer came.
            BusyError: this client waits for too many answers, or too many clients wait for answers.
            AgentFailedError: the agent raised an error.
            ThinkingError: the agent took too long, or its process died or did not start.
        """
        answering = await self._begin(client, request)
        try:
            answer = await asyncio.shield(answering)
        except asyncio.CancelledError:
            if self._is_closed:
                raise ClosedError("the server is closing") from None
            answering.add_done_callback(take_error)
            asyncio.get_running_loop().call_later(self._grace_seconds, answering.cancel)
            raise
        if "error" in answer:
            raise AgentFailedError(answer["error"])
        return answer

    async def _begin(self, client: str, request: dict[str, Any]) -> asyncio.Task[dict[str, Any]]:
        """Wait for a turn (the right to use a process). Then start a task that answers the request in this turn."""
        async with contextlib.AsyncExitStack() as turn:
            await turn.enter_async_context(self._turns.turn(client, is_move=request["task"] == "move"))
            if self._is_closed:
                raise ClosedError("the server is closing")
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
        """Wait until a process has started. If this think is cancelled meanwhile, a later think gets the process."""
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            if not starting.done() or starting.exception() is None:
                # The next think takes the last process of the list. The process that is put back here may still be
                # starting. So it is put first, and will be taken last.
                self._idle.insert(0, starting)
            raise

    async def _ask(self, process: Process, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request to a process. If no answer comes in time, kill the process."""
        seconds = self._seconds + (0 if process.has_answered else self._start_seconds)
        try:
            async with asyncio.timeout(seconds):
                return await process.ask(request)
        except BaseException as error:  # such as a TimeoutError, or a CancelledError if this call is cancelled
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
        """Answer requests in an additional process, so that the agents' code is compiled before a page needs it.

        The answers are not used. The requests have no time limit, because code whose compilation is stopped has to be
        compiled again.
        """
        if not requests:
            return
        process = await self._start()
        try:
            for request in requests:
                await process.ask(request)
        except ThinkingError:  # the process died; if a page sends the same request later, the page will get the error
            pass
        finally:
            await self._kill(process)

    async def close(self) -> None:
        """End all processes. Every later request raises a ClosedError."""
        self._is_closed = True
        # _answering comes first, because cancelling its tasks can add processes to _idle.
        for tasks in (self._answering, self._idle):
            unfinished: list[asyncio.Task[Any]] = list(tasks)
            for task in unfinished:
                task.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)
        for process in list(self._all):
            await self._kill(process)
        self._idle.clear()
