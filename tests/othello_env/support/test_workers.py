"""Calls in other processes: answers, deadlines, errors that are named, and processes that end with their owner."""

import os
import platform
import signal
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
    run_jobs,
)

pytestmark = pytest.mark.slow


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
            case "read":
                raise EOFError("a file ended early")
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
    reader = Worker(make_adder, 10)
    with pytest.raises(WorkerError, match="failed: EOFError: a file ended early"):
        reader.call("read")
    reader.stop()
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


ENDLESS = """
import multiprocessing, signal, threading, time
from functools import partial
from othello_env.support.workers import Worker, run_jobs

signal.signal(signal.SIGINT, signal.default_int_handler)

def make():
    return print_and_sleep

def print_and_sleep(job):
    print(multiprocessing.current_process().pid, flush=True)
    time.sleep(1000)

if __name__ == "__main__":
    list(run_jobs(partial(Worker, make), range(10), 2))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_workers_end_when_their_owner_ends(how, tmp_path, all_end):
    """They also end if the owner is killed while they work. After Ctrl-C, only the owner prints a traceback."""
    (tmp_path / "endless.py").write_text(ENDLESS)
    command = [sys.executable, str(tmp_path / "endless.py")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        workers = [int(process.stdout.readline()) for _ in range(2)]
        if how == "SIGINT":
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        else:
            process.send_signal(getattr(signal, how))
        _, errors = process.communicate(timeout=60)
    assert errors.count("Traceback") == errors.count("KeyboardInterrupt") == (how == "SIGINT")
    assert all_end(workers)
