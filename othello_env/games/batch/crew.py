"""Threads that share the steps of a batch, and wait for the next step in compiled code.

It takes 60 to 100 us to wake a sleeping thread. A step of 4,096 games takes as long. So the threads do not sleep
between the steps of a busy environment. They stay awake for a limited time, and read one word in memory again and
again until a step begins.

A *job* is a step, or the writing of observations and masks. The thread that calls `Crew.step` or `Crew.show` is the
leader of the job; all other threads are helpers. The batch is divided into parts, one for each thread. The leader
writes the job into a mailbox (see `othello_env.support.mailbox`) and opens the job. The leader and all helpers that are
awake take parts, one at a time, until no part is left. Then the leader closes the job, and waits for the helpers that
still work on their last parts. If a helper sleeps or has no core, it takes no part, and the leader does not wait for
it. No Python code runs in a helper that is awake, and no lock is needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch.play import step
from othello_env.games.batch.primitives import encode
from othello_env.games.batch.protocol import Batch, Begins, Ends
from othello_env.support.jit import Int, entry_point, kernel
from othello_env.support.mailbox import add, give, lend, load, look, rest, size_in_words, store, yield_core
from othello_env.support.threads import Threads

__all__ = ["Crew"]

_Box = npt.NDArray[np.int64]
_Tuple = tuple[Any, ...]

_LINE = 8
"""The number of words in a cache line.

Each word that several threads write has a cache line of its own. Only the helpers' words (see AWAKE) share cache lines.
"""
_JOB, _LATEST, _NEXT, _DONE, _INSIDE, _PATIENCE, _AWAKE = (k * _LINE for k in range(7))
"""The indices of words in a mailbox.

