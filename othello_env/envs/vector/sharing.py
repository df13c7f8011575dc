"""Decide by measured times whether threads share the steps of a batch."""

from __future__ import annotations

from time import perf_counter

__all__ = ["Sharing"]

_WORTHWHILE_SECONDS = 1e-4
"""Steps are shared only if one thread needs at least this time for a step. Waking a thread takes about this time."""
_PERIOD = 256
_IS_SHARED = (False, False, True, True) * 4
"""For each step of a trial, whether threads share this step. `Sharing` explains trials.

If all games are at the same ply, fast and slow steps may alternate. So half of the shared steps and half of the other
steps have even numbers.
"""


class Sharing:
    """Chooses for each step of a batch whether one thread makes it or all threads share it.

    Every period of 256 steps begins with a trial: one thread makes eight steps, and all threads share eight other
    steps. Then the faster of these two ways is used for all other steps of the period. The times of single steps vary,
    so earlier trials count, too. Each trial counts half as much as the trial after it. Very short steps are not shared,
    not even in a trial. The choice changes only the speed.

    Args:
        most: the number of threads that make a shared step.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._step = -1  # step -1 is in no trial, because the first step also loads the kernels
        self._trial = [0.0, 0.0]  # the seconds of this period's trial: the steps in one thread, and the shared steps
        self._seconds = [0.0, 0.0]  # the weighted sums over all trials, in the same order
        self._is_shared = self._is_faster_shared = False
        self._began = 0.0

    def begin(self) -> int:
        """Begin a step. Returns the number of threads that make the step, 1 or `most`."""
        if self._most == 1:
            return 1
        if self._step == 2 and self._trial[0] < 2 * _WORTHWHILE_SECONDS:
            self._is_faster_shared, self._seconds = False, [0.0, 0.0]
            self._step = len(_IS_SHARED)
        is_trial = 0 <= self._step < len(_IS_SHARED)
        self._is_shared = _IS_SHARED[self._step] if is_trial else self._is_faster_shared
        self._began = perf_counter()
        return self._most if self._is_shared else 1

    def end(self) -> None:
        """End the step that `begin` began."""
        if self._most == 1:
            return
        if 0 <= self._step < len(_IS_SHARED):
            self._trial[self._is_shared] += perf_counter() - self._began
        self._step += 1
        if self._step == len(_IS_SHARED):
            self._seconds = [new + old / 2 for new, old in zip(self._trial, self._seconds, strict=True)]
            self._is_faster_shared = self._seconds[True] < self._seconds[False]
        elif self._step == _PERIOD:
            self._step, self._trial = 0, [0.0, 0.0]
