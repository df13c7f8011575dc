"""The batches of the toy games: a loop of single environments, and self-play by the rules.

The kernels run as plain Python, in another process: to compile them takes half a minute, and no cache keeps them.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from othello_env import sample_legal
from othello_env.envs import GameEnv, GameVectorEnv
from othello_env.support.imports import import_object

TOYS = Path(__file__).parent


def compare_with_single_environments(game, opponent, reward, mode):
    n, arguments = 6, {"opponent": opponent, "reward": reward}
    env = GameVectorEnv(game, n, autoreset_mode=mode, **arguments)
    twin = SyncVectorEnv([lambda: GameEnv(game, **arguments)] * n, autoreset_mode=mode)
    rng, ends = np.random.default_rng(0), 0
    (found, _), (expected, _) = env.reset(seed=3), twin.reset(seed=3)
    for _ in range(30):
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name])
        actions = sample_legal(found["action_mask"], rng)
        actions[rng.random(n) < 0.03] = 2
        found, rewards, terminated, _, info = env.step(actions)
        expected, rewards2, terminated2, _, info2 = twin.step(actions)
        np.testing.assert_array_equal(rewards, rewards2)
        np.testing.assert_array_equal(terminated, terminated2)
        for key in ("winner", "discs"):
            np.testing.assert_array_equal(info[key], info2[key])
            if "final_info" in info:
                np.testing.assert_array_equal(info["final_info"][key], info2["final_info"][key])
        for i in np.flatnonzero(terminated):
            assert type(env.final_position(i)) is env.game.definition.state
        ends += terminated.sum()
        if mode == AutoresetMode.DISABLED and terminated.any():
            found, _ = env.reset(options={"reset_mask": terminated.copy()})
            expected, _ = twin.reset(options={"reset_mask": terminated.copy()})
    assert ends > 6


def check_self_play(game):
    env = GameVectorEnv(game, 4, opponent=None)
    found, _ = env.reset(seed=1)
    rng, states, ends = np.random.default_rng(1), [env.position(i) for i in range(4)], 0
    for _ in range(70):
        actions = sample_legal(found["action_mask"], rng)
        found, rewards, terminated, _, _ = env.step(actions)
        for i, before in enumerate(states):
            after = before.play(int(actions[i]))
            assert terminated[i] == after.is_over
            assert rewards[i] == after.returns()[before.to_move]
            assert (env.final_position(i) if after.is_over else env.position(i)) == after
        states, ends = [env.position(i) for i in range(4)], ends + terminated.sum()
    assert ends > 2


def check():
    for name, kind in (("nim", "Nim"), ("fewest", "Fewest"), ("nomidflip", "NoMidFlip")):
        import_object(f"{TOYS}/{name}.py:{kind}")
    for mode in AutoresetMode:
        compare_with_single_environments("nim", "alphabeta:depth=2,epsilon=0.3", "result", mode)
    opponent = "alphabeta:depth=2,eval=count,epsilon=0.3"
    compare_with_single_environments("fewest:size=4", opponent, "margin", AutoresetMode.SAME_STEP)
    for game in ("nim", "fewest:size=4", "nomidflip"):
        check_self_play(game)


def test_the_batches():
    done = subprocess.run(
        [sys.executable, "-c", "import test_batches; test_batches.check()"],
        cwd=TOYS,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
