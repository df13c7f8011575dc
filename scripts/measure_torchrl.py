"""Measure how many plies a second TorchRL collects, in the package's own environment and in TorchRL's generic wrapper.

    python scripts/measure_torchrl.py
    python scripts/measure_torchrl.py --games 64 256 1024

All games are on 8x8. The policy plays both sides, in one thread. The policy "random" chooses random legal actions, so
it shows what the environment and TorchRL's loop cost. The policy "actor" is the untrained network of
``scripts/train_torchrl.py``. A rollout has 64 steps, and continues the games of the rollout before. All speeds are
compared with the speed of the same batch of games without TorchRL, with random actions.
"""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # TorchRL gives warnings when it is imported
    try:
        import torch
        from torchrl.envs import ActionMask, EnvBase, GymWrapper, TransformedEnv
    except ImportError as error:
        sys.exit(f"{error}: pip install 'othello-env[torchrl]'")

import gymnasium
from _arguments import parse, whole
from _measure import Windows, Work, machine, report, timed
from train_torchrl import Learner

from othello_env import make_vec_env, sample_legal
from othello_env.envs import TorchRLEnv

STEPS = 64


@dataclass(frozen=True)
class Arguments(Windows):
    """The command's arguments."""

    games: tuple[int, ...] = whole((64, 1024), "games played at once", nargs="+")


def generic(games: int) -> EnvBase:
    """A batch of games in TorchRL's generic wrapper. The transform `ActionMask` limits random actions to legal ones."""
    env = gymnasium.make_vec("othello_env/Othello-v0", num_envs=games, opponent=None, autoreset_mode="Disabled")
    return TransformedEnv(GymWrapper(env, categorical_action_encoding=True), ActionMask())


def random_policy() -> Callable[[Any], Any]:
    """A policy for TorchRL that chooses random legal actions."""
    rng = np.random.default_rng(1)

    def policy(tensordict: Any) -> Any:
        masks = tensordict["action_mask"].numpy().view(np.int8)
        return tensordict.set("action", torch.from_numpy(sample_legal(masks, rng)))

    return policy


def actor(games: int) -> Callable[[Any], Any]:
    """The actor of ``scripts/train_torchrl.py``. It accepts masks of any dtype."""
    play = Learner(TorchRLEnv(games, opponent=None), 8).actor

    def policy(tensordict: Any) -> Any:
        masks = tensordict["action_mask"]
        if masks.dtype != torch.bool:  # the masks of the generic wrapper are integers
            tensordict = tensordict.copy().set("action_mask", masks.bool())
        return play(tensordict).select("action", "logits", "action_log_prob")

    return policy


def collecting(env: EnvBase, policy: Callable[[Any], Any]) -> Work:
    """A function that collects a rollout. A unit of work is a ply."""
    begin = env.reset()

    def run() -> int:
        nonlocal begin
        with torch.no_grad():
            played = env.rollout(
                STEPS, policy, break_when_any_done=False, auto_reset=False, tensordict=begin, trust_policy=True
            )
        begin = played["next"][:, -1].exclude("reward")
        return int(played.numel())

    return timed(run)


def plain(games: int) -> Work:
    """A function that plays the batch of games without TorchRL. A unit of work is a ply."""
    env, rng = make_vec_env(games, opponent=None), np.random.default_rng(1)
    seen = env.reset(seed=1)[0]

    def run() -> int:
        nonlocal seen
        for _ in range(STEPS):
            seen = env.step(sample_legal(seen["action_mask"], rng))[0]
        return STEPS * games

    return timed(run)


def main() -> None:
    args = parse(__doc__, Arguments)
    torch.set_num_threads(1)
    print(machine(("numpy", "torch", "torchrl", "tensordict")))
    for games in args.games:
        yardstick = plain(games)
        bench = args.bench(yardstick)
        report(f"{games} games, without TorchRL", bench.measure(yardstick))
        for title, policy in (("random", random_policy()), ("actor", actor(games))):
            figures = {
                name: report(f"{games} games, {title}, {name}", bench.measure(collecting(make(games), policy)))
                for name, make in (
                    ("TorchRLEnv", lambda n: TorchRLEnv(n, opponent=None)),
                    ("GymWrapper", generic),
                )
            }
            print(f"    TorchRLEnv: {figures['TorchRLEnv'].ratio / figures['GymWrapper'].ratio:.2f} times the plies")


if __name__ == "__main__":
    main()
