"""Long answers, for which a page asks again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

__all__ = ["Key", "Tickets"]

Key = tuple[str, str]
"""The client's name, and the name that the client gives to the answer it wants."""

_HOLD_SECONDS = 0.25
"""How long a request is held before its page is asked to come again."""
_PATIENCE_SECONDS = 5.0
"""How long a page may be silent between two requests: a browser queues those of many tabs."""

_Work = Coroutine[Any, Any, dict[str, Any]]


class Tickets:
    """Answers that take longer than a request should.

    A browser has only a few connections to a server, for all its tabs. So a request is answered within a quarter of a
    second: with the answer, or with status 202, after which the page asks again with the same key. The work ends early
    when no request waits for it and none comes again in time.
    """

    def __init__(self) -> None:
        self._tickets: dict[Key, _Ticket] = {}

    async def answer(self, key: Key, work: Callable[[], _Work], request: Request) -> Response:
        """The answer to a request.

        Args:
            key: what the page calls the answer.
            work: begins the work; called for the first request with this key.
            request: what waits for the answer.
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
    """Work and the number of requests that wait for it.

    Args:
        work: the task.
        forget: called when no request waits and none is expected; the work is cancelled then.
    """

    def __init__(self, work: asyncio.Task[dict[str, Any]], forget: Callable[[], object]) -> None:
        self.work = work
        work.add_done_callback(lambda task: task.cancelled() or task.exception())  # perhaps nobody awaits its error
        self._forget = forget
        self._waiting = 0
        self._end: asyncio.TimerHandle | None = None

    def join(self) -> None:
        """One more request waits."""
        self._waiting += 1
        if self._end is not None:
            self._end.cancel()

    def leave(self, patience: float) -> None:
        """One request less waits. After the last one, another has `patience` seconds to come."""
        self._waiting -= 1
        if not self._waiting:
            self._end = asyncio.get_running_loop().call_later(patience, self._stop)

    def _stop(self) -> None:
        self._forget()
        self.work.cancel()


async def _disconnected(request: Request) -> None:
    """Wait until nobody waits for the answer to a request any more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
