"""Measure how many plies a second TorchRL collects, in the package's own environment and in TorchRL's generic wrapper.

    python scripts/measure/torchrl_env.py
    python scripts/measure/torchrl_env.py --games 64 256 1024

All games are on 8x8. The policy plays both sides, in one thread. The policy "random" chooses random legal actions, so
it shows what the environment and TorchRL's loop cost. The policy "actor" is an untrained network
of two hidden layers of 256. A rollout has 64 steps, and continues the games of the rollout before. All speeds are
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
        from tensordict.nn import TensorDictModule
        from torch import nn
        from torchrl.envs import ActionMask, EnvBase, GymWrapper, TransformedEnv
        from torchrl.modules import MaskedCategorical, ProbabilisticActor
    except ImportError as error:
        sys.exit(f"{error}: pip install 'othello-env[torchrl]'")

import gymnasium
import tyro
from _bench import Bench, Work, machine, timed

from othello_env import make_vec_env, sample_legal
from othello_env.envs import TorchRLEnv

STEPS = 64


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    games: tuple[int, ...] = (64, 1024)  # games played at once
    seconds: float = 1.0  # seconds of work in each window
    windows: int = 5  # windows for each figure


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


class Network(nn.Sequential):
    """Scores of the actions, from the planes of positions."""

    def __init__(self) -> None:
        super().__init__(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 65))

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return super().forward(observation.flatten(-3).float())


def actor() -> Callable[[Any], Any]:
    """A network that draws legal actions. It accepts masks of any dtype."""
    play = ProbabilisticActor(
        TensorDictModule(Network(), ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )

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


def main(args: Args) -> None:
    torch.set_num_threads(1)
    print(machine(("numpy", "torch", "torchrl", "tensordict")))
    for games in args.games:
        yardstick = plain(games)
        bench = Bench(yardstick, args.windows, args.seconds)
        bench.report(f"{games} games, without TorchRL", yardstick)
        for title, policy in (("random", random_policy()), ("actor", actor())):
            ours = collecting(TorchRLEnv(games, opponent=None), policy)
            own = bench.report(f"{games} games, {title}, TorchRLEnv", ours)
            theirs = bench.report(f"{games} games, {title}, GymWrapper", collecting(generic(games), policy))
            print(f"    TorchRLEnv: {own.ratio / theirs.ratio:.2f} times the plies")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
