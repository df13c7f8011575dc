"""Threads that share work: there is a result or an error, also after an error, a close or a fork."""

import os
import threading

import pytest

from othello_env.support.threads import Threads


def squares(threads):
    return threads.run(lambda k: k * k)


def test_the_work_is_shared_among_threads():
    threads = Threads(3)
    assert squares(threads) == [0, 1, 4]
    barrier = threading.Barrier(3, timeout=60)
    numbers = threads.run(lambda k: (barrier.wait(), threading.get_ident())[1])  # ends only if all three run at once
    assert len(set(numbers)) == 3
    assert numbers[0] == threading.get_ident()
    threads.close()


def test_an_error_is_raised_after_all_work_has_ended():
    threads, done = Threads(4), []

    def work(k):
        if k in (1, 2):
            raise ValueError(str(k))
        done.append(k)

    with pytest.raises(ValueError, match="1"):
        threads.run(work)
    assert sorted(done) == [0, 3]
    assert squares(threads) == [0, 1, 4, 9]
    threads.close()


def test_closing_twice_or_before_any_run_does_nothing():
    threads = Threads(3)
    threads.close()
    assert squares(threads) == [0, 1, 4]
    threads.close()
    threads.close()
    assert squares(threads) == [0, 1, 4]
    threads.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    threads = Threads(3)
    squares(threads)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if squares(threads) == [0, 1, 4] else 1)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert squares(threads) == [0, 1, 4]
    threads.close()
