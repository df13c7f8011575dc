"""The worker processes that find exact labels end together with the process that started them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# Positions with 40 empty squares are never solved, so this program runs until it is stopped. It prints the numbers of
# its worker processes.
ENDLESS = """
import multiprocessing, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from othello_env.data import exact_labels, random_games

def tell():
    while len(workers := multiprocessing.active_children()) < 2:
        time.sleep(0.05)
    print(*(worker.pid for worker in workers), flush=True)

if __name__ == "__main__":
    threading.Thread(target=tell, daemon=True).start()
    exact_labels(random_games(40, seed=1), 40, workers=2)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
@pytest.mark.parametrize("seconds", [0.0, 3.0], ids=["while the workers start", "while they solve"])
def test_workers_end_when_their_owner_ends(how, seconds, tmp_path):
    (tmp_path / "endless.py").write_text(ENDLESS)
    command = [sys.executable, str(tmp_path / "endless.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        workers = [int(pid) for pid in process.stdout.readline().split()]
        assert len(workers) == 2
        time.sleep(seconds)
        process.send_signal(getattr(signal, how))
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert ("KeyboardInterrupt" in errors) == (how == "SIGINT")
    deadline = time.monotonic() + 60
    while any(is_alive(pid) for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_alive(pid):
    """Whether a process works. If nobody has asked for the status of an ended process, it still has its number."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
