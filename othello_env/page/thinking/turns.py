"""Shares the processes fairly among the pages. Each think (an agent's work on one request) waits for its turn."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from othello_env.page.thinking.errors import BusyError

__all__ = ["Turns"]

_WAITING_PER_CLIENT = 8
_CLIENTS = 32


class Turns:
    """Gives each think a turn, which is the right to use a process.

    A client is one page. A client never gets all processes, so that it cannot block the other clients. If a client
    may use two or more processes, one of them is kept for requests for moves. So a request for a move never waits for
    an analysis of the same client.

    Args:
        processes: the number of processes, at least two.
    """

    def __init__(self, processes: int) -> None:
        self._share = processes - 1
        self._free = asyncio.Semaphore(processes)
        self._clients: dict[str, _Client] = {}

    @contextlib.asynccontextmanager
    async def turn(self, name: str, *, is_move: bool) -> AsyncIterator[None]:
        """A context manager that waits for a turn. The turn ends with the ``with`` block.

        Args:
            name: the client's name.
            is_move: whether the agent is asked for its move in a game.

        Raises:
            BusyError: this client has too many unanswered requests, or too many clients have unanswered requests.
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
    """Counts the waiting and running thinks of one client, and limits how many of them run at the same time."""

    def __init__(self, share: int) -> None:
        self.waiting = 0
        self.share = asyncio.Semaphore(share)
        self.beside_moves = asyncio.Semaphore(max(1, share - 1))
