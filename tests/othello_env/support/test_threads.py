"""Threads that share work: in all cases there is a result or an error, and nothing hangs."""

import os
import signal
import sys
import threading

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from othello_env.envs.othello import OthelloVectorEnv
from othello_env.support import threads as module
from othello_env.support.threads import Threads

LIMIT = 60.0
"""The number of seconds after which a call counts as hanging."""


def within(limit, function):
    """Call a function in a new thread, which must end within the limit. Returns its result, or raises its error."""
    told = []

    def run():
        try:
            told.append((function(), None))
        except BaseException as error:
            told.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(limit)
    assert told, "it hangs"
    result, error = told[0]
    if error is not None:
        raise error
    return result


def squares(threads):
    return threads.run(lambda k: k * k)


@pytest.fixture
def failing_start(monkeypatch):
    """Make the start of the second thread of `Threads` fail. Returns the list of the threads that did start."""
    start, number, running = threading.Thread.start, [0], []

    def fail_at_two(thread):
        if thread._target is module._serve:
            number[0] += 1
            if number[0] == 2:
                raise RuntimeError("can't start new thread")
            running.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", fail_at_two)
    return running


def test_a_thread_that_does_not_start(failing_start):
    threads = Threads(4)
    with pytest.raises(RuntimeError, match="thread 3 of 4 could not be started: can't start new thread"):
        within(LIMIT, lambda: squares(threads))
    for thread in failing_start:  # the threads that were started have ended
        thread.join(LIMIT)
        assert not thread.is_alive()
    threads.close()
    assert within(LIMIT, lambda: squares(threads)) == [0, 1, 4, 9]  # now all threads start
    threads.close()


@pytest.mark.usefixtures("always_shared")
def test_an_environment_whose_thread_does_not_start(failing_start):
    env = OthelloVectorEnv(6, 4, None, num_threads=3)
    observation, _ = env.reset(seed=0)
    actions = observation["action_mask"].argmax(1)
    with pytest.raises(RuntimeError, match="ask for fewer threads"):
        within(LIMIT, lambda: env.step(actions))
    with pytest.raises(ResetNeeded):
        env.step(actions)
    again, _ = env.reset(seed=0)
    np.testing.assert_equal(again, observation)
    within(LIMIT, lambda: env.step(actions))
    env.close()


@pytest.mark.parametrize("is_first", [True, False])
def test_closing_at_any_moment_of_a_run(is_first):
    """For each line of `run`: another thread calls `close` just before this line."""
    for moment in range(1, 200):
        threads = Threads(3)
        if not is_first:
            squares(threads)
        lines = [0]
        closing = threading.Thread(target=threads.close, daemon=True)

        def trace(frame, event, _argument, lines=lines, closing=closing, moment=moment):
            if frame.f_code.co_filename != module.__file__:
                return None
            if event == "line":
                lines[0] += 1
                if lines[0] == moment:
                    closing.start()
                    closing.join(0.02)  # not for ever, because `close` may wait for this thread
            return trace

        def run(threads=threads, trace=trace):
            before = sys.gettrace()
            sys.settrace(trace)
            try:
                return squares(threads)
            finally:
                sys.settrace(before)

        assert within(LIMIT, run) == [0, 1, 4]
        assert within(LIMIT, lambda threads=threads: squares(threads)) == [0, 1, 4]  # use after close
        threads.close()
        if lines[0] < moment:
            assert moment > 10
            return
        closing.join(LIMIT)
        assert not closing.is_alive()
    raise AssertionError("a run has no end")


def test_threads_that_make_their_first_run_at_once():
    for _ in range(50):
        threads = Threads(3)
        before = threading.active_count()
        told = []
        callers = [threading.Thread(target=lambda w=threads, t=told: t.append(squares(w)), daemon=True) for _ in "ab"]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join(LIMIT)
        assert told == [[0, 1, 4]] * 2
        assert threading.active_count() <= before + 2
        threads.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("call", [squares, Threads.close])
def test_a_fork_while_another_thread_starts_them(monkeypatch, call):
    start, inside, go_on = threading.Thread.start, threading.Event(), threading.Event()

    def wait_within(thread):
        if thread._target is module._serve:
            inside.set()
            go_on.wait(LIMIT)
        start(thread)

    threads = Threads(3)
    told = []
    caller = threading.Thread(target=lambda: told.append(squares(threads)), daemon=True)
    monkeypatch.setattr(threading.Thread, "start", wait_within)
    start(caller)
    assert inside.wait(LIMIT)
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(int(LIMIT))
            threading.Thread.start = start
            call(threads)
            os._exit(0 if squares(threads) == [0, 1, 4] else 1)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    go_on.set()
    caller.join(LIMIT)
    assert told == [[0, 1, 4]]
    threads.close()


def test_closing_twice_or_before_any_run_does_nothing():
    threads = Threads(3)
    threads.close()
    assert squares(threads) == [0, 1, 4]
    threads.close()
    threads.close()
    assert squares(threads) == [0, 1, 4]
    threads.close()
