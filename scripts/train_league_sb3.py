"""Train MaskablePPO of Stable-Baselines3 against a league: fixed opponents and its own past selves.

    python scripts/train_league_sb3.py --steps 500000 --out runs/sb3-league
    othello-env league runs/sb3-league --games 40 --matrix runs/matrix.png

The script needs ``pip install 'othello-env[sb3,onnx]' onnx``. The learner plays against fixed opponents and its own
snapshots (copies of its earlier policies). Prioritised fictitious self-play chooses the opponents by the learner's
results against them (see `othello_env.league`). A snapshot is an ONNX file, which every command can load as an agent.
The folder ``--out`` holds the league and the last policy, ``newest.onnx``. Ctrl-C ends the training and keeps the
league and the policy.
"""

import contextlib
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback

    from othello_env.envs.sb3 import OthelloVecEnv
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[sb3,onnx]' onnx")

from _arguments import one_of, parse, path, whole
from _recipe import LADDER, SHORT_OPENINGS, SIZES, mistakes, new_output, score
from train_sb3 import as_policy, make_model

from othello_env.league import League
from othello_env.league.matches import take_matches
from othello_env.support.jit import interruptible


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    out: Path = path("a new folder for the league and the policy")
    steps: int = whole(500_000, "number of the learner's moves")
    games: int = whole(64, "games played at once")
    size: int = one_of(8, "size of the board: 4, 6 or 8", SIZES)
    every: int = whole(10, "number of rollouts between two snapshots")
    keep: int = whole(50, "the greatest number of snapshots in the league")
    seed: int = whole(1, "the seed of everything random", least=0, most=2**32 - 1)


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

    def _on_rollout_start(self) -> None:
        if self.rollouts % self.every == 0:
            export(self.model, self.newest)
            self.league.add(f"{self.newest}:temperature=1", played=self.num_timesteps)
            take_matches(self.league, self.newest.parent)  # adds the matches that `othello-env league` has played
            self.league.save(self.newest.parent)  # if the run is killed later, everything up to this snapshot is kept
        self.training_env.env.set_opponents(self.league.opponents())
        self.rollouts += 1

    def _on_step(self) -> bool:
        for i in np.flatnonzero(self.locals["dones"]):
            info = self.locals["infos"][i]
            if info["opponent"] in self.league:
                self.league.record_game(info["opponent"], (1 + np.sign(info["episode"]["r"])) / 2)
        return True


def main(arguments: list[str] | None = None) -> League:
    args = parse(__doc__, Arguments, arguments)
    with mistakes():
        new_output(args.out)
        env = OthelloVecEnv(args.games, size=args.size, openings=SHORT_OPENINGS[args.size])
        league = League(LADDER[1:], fixed_share=0.5, keep=args.keep, seed=args.seed)
        league.save(args.out)
    model = make_model(env, args.seed)
    newest = args.out / "newest.onnx"
    with contextlib.suppress(KeyboardInterrupt), interruptible():
        model.learn(args.steps, callback=Rollouts(league, args.every, newest))
    export(model, newest)
    league.add(f"{newest}:temperature=1", played=model.num_timesteps)
    take_matches(league, args.out)
    league.save(args.out)
    for opponent in LADDER:
        print(f"{opponent}: {score(as_policy(model), opponent, args.size):.3f}")
    return league


if __name__ == "__main__":
    main()
