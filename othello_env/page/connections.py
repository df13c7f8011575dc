"""Connections to the page's server: those that bring no request are ended, and never keep others out."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["MOST_CONNECTIONS", "Connection"]

MOST_CONNECTIONS = 200
"""With so many, the newest is at the cost of another one."""
_IDLE_SECONDS = 5.0
"""How long headers may take, from when a connection is made or the last request on it was answered."""


class Connection(H11Protocol):
    """uvicorn's HTTP, with a limit to how long headers may take, which it lacks.

    When there are too many connections, the one that has been without a request for the longest time is ended.
    """

    _idle_since = 0.0
    _timer: asyncio.TimerHandle | None = None

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._wait()
        there = [each for each in self.connections if isinstance(each, Connection) and not each.transport.is_closing()]
        if len(there) >= MOST_CONNECTIONS:
            min((each for each in there if each._is_idle), key=lambda each: each._idle_since).transport.abort()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Wait for the headers of a request."""
        self._stop_waiting()
        self._idle_since = self.loop.time()
        self._timer = self.loop.call_later(_IDLE_SECONDS, self._end_if_idle)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _end_if_idle(self) -> None:
        if self._is_idle:
            self.transport.abort()
