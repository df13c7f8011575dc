"""Answers that take a long time. The page sends its request again and again until the answer is ready."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from othello_env.page.thinking.errors import take_error

__all__ = ["Key", "Tickets"]

Key = tuple[str, str]
"""The names of a client and a ticket. A client is a loaded page. A ticket is an answer that the client waits for."""

_HOLD_SECONDS = 0.25
"""If an answer is not ready after this time, the server tells the page to send the request again."""
_PATIENCE_SECONDS = 5.0
"""If the page does not repeat its request within this time, the work on the answer is cancelled.

The time is long, because a browser with many tabs may send requests late.
"""

_Work = Coroutine[Any, Any, dict[str, Any]]


class Tickets:
    """Answers that can take longer than the server lets one request wait.

    All tabs of a browser share a few connections to a server. So the server replies to each request within a quarter of
    a second, either with the answer or with status 202. After status 202, the page sends a new request with the same
    key. If the page sends no new request in time, the work on the answer is cancelled.
    """

    def __init__(self) -> None:
        self._tickets: dict[Key, _Ticket] = {}

    async def answer(self, key: Key, work: Callable[[], _Work], request: Request) -> Response:
        """Reply to a request: with the answer if it is ready in time, otherwise with status 202.

        Args:
            key: the names of the client and of the ticket.
            work: a function that starts the work on the answer. Only the first request with this key calls it.
            request: the request that waits for the answer.
        """
        if key not in self._tickets:
            self._tickets[key] = _Ticket(asyncio.create_task(work()), lambda: self._tickets.pop(key, None))
        ticket = self._tickets[key]
        ticket.join()
        leaving = asyncio.create_task(_disconnected(request))
        try:
            await asyncio.wait((ticket.work, leaving), timeout=_HOLD_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            has_left, is_done = leaving.done(), ticket.work.done()
            ticket.leave(0 if has_left or is_done else _PATIENCE_SECONDS)
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)
        if has_left:
            return Response(status_code=204)
        if is_done:
            return JSONResponse(ticket.work.result())
        return JSONResponse({}, status_code=202)


class _Ticket:
    """The work on an answer, and the number of requests that wait for the answer.

    Args:
        work: the task that finds the answer.
        forget: a function that makes `Tickets` forget this ticket. It is called before the work is cancelled.
    """

    def __init__(self, work: asyncio.Task[dict[str, Any]], forget: Callable[[], object]) -> None:
        self.work = work
        work.add_done_callback(take_error)
        self._forget = forget
        self._waiting = 0
        self._end: asyncio.TimerHandle | None = None

    def join(self) -> None:
        """Count a request that begins to wait for the answer."""
        self._waiting += 1
        if self._end is not None:
            self._end.cancel()

    def leave(self, patience: float) -> None:
        """Stop counting a request, because it no longer waits.

        If this was the last request that waited, and no new request comes within `patience` seconds, the work is
        cancelled.
        """
        self._waiting -= 1
        if not self._waiting:
            self._end = asyncio.get_running_loop().call_later(patience, self._stop)

    def _stop(self) -> None:
        self._forget()
        self.work.cancel()


async def _disconnected(request: Request) -> None:
    """Wait until the client of a request has disconnected."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
