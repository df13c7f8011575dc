"""Step a batch of games, in one thread or in several threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.envs.vector.buffers import Buffers
from othello_env.envs.vector.checks import check_begun
from othello_env.envs.vector.sharing import Sharing
from othello_env.games.batch import Batch, Begins, Ends
from othello_env.games.batch.crew import Crew
from othello_env.support.jit import is_compiled
from othello_env.support.threads import Threads

__all__ = ["Parts"]


class Parts:
    """Steps a batch. If threads share a step, the batch is divided into one part for each thread.

    Args:
        num_threads: the greatest number of threads that share a step. If the kernels are not compiled, one thread makes
            all steps.
    """

    def __init__(self, num_threads: int) -> None:
        self._threads = Threads(num_threads if is_compiled() else 1)
        self._sharing = Sharing(self._threads.count)
        self._is_shared = False
        self._batch: Batch
        self._crew: Crew | None = None
        self._buffers: Buffers | None = None  # the buffers into which the crew writes

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in vars(self).items() if name != "_batch"}
        return {**kept, "_crew": None, "_buffers": None, "_sharing": Sharing(self._threads.count)}

    def cut(self, batch: Batch) -> None:
        """Set the batch for the next steps. Call this method again after an array of the batch was replaced."""
        if self._crew is not None:
            self._crew.dismiss()
        self._batch, self._crew, self._buffers = batch, None, None
        self._is_shared = False  # a new crew must make a step before it can encode

    def step(
        self,
        actions: npt.NDArray[np.int64],
        problems: int,
        begins: Begins,
        how: tuple[bool, bool],
        buffers: Buffers,
        *,
        shows: bool,
    ) -> list[Ends]:
        """Step the batch. Threads share the step if this is faster (see `Sharing`).

        `buffers` are the arrays that the step writes. `Crew.step` explains the other arguments.

        Returns:
            A list with the games that ended. If threads shared the step, the list has an item for each part of the
            batch. Otherwise it has one item.

        Raises:
            ValueError: a game could not begin.
            RuntimeError: a thread cannot be started.
        """
        self._is_shared = self._sharing.begin() > 1
        if self._is_shared:
            crew = self._crew_with(buffers)
            found = crew.step(actions, problems, begins, how, shows=shows, gap=self._sharing.gap)
        else:
            outcome, views = self._whole(buffers)
            found = [self._batch.step(actions, problems, outcome, views, shows, begins, *how)]
        self._sharing.end()
        for _, failed in found:
            check_begun(failed)
        return [ends for ends, _ in found]

    def encode(self, buffers: Buffers) -> None:
        """Write the observations and masks.

        If threads shared the last `step`, they also share this work, unless `cut` was called after the step.
        """
        if self._is_shared:
            self._crew_with(buffers).show(gap=self._sharing.gap)
        else:
            self._batch.encode(self._whole(buffers)[1])

    def _whole(self, buffers: Buffers) -> tuple[Any, Any]:
        return buffers.part(slice(0, len(self._batch)))

    def _crew_with(self, buffers: Buffers) -> Crew:
        """The crew. From now on, it writes into these buffers."""
        if self._crew is None:
            self._crew = Crew(self._batch, self._threads)
        if self._buffers is not buffers:
            self._crew.lend([buffers.part(places) for places in self._crew.places])
            self._buffers = buffers
        return self._crew

    def close(self) -> None:
        """End the threads. New threads start when they are needed."""
        if self._crew is not None:
            self._crew.dismiss()
        self._threads.close()
