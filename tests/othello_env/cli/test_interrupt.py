"""Ctrl-C ends the command with status 130 and one line, and what was done is kept."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.slow

# Background jobs of a shell ignore interrupts. With this handler, the commands always receive interrupts.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
COMMAND = [sys.executable, "-c", f"{START}; from othello_env.cli import main; main()"]

# The policy says on stdout that 500 answers were given: a hundred games are over by then.
POLICY = """
import numpy as np, pathlib
calls = 0
def first(observations, masks):
    global calls
    calls += 1
    if calls == 500:
        pathlib.Path("ready").touch()
    return np.argmax(masks, axis=1)
"""


def interrupted(arguments, folder, ready):
    """Interrupt a command when it has made the file `ready`. Return its status, output and errors."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, *arguments], text=True, cwd=folder, **pipes) as process:
        while not (folder / ready).exists():
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=120)
    return process.returncode, out, errors


def test_games_that_were_played_are_shown(tmp_path):
    (tmp_path / "policy.py").write_text(POLICY)
    status, out, errors = interrupted(["match", "policy.py:first", "random", "--games", "1000000"], tmp_path, "ready")
    assert status == 130
    assert errors.splitlines()[-1] == "othello-env: interrupted"
    assert out.startswith("policy.py:first")
    games = re.search(r" (\d+) games", out)
    assert games is not None
    assert int(games[1]) >= 20


def test_while_the_command_is_imported():
    code = """
import sys, othello_env.__main__
class Interrupt:
    def find_spec(self, name, *_):
        if name == "othello_env.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
othello_env.__main__.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "othello-env: interrupted\n")


@pytest.mark.parametrize("in_a_kernel", [False, True])
def test_before_a_game_is_over(run, monkeypatch, in_a_kernel):
    """If Ctrl-C is pressed while a kernel runs, Numba raises a SystemError."""

    def interrupt(*_, **__):
        if in_a_kernel:
            raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
        raise KeyboardInterrupt

    monkeypatch.setattr("othello_env.cli.match.play_match", interrupt)
    status, out, errors = run("match", "random", "random")
    assert (status, errors) == (130, "othello-env: interrupted\n")
    assert in_a_kernel or out == "no pair of games was finished\n"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_at_a_prompt():
    command = [*COMMAND, "play", "--black", "human", "--white", "random"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        out = b""
        while b"black to move> " not in out:
            out += process.stdout.read1()
            assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors.splitlines()[-1]) == (130, b"othello-env: interrupted")


@pytest.mark.skipif(sys.platform == "win32", reason="a process on Windows cannot see it")
def test_output_that_nobody_reads_ends_the_command_quietly():
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, "match", "random", "random", "--games", "2"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (2, "")
