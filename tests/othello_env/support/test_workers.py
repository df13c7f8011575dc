"""Calls in other processes: answers, deadlines, errors that are named, and processes that end with their owner."""

import os
import platform
import subprocess
import sys
import time
from functools import partial

import pytest

from othello_env.support.workers import (
    Worker,
    WorkerDiedError,
    WorkerError,
    WorkerTimeoutError,
    check_workers,
    run_jobs,
)


def make_adder(base):
    """The function of a worker that does what its argument says."""

    def work(what, value=None):
        match what:
            case "add":
                return base + value
            case "pid":
                return os.getpid()
            case "sleep":
                time.sleep(value)
            case "start a program":
                return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]).pid
            case "exit":
                os._exit(value)
        return None

    return work


def make_nothing():
    raise FileNotFoundError("no weights")


@pytest.fixture
def worker():
    made = Worker(make_adder, 10)
    yield made
    made.stop()


def test_a_worker_answers_and_a_late_answer_kills_what_it_has_started(worker, all_end):
    assert [worker.call("add", n) for n in range(3)] == [10, 11, 12]
    pids = [worker.call("pid")]
    if sys.platform != "win32":
        pids.append(worker.call("start a program"))
    with pytest.raises(WorkerTimeoutError, match=r"no answer within 0\.1 s"):
        worker.call("sleep", 1000, seconds=0.1)
    assert not worker.is_alive
    assert all_end(pids)


def test_a_worker_that_dies_is_an_error_with_its_status(worker):
    with pytest.raises(WorkerDiedError, match=platform.node()) as error:
        worker.call("exit", 7)
    assert error.value.exitcode == 7
    with pytest.raises(WorkerDiedError):
        worker.call("add", 1)


def test_an_error_of_the_function_or_of_its_maker_is_named(worker):
    with pytest.raises(WorkerError, match=f"process on {platform.node()} failed: TypeError: unsupported operand"):
        worker.call("add", "text")
    broken = Worker(make_nothing)
    with pytest.raises(WorkerError, match="failed: FileNotFoundError: no weights"):
        broken.call()
    broken.stop()


def test_a_process_that_does_not_start_says_why_it_may_be(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from othello_env.support.workers import Worker\ndef make(): return print\nWorker(make).call('hello')\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'the main part must be under if __name__ == "__main__"' in done.stderr.splitlines()[-1]


class Doubler:
    """A host that does its jobs in this process."""

    def __init__(self, stopped):
        self.stopped = stopped

    def call(self, job):
        if job < 0:
            raise ValueError(job)
        return 2 * job

    def stop(self):
        self.stopped.append(self)


@pytest.mark.parametrize("workers", [1, 3])
def test_jobs_are_done_by_at_most_so_many_hosts(workers):
    stopped = []
    assert sorted(run_jobs(partial(Doubler, stopped), range(20), workers)) == list(range(0, 40, 2))
    assert 1 <= len(stopped) <= workers
    with pytest.raises(ValueError, match="-1"):
        list(run_jobs(partial(Doubler, stopped), [1, -1], workers))


def test_a_job_is_taken_when_a_host_is_free():
    taken = []

    def jobs():
        for n in range(10):
            taken.append(n)
            yield n

    results = run_jobs(partial(Doubler, stopped := []), jobs(), 2)
    next(results)
    assert len(taken) == 2
    results.close()
    assert stopped
    assert len(taken) == 2


def test_closing_stops_the_jobs_in_progress(all_end):
    results = run_jobs(partial(_Pids, "sleep"), iter(range(100)), 2)
    pid = next(results)
    results.close()
    assert all_end([pid])


class _Pids:
    """A host whose first job gives the number of its process, and whose later jobs never end."""

    def __init__(self, then):
        self.worker, self.then = Worker(make_adder, 0), then

    def call(self, job):
        return self.worker.call("pid") if job == 0 else self.worker.call(self.then, 1000)

    def stop(self):
        self.worker.stop()


def test_the_number_of_workers_is_checked():
    for right in (None, 1, 5):
        check_workers(right)
    with pytest.raises(ValueError, match="workers must be at least 1, not 0"):
        check_workers(0)
