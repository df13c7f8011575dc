"""Train MaskablePPO of Stable-Baselines3 against a league: fixed opponents and its own past selves.

    python scripts/train/league_sb3.py --steps 500000 --out runs/sb3-league
    othello-env league runs/sb3-league --games 40 --matrix runs/matrix.png

The script needs ``pip install 'othello-env[sb3,onnx]' onnx``. The learner plays against fixed opponents and its
own snapshots (copies of its earlier policies). Prioritised fictitious self-play chooses the opponents by the learner's
results against them (see `othello_env.league`). A snapshot is an ONNX file, which every command can load as an agent.
The folder ``--out`` holds the league, the last policy, ``newest.onnx``, and TensorBoard's events. Ctrl-C ends the
training and keeps the league and the policy.
"""

import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

try:
    import torch
    import tyro
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback

    from othello_env.envs import OthelloVecEnv
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[sb3,onnx]' onnx")

from othello_env import play_match
from othello_env.league import League

FIXED = ("maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted")


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    out: Path = Path("runs/sb3-league")  # a new folder for the league and the policy
    steps: int = 500_000  # number of the learner's moves
    games: int = 64  # games played at once
    size: Literal[4, 6, 8] = 8  # size of the board
    every: int = 10  # number of rollouts between two snapshots
    keep: int = 50  # the greatest number of snapshots in the league
    seed: int = 1  # the seed of everything random
    threads: int = torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1  # PyTorch's, on a CPU


class Actor(torch.nn.Module):
    """The part of a policy that computes logits of the actions from observations and masks."""

    def __init__(self, policy: torch.nn.Module) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
        seen = {"observation": observation, "action_mask": action_mask}
        features = self.policy.extract_features(seen, self.policy.pi_features_extractor)
        return self.policy.action_net(self.policy.mlp_extractor.forward_actor(features))


def export(model: MaskablePPO, out: Path) -> None:
    """Write the policy as an ONNX file."""
    spaces = model.observation_space.spaces
    names = ["observation", "action_mask"]
    example = tuple(torch.zeros((1, *spaces[name].shape), dtype=torch.int8) for name in names)
    axes = {name: {0: "n"} for name in (*names, "logits")}
    options = {"input_names": names, "output_names": ["logits"], "dynamic_axes": axes}
    # PyTorch calls this exporter deprecated, but PyTorch's newer exporter needs more packages.
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        torch.onnx.export(Actor(model.policy), example, str(out), dynamo=False, **options)


class Rollouts(BaseCallback):
    """Draws the opponents of each rollout, records the results of games, and adds snapshots to the league."""

    def __init__(self, league: League, every: int, newest: Path) -> None:
        super().__init__()
        self.league, self.every, self.newest, self.rollouts = league, every, newest, 0

    def keep_snapshot(self) -> None:
        """Add the policy to the league. The files then hold everything up to here."""
        export(self.model, self.newest)
        self.league.add(f"{self.newest}:temperature=1", played=self.model.num_timesteps)
        self.league.save(self.newest.parent)

    def _on_rollout_start(self) -> None:
        if self.rollouts % self.every == 0:
            self.keep_snapshot()
        self.training_env.env.set_opponents(self.league.opponents())
        self.rollouts += 1

    def _on_step(self) -> bool:
        for i in np.flatnonzero(self.locals["dones"]):
            info = self.locals["infos"][i]
            if info["opponent"] in self.league:
                self.league.record_game(info["opponent"], (1 + np.sign(info["episode"]["r"])) / 2)
        return True


def main(args: Args) -> None:
    if args.out.exists():
        sys.exit(f"--out: expected a new folder, got {args.out}")
    torch.set_num_threads(args.threads)
    print(f"MaskablePPO with a league on {args.size}x{args.size}, {args.steps:,} moves", flush=True)
    short = f"random:{args.size**2 // 8}"  # openings
    env = OthelloVecEnv(args.games, size=args.size, openings=short)
    league = League(FIXED, fixed_share=0.5, keep=args.keep, seed=args.seed)
    league.save(args.out)
    model = MaskablePPO(
        *("MultiInputPolicy", env),
        n_steps=64,
        batch_size=512,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256]},
        seed=args.seed,
        device="cpu",
        tensorboard_log=str(args.out),
        verbose=1,
    )
    newest = args.out / "newest.onnx"
    rollouts = Rollouts(league, args.every, newest)
    try:
        model.learn(args.steps, callback=rollouts, log_interval=10)
    except KeyboardInterrupt:
        rollouts.init_callback(model)
        print("interrupted")
    rollouts.keep_snapshot()
    for opponent in ("random", *FIXED):
        result = play_match(str(newest), opponent, openings=short, game=f"othello:size={args.size}")
        print(f"score in {result.games} games against {opponent}: {result.score:.3f}")
    print(f"\n{args.out} has the league, and {newest} the policy. See how the members play each other, or play it:")
    game = f"--game othello:size={args.size} --openings {short}"
    print(f"    othello-env league {args.out} --games 40 {game}")
    print(f"    othello-env match {newest} random {game}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
