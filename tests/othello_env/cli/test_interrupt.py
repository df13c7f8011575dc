"""Ctrl-C: at any moment, it ends the command with status 130 and at most one line."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

# Background jobs of a shell ignore interrupts. With this handler, the process always receives interrupts. The command
# cannot handle an interrupt that comes before `main` begins. So the process prints its marker only when `main` imports
# the package.
START = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Marker:
    def find_spec(self, name, path, target=None):
        if name == "othello_env":
            os.write(1, b"!")
sys.meta_path.insert(0, Marker())
from othello_env_main import main
main()
"""
MATCH = ["match", "alphabeta:depth=3,eval=weighted", "random", "--games", "1000000"]


def interrupted(arguments, seconds=0.0, marker=b"!", times=1, apart=0.0, **options):
    """Interrupt a command some seconds after it has printed a marker. Return its exit status and its stderr."""
    command = [sys.executable, "-c", START, *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    ) as process:
        out = b""
        while marker not in out:
            part = process.stdout.read1()
            assert part, process.stderr.read().decode()
            out += part
        time.sleep(seconds)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(apart)
        try:
            _, errors = process.communicate(timeout=120)
        finally:
            process.kill()
    return process.returncode, errors.decode()


def assert_quiet(status, errors):
    assert status == 130, errors
    told = [line for line in errors.splitlines() if "compiling for first use" not in line]
    assert told in ([], ["othello-env: interrupted"])


