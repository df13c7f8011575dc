"""Chooses the next think, so that the pages share the processes fairly. A think is one request to an agent."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from othello_env.page.thinking.errors import BusyError

__all__ = ["Turns"]

_WAITING_PER_CLIENT = 8
_CLIENTS = 32


class Turns:
    """Gives each think its turn.

    A client is one page. It never gets all processes: one is left for another client. A client that may use two or more
    processes keeps one for moves, so that a move does not wait for thinks whose answers are only shown.

    Args:
        processes: the number of processes, at least two.
    """

    def __init__(self, processes: int) -> None:
        self._share = processes - 1
        self._free = asyncio.Semaphore(processes)
        self._clients: dict[str, _Client] = {}

    @contextlib.asynccontextmanager
    async def turn(self, name: str, *, is_move: bool) -> AsyncIterator[None]:
        """Wait for a turn, and hold it within the ``with``.

        Args:
            name: the client's name.
            is_move: whether the think is for a move; otherwise its answer is only shown.

        Raises:
            BusyError: too many requests of this client are waiting, or too many clients have requests.
        """
        client = self._clients.get(name) or _Client(self._share)
        if client.waiting >= _WAITING_PER_CLIENT or len(self._clients | {name: client}) > _CLIENTS:
            raise BusyError("too many requests are waiting; wait for an answer or cancel one")
        self._clients[name] = client
        client.waiting += 1
        try:
            async with contextlib.nullcontext() if is_move else client.beside_moves, client.share, self._free:
                yield
        finally:
            client.waiting -= 1
            if not client.waiting:
                del self._clients[name]


class _Client:
    """How many thinks of a client wait or run, and the limits for the number that run at once."""

    def __init__(self, share: int) -> None:
        self.waiting = 0
        self.share = asyncio.Semaphore(share)
        self.beside_moves = asyncio.Semaphore(max(1, share - 1))
