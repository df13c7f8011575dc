"""Threads that search one position together.

All threads run the same search and share the transposition table, so each thread can use the results of the other
threads. A thread postpones a move that another thread is searching, and first searches other moves (see `memory`).
As soon as one thread finishes, its result is the result of the team, and the other threads are stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from othello_agents.engine.evaluator import Evaluator
from othello_agents.engine.memory import BEST, GENERATION, LIMIT, NODES, ROOT, WORKS, Memory, shared_memory

__all__ = ["Team"]

_LOOK_SECONDS = 0.01
"""The interval, in seconds, at which the team checks whether its search must be stopped."""


@dataclass
class _Outcome:
    """The result of a thread: the value and the root's best square, or the error that ended the search."""

    value: int = 0
    best: int = 0
    error: BaseException | None = None


class Team:
    """Several threads that work together on one search at a time.

    Args:
        memory: the memory whose transposition table the threads share. Its limit of nodes is for all threads together,
            and its counter of nodes counts the nodes of all threads.
        threads: the number of threads, at least 2.
    """

    def __init__(self, memory: Memory, threads: int) -> None:
        self._memory = memory
        self._memories = shared_memory(memory, threads)

    def search(self, evaluator: Evaluator, call: Callable[[Evaluator, Memory], int]) -> int | None:
        """Run the same search in every thread, and write the root's best square into the memory.

        Args:
            evaluator: the evaluation. Each thread gets its own copy of `configurations`, the array that a search
                changes.
            call: a function that searches with an evaluator and a memory, and returns the value of the root.

        Returns:
            The value, or None if the search was stopped before any thread had finished.

        Raises:
            RuntimeError: a thread cannot start. When this error is raised, the other threads have ended.
        """
        control = self._memory.control
        before, limit = int(control[NODES]), int(control[LIMIT])
        share = max(1, (limit - before) // len(self._memories))
        outcomes: list[_Outcome] = []
        working = set(range(len(self._memories)))
        changed = threading.Condition()

        def work(number: int, memory: Memory) -> None:
            outcome = _Outcome()
            own = evaluator._replace(configurations=np.empty_like(evaluator.configurations))
            try:
                outcome.value = call(own, memory)
            except BaseException as error:  # raised again in the calling thread
                outcome.error = error
            outcome.best = int(memory.control[BEST])
            with changed:
                if outcome.error is not None or memory.control[NODES] < memory.control[LIMIT]:
                    outcomes.append(outcome)
                working.remove(number)
                changed.notify()

        self._memory.table[-WORKS:] = 0
        for memory in self._memories:
            memory.control[[NODES, LIMIT, GENERATION, ROOT]] = 0, share, control[GENERATION], control[ROOT]
        threads = [
            threading.Thread(target=work, args=part, name="othello-engine-team", daemon=True)
            for part in enumerate(self._memories)
        ]
        try:
            for thread in threads:
                thread.start()
            with changed:
                while not outcomes and working:
                    changed.wait(_LOOK_SECONDS)
                    control[NODES] = before + self._nodes()
                    if control[LIMIT] < limit:
                        break
        finally:
            for memory in self._memories:
                memory.control[LIMIT] = 0
            with changed:
                # If a thread could not start, the threads after it were not started either. None of these threads will
                # ever report its end.
                working.difference_update(number for number, thread in enumerate(threads) if thread.ident is None)
                changed.wait_for(lambda: not working)
            control[NODES] = before + self._nodes()
        if not outcomes:
            return None
        first = outcomes[0]
        if first.error is not None:
            raise first.error
        control[BEST] = first.best
        return first.value

    def _nodes(self) -> int:
        return sum(int(memory.control[NODES]) for memory in self._memories)
