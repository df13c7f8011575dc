"""Find out by measurements whether the steps of a batch are faster in one thread or in several threads."""

from __future__ import annotations

from math import inf
from time import perf_counter

__all__ = ["Sharing"]

_WORTHWHILE_SECONDS = 3e-5
"""Steps are shared only if one thread needs at least this time for a step. Sharing itself takes a few microseconds."""
_PERIOD, _LONGEST_PERIOD = 256, 2048
_IS_SHARED = (*[False] * 5, *[True] * 5) * 2
"""For each step of a trial, whether threads share this step. `Sharing` explains trials."""
_IS_MEASURED = (False, *[True] * 4) * 4
"""For each step of a trial, whether its time counts.

In the first step after a change from one thread to all threads or back, the threads wake up or fall asleep. So the time
of this step does not count. If all games are at the same ply, fast and slow steps may alternate. So even and odd steps
are measured equally often, both with one thread and with all threads.
"""
_LONGEST_GAP = 1e-3
_MUCH = 1.5


class Sharing:
    """Chooses for each step of a batch whether one thread makes it or all threads share it.

    The steps are divided into periods. Every period begins with a trial of 20 steps: one thread makes ten steps, and
    all threads share ten steps. Of each ten steps, eight are measured, and the longest of these eight does not count.
    All later steps of the period are made in the way that was faster in the trial. Since the times of steps vary,
    earlier trials also count: the previous trial counts half as much as this one, the trial before it a quarter, and so
    on. Very short steps are not shared, and their trial ends early. The choice changes only the speed.

    A period has 256 steps, unless one thread is much faster in the trial. Then the period is twice as long as the
    period before it, but at most 2,048 steps long. So there are fewer trials on a busy machine, where shared steps take
    long.

    Threads that share steps stay awake during a short gap between two steps. During the gap, they may take a core that
    the learner's policy needs. So a gap of less than a millisecond after a measured step counts as a part of this step.

    Args:
        most: the number of threads that make a shared step.

    Attributes:
        gap: the usual time in seconds between two steps. Gaps of more than a millisecond count as a millisecond.
    """

    def __init__(self, most: int) -> None:
        self.gap = 0.0
        self._most = most
        self._period = _PERIOD
        self._step = -1  # the first step has the number -1 and is in no trial, because it also loads the kernels
        self._trial: tuple[list[float], list[float]] = [], []
        """The times in seconds of this period's measured steps: a list for one thread, and a list for shared steps."""
        self._seconds = [0.0, 0.0]  # the weighted sums of the times of all trials: for one thread, and for shared steps
        self._shortest = inf  # the time of the fastest step that one thread made in this trial, without gaps
        self._is_shared = self._is_faster_shared = self._is_measured = False
        self._is_settled = False  # if True, one thread makes all steps until the next trial, and no step is timed
        self._began = 0.0
        self._ended: float | None = None  # the time at which the last step ended; None if it failed or was not timed

    def begin(self) -> int:
        """Begin a step. Returns the number of threads that make the step, 1 or `most`."""
        if self._most == 1 or self._is_settled:
            return 1
        self._began = perf_counter()
        if self._ended is not None:
            self._count_gap(self._began - self._ended)
            self._ended = None
        if self._step == len(_IS_SHARED):
            # In each list, the longest step does not count, because another process may have delayed it.
            sums = [sum(times) - max(times, default=0.0) for times in self._trial]
            alone, shared = self._seconds = [new + old / 2 for new, old in zip(sums, self._seconds, strict=True)]
            self._is_faster_shared = shared < alone
            self._period = min(2 * self._period, _LONGEST_PERIOD) if shared > _MUCH * alone else _PERIOD
        elif self._step == 3 and self._shortest < _WORTHWHILE_SECONDS:
            self._is_faster_shared, self._seconds, self._period = False, [0.0, 0.0], _PERIOD
            self._step = len(_IS_SHARED)
        is_trial = 0 <= self._step < len(_IS_SHARED)
        self._is_settled = self._step >= len(_IS_SHARED) and not self._is_faster_shared
        self._is_shared = _IS_SHARED[self._step] if is_trial else self._is_faster_shared
        self._is_measured = is_trial and _IS_MEASURED[self._step]
        return self._most if self._is_shared else 1

    def _count_gap(self, gap: float) -> None:
        """Count the time between the last step and this step."""
        self.gap += (min(gap, _LONGEST_GAP) - self.gap) / 4
        if self._is_measured and gap < _LONGEST_GAP:
            self._trial[self._is_shared][-1] += gap

    def end(self) -> None:
        """End the step that `begin` began."""
        if self._most == 1:
            return
        if not self._is_settled:
            self._ended = perf_counter()
            if self._is_measured:
                seconds = self._ended - self._began
                self._trial[self._is_shared].append(seconds)
                if not self._is_shared:
                    self._shortest = min(seconds, self._shortest)
        self._step += 1
        if self._step == self._period:
            self._step, self._trial, self._shortest = 0, ([], []), inf
            self._is_settled = False
