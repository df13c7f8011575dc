"""A command prints one line on stderr if it compiles for a long time, but not if it loads code from the cache."""

import os
import subprocess
import sys

import pytest

LINE = "othello-env: compiling for first use; this takes up to half a minute, once\n"
PROGRAM = """
import os
from othello_env.support import compiling
from othello_env.cli import main
compiling._SECONDS = float(os.environ["SECONDS"])
if __name__ == "__main__":
    main()
"""


@pytest.fixture
def command(tmp_path):
    """A function that runs the command with its own cache. Compilation is reported after `seconds`."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")

    def call(seconds, *arguments):
        done = subprocess.run(
            [sys.executable, program, *arguments],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "SECONDS": str(seconds)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    return call


MATCH = ("match", "random", "maximizer:eval=count", "--games", "2")


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_one_line_from_a_cold_cache_and_none_from_a_warm_one(command):
    cold, spoken = command(0, *MATCH)
    assert spoken == LINE
    assert command(0, *MATCH) == (cold, "")


def test_nothing_if_compilation_is_short(command):
    assert command(1000, *MATCH)[1] == ""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_workers_report_compilation_through_their_owner_once(command):
    arguments = ("tournament", "random", "maximizer:eval=count", "--games", "4", "--workers", "2")
    assert command(0, *arguments)[1].count(LINE) == 1
    assert command(0, *arguments)[1].count(LINE) == 0
