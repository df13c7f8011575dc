"""The parts of a batch of games, and the threads that step them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from othello_env.envs.vector.sharing import Sharing
from othello_env.games.batch import Batch
from othello_env.support.threads import Threads

__all__ = ["Parts"]

_T = TypeVar("_T")


class Parts:
    """Divides a batch of games into a part for each thread. The parts share memory with the batch.

    Args:
        num_threads: the greatest number of threads that share a step.
    """

    def __init__(self, num_threads: int) -> None:
        self._threads = Threads(num_threads)
        self._sharing = Sharing(num_threads)
        self._count = 1
        self._parts: dict[int, list[tuple[slice, Batch]]] = {}
        """The key is the number of threads that share a step. The value has the indices and the games of each part."""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_parts": {}}

    def cut(self, batch: Batch) -> None:
        """Divide this batch into parts. Call this method again after an array of the batch is replaced."""
        bounds = np.linspace(0, len(batch), self._threads.count + 1).astype(int).tolist()
        slices = [slice(a, b) for a, b in pairwise(bounds)]
        whole = [(slice(0, len(batch)), batch)]
        self._parts = {len(slices): [(places, batch.part(places)) for places in slices], 1: whole}

    def step(self, work: Callable[[Batch, slice], _T]) -> list[_T]:
        """Decide whether threads share the work (see `Sharing`), and then do the same as `run`."""
        self._count = self._sharing.begin()
        found = self.run(work)
        self._sharing.end()
        return found

    def run(self, work: Callable[[Batch, slice], _T]) -> list[_T]:
        """Call work(part, places) for each part of the batch, and return the results.

        `part` is a batch with some of the games, and `places` is the slice of their places in the whole batch.

        If threads shared the work of the last `step`, they also share this work.

        Raises:
            RuntimeError: a thread cannot be started.
        """
        parts = self._parts[self._count]
        if self._count == 1:
            return [work(part, places) for places, part in parts]
        return self._threads.run(lambda k: work(parts[k][1], parts[k][0]))

    def close(self) -> None:
        """End the threads. They start again when they are needed."""
        self._threads.close()
