"""The worker processes in which agents answer the page's requests."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from othello_env.page.answers import Answers
from othello_env.support.workers import Worker, WorkerDiedError, WorkerError, WorkerTimeoutError

__all__ = ["AgentFailedError", "AnswerError", "ClosedError", "Tell", "WorkerPool"]

_log = logging.getLogger(__name__)
_START_SECONDS = 120.0
"""The longest time that a process may take to start."""


class AnswerError(RuntimeError):
    """The agent failed or took too long.

    Attributes:
        details: the spec of the ``agent``. If the agent itself raised an error, also the ``type`` of the error, and the
            traceback: ``where`` the error was raised.
    """

    def __init__(self, message: str, **details: str) -> None:
        super().__init__(message)
        self.details = details


class AgentFailedError(AnswerError):
    """The agent itself raised an error. The same request would fail again, unless the agent's file changes."""


class ClosedError(AnswerError):
    """The server closes, so its worker processes have ended."""


Tell = Callable[[dict[str, Any]], None]
"""A function that gets the news of a request: ``{"doing": "starting"}`` or ``{"doing": "thinking"}``."""


class WorkerPool:
    """Worker processes in which agents answer requests, such as a request for a move.

    A process is started when a request first needs it, and is killed if its answer is late. Requests for moves have
    processes of their own, and so have all others, so that neither a game nor an analysis waits for the other. If all
    these processes are busy, requests wait in a queue. If nobody waits for an answer any more, the agent is told to
    stop, and its process is killed if it goes on.

    Args:
        processes: the number of processes, at least two. One of them answers the requests that are not for moves.
        seconds: the time that an agent may think, in seconds.
        start_seconds: the additional time for the first answer of an agent to a task in a process, because the agent
            may have to be loaded, and its code compiled while other programs and processes use the processor. The code
            of the packaged engine took 92 s where each process got a sixth of a core.
        grace_seconds: if nobody waits for an answer any more, the agent goes on for this time. Most answers come within
            this time, so that their processes need not be killed.
        margin_seconds: the time that is added to `seconds` before a process is killed, so that an agent can use all its
            time and still answer.
    """

    def __init__(
        self,
        processes: int = 3,
        seconds: float = 60.0,
        start_seconds: float = 300.0,
        grace_seconds: float = 5.0,
        margin_seconds: float = 5.0,
    ) -> None:
        if processes < 2:
            raise ValueError(f"a page needs at least 2 worker processes, not {processes}")
        self._seconds = seconds
        self._start_seconds = start_seconds
        self._margin_seconds = margin_seconds
        self._grace_seconds = grace_seconds
        self._free_for_moves = asyncio.Semaphore(processes - 1)
        self._free_for_others = asyncio.Semaphore(1)
        self._threads = ThreadPoolExecutor(processes + 1)  # each waits for a process; one more for `prepare`
        self._workers: set[Worker] = set()
        self._idle: list[Worker] = []
        self._answered: dict[Worker, set[tuple[str, str, str]]] = {}  # what each process has answered
        self._answering: dict[asyncio.Task[dict[str, Any]], Worker] = {}
        self._is_closed = False

    @property
    def alive(self) -> int:
        """The number of running processes."""
        return sum(worker.is_alive for worker in self._workers)

    async def ask(self, request: dict[str, Any], tell: Tell = lambda _news: None) -> dict[str, Any]:
        """Let an agent answer a request; see `othello_env.page.answers.Answers`.

        If this call is cancelled, the agent is told to stop, and its process is killed if it goes on for
        `grace_seconds`.

        Args:
            request: the request.
            tell: is called when a process begins with the request. It is ``starting`` if this is its first answer to
                the task by this agent, because the agent may have to be loaded and its code compiled, and otherwise
                ``thinking``.

        Raises:
            ClosedError: `close` was called before the answer came.
            AgentFailedError: the agent raised an error.
            AnswerError: the agent took too long, or its process died or did not start.
        """
        free = self._free_for_moves if request["task"] == "move" else self._free_for_others
        async with contextlib.AsyncExitStack() as place:
            await place.enter_async_context(free)
            if self._is_closed:
                raise ClosedError("the server is closing")
            worker = self._idle.pop() if self._idle else self._start()
            answering = asyncio.create_task(self._answer(worker, request, tell, place.pop_all()))
        self._answering[answering] = worker
        answering.add_done_callback(self._answering.pop)
        try:
            answer = await asyncio.shield(answering)
        except asyncio.CancelledError:
            if self._is_closed:
                raise ClosedError("the server is closing") from None
            answering.add_done_callback(_take_error)
            worker.hurry()
            asyncio.get_running_loop().call_later(self._grace_seconds, answering.cancel)
            raise
        if "error" in answer:
            _log.error("%s failed at the task %s\n%s", request["spec"], request["task"], answer["where"])
            details = {name: answer[name] for name in ("type", "where")}
            raise AgentFailedError(answer["error"], agent=request["spec"], **details)
        return answer

    async def _answer(
        self, worker: Worker, request: dict[str, Any], tell: Tell, place: contextlib.AsyncExitStack
    ) -> dict[str, Any]:
        answered = self._answered.setdefault(worker, set())
        task = request["spec"], request.get("version", ""), request["task"]
        async with place:
            tell({"doing": "thinking" if task in answered else "starting"})
            more = 0 if task in answered else self._start_seconds
            answer = await self._call(worker, request, self._seconds + self._margin_seconds + more)
            answered.add(task)
            self._idle.append(worker)
            return answer

    def _start(self) -> Worker:
        worker = Worker(Answers)
        self._workers.add(worker)
        return worker

    def _stop(self, worker: Worker) -> None:
        self._workers.discard(worker)
        self._answered.pop(worker, None)
        worker.stop()

    async def _call(self, worker: Worker, request: dict[str, Any], seconds: float | None) -> dict[str, Any]:
        """A worker's answer. If there is an error, or if this call is cancelled, the worker is stopped."""

        def call() -> dict[str, Any]:
            worker.wait_until_ready(_START_SECONDS)
            answer: dict[str, Any] = worker.call(request, seconds=seconds)
            return answer

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except BaseException as error:
            self._stop(worker)
            spec = request["spec"]
            if isinstance(error, WorkerTimeoutError):
                limit = f"{self._seconds:g} s, the limit of --seconds"
                raise AnswerError(f"{spec} needed more than {limit}", agent=spec) from None
            if isinstance(error, WorkerDiedError):
                raise AnswerError(f"the process of {spec} died", agent=spec) from None
            if isinstance(error, WorkerError):
                raise AnswerError(str(error), agent=spec) from None
            raise

    async def prepare(self, requests: Sequence[dict[str, Any]]) -> None:
        """Answer requests in an additional process, so that the agents' code is compiled before a page needs it.

        The answers are not used. The requests have no time limit, because code whose compilation is stopped has to be
        compiled again.
        """
        if not requests:
            return
        worker = self._start()
        try:
            for request in requests:
                await self._call(worker, request, None)
        except AnswerError:  # the process died; if a page sends the same request later, the page will get the error
            pass
        finally:
            self._stop(worker)

    async def close(self) -> None:
        """End all processes. Every later request raises a ClosedError."""
        self._is_closed = True
        unfinished = list(self._answering)
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)
        for worker in list(self._workers):
            self._stop(worker)
        self._idle.clear()
        self._threads.shutdown(wait=False)


def _take_error(task: asyncio.Task[Any]) -> None:
    """A callback for a task whose error nobody needs. Without this callback, asyncio would log the error."""
    if not task.cancelled():
        task.exception()