def test_in_the_first_two_seconds(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(lambda i: interrupted(MATCH, 0.1 * i), range(21)):
            assert_quiet(*answer)


def test_while_kernels_compile(tmp_path, monkeypatch):
    with ThreadPoolExecutor(2) as pool:
        for answer in pool.map(lambda i: compiling(tmp_path / str(i), 1.0 + 0.7 * i), range(6)):
            assert_quiet(*answer)


def compiling(cache, seconds):
    return interrupted(MATCH, seconds, env=os.environ | {"NUMBA_CACHE_DIR": str(cache)})


@pytest.mark.parametrize("apart", [0.05, 0.1, 0.15])
def test_pressed_again_while_it_ends(apart):
    assert_quiet(*interrupted(MATCH, 1.5, times=3, apart=apart))


def test_pressed_many_times():
    for seconds in (0.3, 1.5):
        assert_quiet(*interrupted(MATCH, seconds, times=50))


STORMS = """
import json, os, signal, sys, threading, time
import othello_env.cli
from othello_env_main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["othello-env", "--help"]
def storm(seconds):
    while signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        time.sleep(0)
    time.sleep(seconds)
    while True:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0)
answers = []
for i in range(200):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(writer, 2)
        sys.setswitchinterval(1e-5)
        threading.Thread(target=storm, args=(5e-5 * i,), daemon=True).start()
        main()
    os.close(writer)
    with open(reader) as errors:
        text = errors.read()
    answers.append([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text])
print(json.dumps(answers))
"""


def test_interrupts_without_end():
    """A thread interrupts each of 200 processes again and again. In each process, it begins at a later moment."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", STORMS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answers = json.loads(done.stdout)
    assert len(answers) == 200
    for answer in answers:
        assert_quiet(*answer)


COMPILING = {
    "nothing else happens": "",
    "a thread is started": "import threading; threading._active_limbo_lock.acquire()",
    "the handler is interrupted too": """
import os, signal, othello_env_main
again = othello_env_main._interrupt_again
def interrupted_again():
    os.kill(os.getpid(), signal.SIGINT)
    again()
othello_env_main._interrupt_again = interrupted_again
""",
    "the handler is slow": """
import othello_env_main
again = othello_env_main._interrupt_again
def again_slowly():
    again()
    time.sleep(0.05)
othello_env_main._interrupt_again = again_slowly
""",
}


@pytest.mark.parametrize("meanwhile", COMPILING)
def test_numba_is_not_interrupted(tmp_path, meanwhile):
    """An interrupt in Numba's code could be lost or crash the process, so it is raised when this code has returned."""
    (tmp_path / "policy.py").write_text(f"""
import os, time
{COMPILING[meanwhile]}
compiler = {{"__name__": "numba.core.compiler", "os": os, "time": time}}
exec('''
def compile():
    os.write(1, b"READY")
    try:
        time.sleep(1)
        os.write(2, b"compiled" + bytes([10]))
    except BaseException:
        os.write(2, b"interrupted within" + bytes([10]))
''', compiler)
compiler["compile"]()
time.sleep(600)
""")
    status, errors = interrupted(["match", f"{tmp_path}/policy.py:act", "random"], 0.1, b"READY", times=3)
    lines = errors.splitlines()
    assert lines.pop(0) == "compiled"
    assert (status, lines) == (130, ["othello-env: interrupted"] if lines else [])


def test_a_kernel_that_returns_is_interrupted_at_once(tmp_path):
    """If an interrupt comes while a kernel runs, Python handles it after the kernel.

    Then Numba's function `_numba_unpickle` is making the kernel's result. The interrupt must end the command there.
    """
    (tmp_path / "policy.py").write_text("""
import os, time
serialize = {"__name__": "numba.core.serialize", "os": os, "time": time}
exec('''
def _numba_unpickle():
    os.write(1, b"READY")
    time.sleep(30)
    os.write(2, b"was not interrupted" + bytes([10]))
''', serialize)
serialize["_numba_unpickle"]()
""")
    status, errors = interrupted(["match", f"{tmp_path}/policy.py:act", "random"], 0.1, b"READY")
    assert (status, errors) == (130, "othello-env: interrupted\n")


MOMENTS = {
    "a policy is imported": "say(); time.sleep(600)",
    "a policy answers": "",
    "the process ends": """
import atexit
atexit.register(lambda: (say(), time.sleep(600)))
raise ValueError("no policy")
""",
    "a thread is waited for": """
import threading
def work():
    threading.main_thread().join(1)
    say()
    time.sleep(600)
threading.Thread(target=work).start()
raise ValueError("no policy")
""",
    "a destructor runs": """
class Slow:
    def __del__(self):
        say()
        time.sleep(3)
x = Slow()
del x
time.sleep(600)
""",
    "a callback of C runs that is needed": """
import ctypes
done = []
def slow():
    say()
    time.sleep(3)
    done.append(True)
    return 0
ctypes.CFUNCTYPE(ctypes.c_int)(slow)()
done[0]
""",
    "something is half made": """
class Half:
    def __init__(self):
        say()
        time.sleep(600)
        self.made = True
    def __del__(self):
        del self.made
Half()
""",
    "a callback of C runs": """
import ctypes
def slow():
    say()
    time.sleep(3)
    return 0
ctypes.CFUNCTYPE(ctypes.c_int)(slow)()
time.sleep(600)
""",
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_while(tmp_path, moment):
    (tmp_path / "policy.py").write_text(f"""
import os, sys, time
def say():
    os.write(1, b"READY")
{MOMENTS[moment]}
def act(observations, masks):
    say()
    time.sleep(600)
""")
    status, errors = interrupted(["match", f"{tmp_path}/policy.py:act", "random"], 0.2, b"READY")
    lines = errors.splitlines()
    if "raise ValueError" in MOMENTS[moment]:
        assert lines.pop(0) == "othello-env: no policy"
    assert status == 130
    assert lines in ([], ["othello-env: interrupted"])


def test_at_a_prompt():
    assert_quiet(*interrupted(["play", "--black", "human", "--white", "random"], 0.2, b"black to move> "))


def test_the_end_of_the_input_is_no_interrupt():
    done = subprocess.run(
        [sys.executable, "-c", START, "play", "--black", "human", "--white", "random"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("you left the game\n")
    assert done.stderr == ""


def test_an_interrupt_that_is_ignored_stays_so():
    """A shell lets its background processes ignore interrupts. The command must not change this."""
    start = START.replace("signal.default_int_handler", "signal.SIG_IGN")
    command = [sys.executable, "-c", start, "--version"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, b"")
    assert out.startswith(b"othello-env, version")
