"""The batches of the toy games pass the tests of the package's own batches.

The kernels run as plain Python, in another process: to compile them takes half a minute, and no cache keeps them.
"""

import os
import subprocess
import sys
from pathlib import Path

from gymnasium.vector import AutoresetMode

from othello_env.support.imports import import_object

TOYS = Path(__file__).parent
ENVS = TOYS.parent / "othello_env" / "envs"


def check():
    for toy in ("nim.py:Nim", "fewest.py:Fewest", "nomidflip.py:NoMidFlip"):
        import_object(f"{TOYS}/{toy}")
    same = import_object(f"{ENVS}/conftest.py:same")
    against, self_play = (
        import_object(f"{ENVS}/vector/test_vector.py:test_{name}")
        for name in ("against_an_opponent_it_is_a_loop_of_single_environments", "self_play_is_the_rules")
    )
    for mode in AutoresetMode:
        against(mode, "nim", {"opponent": "alphabeta:depth=2,epsilon=0.3"}, same)
    opponent = "maximizer:eval=count,epsilon=0.3"
    against(AutoresetMode.SAME_STEP, "fewest", {"size": 4, "opponent": opponent, "reward": "margin"}, same)
    for game, options in (("nim", {}), ("fewest", {"size": 4}), ("nomidflip", {})):
        self_play(AutoresetMode.SAME_STEP, game, options, None, "result", 0.01, same)


def test_the_batches():
    done = subprocess.run(
        [sys.executable, "-c", "import test_batches; test_batches.check()"],
        cwd=TOYS,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