JOB: the number of the open job, or 0. LATEST: the number of the last job that was opened. NEXT: the next part to take.
DONE: how many parts are done. INSIDE: how many helpers work on the open job. PATIENCE: how long helpers wait awake,
counted in calls of `rest`. AWAKE: the word of the first helper; the words of the other helpers follow it. The word
of a helper is 0 if the helper sleeps, 1 if it is awake or was called, and 2 if it works on a job.
"""

_LONGEST = 1e-3
"""The longest time in seconds for which a helper waits awake."""
_SHORTEST = 5e-5


@kernel
def _sizes(value: Any) -> int:
    return int(size_in_words(value))


@kernel
def _lend(box: _Box, at: Int, value: Any) -> None:
    lend(box, at, value)


@kernel
def _take(box: _Box, at: Int, like: Any) -> Any:
    return look(box, at, like)


@kernel
def _rests(box: _Box, n: Int) -> None:
    for _ in range(n):
        if load(box, _JOB) == 0 and load(box, _PATIENCE) == 0:
            rest()


@kernel
def _take_parts(box: _Box, layout: _Tuple, like: _Tuple) -> None:
    """Take parts of the open job and do their work, one part at a time, until no part is left.

    Args:
        box: the mailbox.
        layout: five numbers: the index of the mailbox at which the job begins, the index at which the first part
            begins, how many words a part takes together with its result, how many words a result takes, and the number
            of parts.
        like: a job, a part and a result. They are examples from which the compiler learns the types.
    """
    job_at, first, stride, result_words, count = layout
    job = look(box, job_at, like[0])
    rules, actions, problems, plan, openings, begin_next, by_margin, template, steps, shows = job
    while True:
        k = add(box, _NEXT, 1)
        if k >= count:
            break
        at = first + k * stride
        start, stop, course, boards, seats, outcome, views = look(box, at + result_words, like[1])
        if steps:
            mine = actions[start:stop]
            how = plan, openings, begin_next, by_margin, template
            give(box, at, step(rules, course, boards, mine, problems, outcome, views, shows, *how), like[2])
        else:
            encode(rules, course[0], seats, boards, views)
        add(box, _DONE, 1)


@kernel
def _lead(box: _Box, layout: _Tuple, like: _Tuple, number: Int, patience: Int) -> int:
    """Open the job `like[0]`, take parts of it, and close the job. Returns the number of parts that are done."""
    lend(box, layout[0], like[0])
    store(box, _NEXT, 0)
    store(box, _DONE, 0)
    store(box, _PATIENCE, patience)
    store(box, _LATEST, number)
    store(box, _JOB, number)
    _take_parts(box, layout, like)
    _close(box)
    return int(load(box, _DONE))


@kernel
def _close(box: _Box) -> None:
    """Close the job, and wait until no helper works on it."""
    store(box, _JOB, 0)
    waited = 0
    while load(box, _INSIDE) != 0:
        waited += 1
        if waited < 2000:
            rest()
        else:  # a helper may need this core to finish its part
            yield_core()


@kernel
def _attend(box: _Box, layout: _Tuple, like: _Tuple, helper: Int, first: Int, longest: Int) -> None:
    """Help with jobs until no new job has come for some time (see PATIENCE and `longest`).

    Args:
        box: the mailbox.
        layout: see `_take_parts`.
        like: see `_take_parts`.
        helper: the number of the helper.
        first: the number of the job for which the helper was called. Perhaps this job is not open yet.
        longest: how long the helper waits for this first job, counted in calls of `rest`.
    """
    last, waited = np.int64(0), np.int64(0)
    while True:
        number = load(box, _JOB)
        if number != 0 and number != last:
            store(box, _AWAKE + helper, 2)
            add(box, _INSIDE, 1)
            if load(box, _JOB) == number:  # the job is still open, so the leader will wait for this helper
                last, waited = number, np.int64(0)
                _take_parts(box, layout, like)
            add(box, _INSIDE, -1)
            store(box, _AWAKE + helper, 1)
        elif waited >= (load(box, _PATIENCE) if load(box, _LATEST) >= first else longest):
            break
        else:
            rest()
            waited += 1
    store(box, _AWAKE + helper, 0)


@kernel
def _leave(box: _Box, helper: Int) -> None:
    """Let a helper sleep after an error."""
    if load(box, _AWAKE + helper) == 2:
        add(box, _INSIDE, -1)
    store(box, _AWAKE + helper, 0)


def _help(attend: Callable[..., None], args: _Tuple, first: int, longest: int, errors: list[Any], k: int) -> None:
    """What the thread of a helper does when it is called. The helper in thread k has the number k - 1."""
    try:
        attend(*args, k - 1, first, longest)
    except BaseException as error:  # `Crew._run` raises the error if a part was not done
        errors.append(error)
        _leave(args[0], k - 1)


class Crew:
    """Shares the steps of a batch among threads.

    Args:
        batch: N games. If an array of the batch is replaced, the batch needs a new crew.
        threads: the threads that share the steps. The batch has a part for each thread. If there are several parts,
            each must have at least two games, because all parts use machine code that is made for the array layouts of
            the first part. In a part of one game, a layout could differ: for NumPy, an array with one row is
            contiguous, even if the rows of the batch's array are apart in memory.
    """

    def __init__(self, batch: Batch, threads: Threads) -> None:
        bounds = np.linspace(0, len(batch), threads.count + 1).astype(int).tolist()
        self.places = [slice(a, b) for a, b in pairwise(bounds)]
        """For each part, the slice of the N games that belong to it."""
        self._batches = [batch.part(places) for places in self.places]
        self._threads = threads
        self._parts: list[_Tuple] = []
        self._number = 0  # the number of the last job
        self._process = os.getpid()
        self._errors: list[BaseException] = []
        template, moves = self._batches[0].template, batch.course.moves
        self._result = template, np.empty((0, moves.shape[1]), moves.dtype), 0
        self._rests_a_second = _rests_a_second()

    def lend(self, arrays: Sequence[tuple[_Tuple, _Tuple]]) -> None:
        """Set the arrays that the next jobs write.

        Args:
            arrays: for each part, the argument `outcome` of `Batch.step` and the argument `views` of `Batch.encode`.
        """
        self._parts = []
        for places, batch, (outcome, views) in zip(self.places, self._batches, arrays, strict=True):
            course = batch.course
            seats = course.to_move, course.learner
            self._parts.append((places.start, places.stop, tuple(course), batch.boards, seats, outcome, views))
        if self._number:
            self._write_parts()

    def _write_parts(self) -> None:
        _, first, stride, result_words, _ = self._layout
        for k, part in enumerate(self._parts):
            self._write(self._box, first + k * stride + result_words, part)

    def _prepare(self) -> None:
        """Make the mailbox and compile the kernels. `_job` and `_parts` must be set, because they give the types."""
        like, count = (self._job, self._parts[0], self._result), len(self._parts)
        job_words, part_words, result_words = (-(-int(_sizes(value)) // _LINE) * _LINE for value in like)
        job_at = _AWAKE + -(-count // _LINE) * _LINE
        first, stride = job_at + job_words, result_words + part_words
        self._layout = job_at, first, stride, result_words, count
        self._box = np.zeros(first + count * stride, np.int64)
        args = self._box, self._layout, like
        self._write = entry_point(_lend, self._box, 0, self._parts[0])
        self._lead = entry_point(_lead, *args, 1, 0)
        self._take = entry_point(_take, self._box, 0, self._result)
        self._attend = entry_point(_attend, *args, 0, 1, 0)
        self._write_parts()

    def step(
        self,
        actions: npt.NDArray[np.int64],
        problems: int,
        begins: Begins,
        how: tuple[bool, bool],
        *,
        shows: bool,
        gap: float = 0.0,
    ) -> list[tuple[Ends, int]]:
        """Step the batch.

        Args:
            actions: as in `Batch.step`.
            problems: as in `Batch.step`.
            begins: as in `Batch.step`.
            how: the last two arguments of `Batch.step`.
            shows: whether to write the observations and masks, too.
            gap: the usual time in seconds from one step to the next. The helpers wait awake for about twice this time.
                If this wait would be longer than a millisecond, they sleep at once.

        Returns:
            The result of `Batch.step` for each part. The indices of games are indices in the whole batch.

        Raises:
            RuntimeError: a thread cannot be started. In this case no work has begun.
            BaseException: an error in a thread. All threads have stopped their work.
        """
        rules, template = self._batches[0].rules, self._batches[0].template
        self._job = (rules, actions, problems, begins.plan, begins.openings, *how, template, True, shows)
        self._run(gap)
        found = []
        for k, places in enumerate(self.places):
            rows, moves, failed = self._take(self._box, self._layout[1] + k * self._layout[2], self._result)
            rows["game"] += places.start
            found.append((Ends(rows, moves), failed))
        return found

    def show(self, *, gap: float = 0.0) -> None:
        """Write the observations and masks. The method `step` must have been called before."""
        self._job = (*self._job[:-2], False, True)
        self._run(gap)

    def _run(self, gap: float) -> None:
        """Let all threads do the job `_job`."""
        if self._number == 0:
            self._prepare()
        self._number += 1
        args = self._box, self._layout, (self._job, self._parts[0], self._result)
        self._call_helpers(args)
        patience = 2 * gap + _SHORTEST
        rests = int(patience * self._rests_a_second) if patience <= _LONGEST else 0
        try:
            done = self._lead(*args, self._number, rests)
        except BaseException:
            _close(self._box)
            raise
        if done < len(self._parts):
            error = self._errors[0]
            self._errors.clear()
            raise error

    def _call_helpers(self, args: _Tuple) -> None:
        """Call the helpers that sleep. A forked process has no running helpers at first, so it calls all helpers."""
        process = os.getpid()
        if process != self._process:
            self._process = process
            self._box[: self._layout[0]] = 0
        for helper in range(self._threads.count - 1):
            if self._box[_AWAKE + helper]:
                continue
            self._box[_AWAKE + helper] = 1
            longest = int(_LONGEST * self._rests_a_second)
            work = partial(_help, self._attend, args, self._number, longest, self._errors)
            try:
                self._threads.send(helper + 1, work)
            except BaseException:
                self._box[_AWAKE + helper] = 0
                raise

    def dismiss(self) -> None:
        """Tell the helpers to sleep."""
        if self._number:
            self._box[_PATIENCE] = -1


def _rests_a_second() -> float:
    """How many times in a second a thread can call `rest` while it watches a mailbox."""
    rests, seconds, box = 2000, [], np.zeros(_AWAKE, np.int64)
    _rests(box, rests)  # compiles the kernel
    for _ in range(3):
        began = perf_counter()
        _rests(box, rests)
        seconds.append(perf_counter() - began)
    return rests / max(min(seconds), 1e-9)
