"""A command prints one line on stderr if no kernel (compiled function) is in the cache yet."""

import os
import subprocess
import sys

import pytest

LINE = "othello-env: compiling for first use; this takes up to half a minute, once\n"
PLAY = ("play", "--black", "random", "--white", "random", "--game", "othello:size=4")


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_one_line_from_a_cold_cache_and_none_from_a_warm_one(tmp_path):
    def errors(*arguments):
        command = [sys.executable, "-m", "othello_env", *arguments]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    assert errors(*PLAY) == (0, LINE)
    assert errors(*PLAY) == (0, "")
