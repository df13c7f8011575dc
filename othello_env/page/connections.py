"""Connections to the page's server. Idle connections are closed, because the number of connections is limited."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["MOST_CONNECTIONS", "Connection"]

MOST_CONNECTIONS = 200
"""When the number of open connections reaches this limit, the connection that has been idle longest is closed."""
_IDLE_SECONDS = 5.0
"""The headers of the next request must arrive within this time, in seconds.

The time starts when the connection begins, and again after each answer. When the time ends, it starts again if the
browser has read a part of the last answer in this time.
"""


class Connection(H11Protocol):
    """An HTTP connection of uvicorn with two additional limits.

    If headers do not arrive in time, the connection is closed. If there are too many connections, the connection that
    has been idle for the longest time is closed.
    """

    _idle_since = 0.0
    _timer: asyncio.TimerHandle | None = None
    _unsent = 0

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._wait()
        alive = [each for each in self.connections if isinstance(each, Connection) and not each.transport.is_closing()]
        if len(alive) >= MOST_CONNECTIONS:
            min((each for each in alive if each._is_idle), key=lambda each: each._idle_since).transport.abort()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Start the time in which the headers of the next request must arrive."""
        self._stop_waiting()
        self._idle_since = self.loop.time()
        self._unsent = self.transport.get_write_buffer_size()
        self._timer = self.loop.call_later(_IDLE_SECONDS, self._end_if_idle)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _end_if_idle(self) -> None:
        if not self._is_idle:
            return
        if self.transport.get_write_buffer_size() < self._unsent:  # the browser reads the last answer slowly
            self._wait()
        else:
            self.transport.abort()
