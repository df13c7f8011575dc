"""Train with Stable-Baselines3's MaskablePPO against an opponent (``pip install 'othello-env[sb3]'``).

    python scripts/train/sb3.py --steps 500000 --out runs/sb3.zip
    python scripts/train/sb3.py --size 6 --opponent maximizer:eval=weighted --steps 200000 --out runs/small.zip

Stable-Baselines3 has its own interface for vector environments. `othello_env.envs.OthelloVecEnv` is the compiled vector
environment with this interface. The environment with one game, ``gymnasium.make("othello_env/Othello-v0")``, works in
Stable-Baselines3 without changes. The model is saved in Stable-Baselines3's own format. Such a file may hold pickled
objects: load only files that you trust. Ctrl-C ends the training and keeps what was learned. TensorBoard's events are
in a folder beside the model: ``tensorboard --logdir runs``.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

try:
    import torch
    import tyro
    from sb3_contrib import MaskablePPO

    from othello_env.envs import OthelloVecEnv
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[sb3]'")

from othello_env import play_match

PLAYER = """To let the model play, write these lines into a file policy.py:

    from sb3_contrib import MaskablePPO
    model = MaskablePPO.load("{out}", device="cpu")
    def best(observations, masks):
        seen = {{"observation": observations, "action_mask": masks}}
        return model.predict(seen, action_masks=masks, deterministic=True)[0]

Then run: othello-env match policy.py:best {opponent} --game othello:size={size} --openings random:{plies}"""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    out: Path = Path("runs/sb3.zip")  # the model, a new .zip file
    steps: int = 500_000  # number of the learner's moves
    games: int = 64  # games played at once
    size: Literal[4, 6, 8] = 8  # size of the board
    opponent: str = "random"  # the opponent, as a spec
    seed: int = 1  # the seed of everything random
    threads: int = torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1  # PyTorch's, on a CPU


def make_model(env: Any, seed: int, **settings: Any) -> MaskablePPO:
    """Make a MaskablePPO. Its settings suit a game whose only reward comes at the end."""
    chosen: dict[str, Any] = {"n_steps": 64, "batch_size": 512, "n_epochs": 4, "gamma": 1.0, "ent_coef": 0.01}
    policy = {"net_arch": [256, 256]}
    return MaskablePPO("MultiInputPolicy", env, seed=seed, policy_kwargs=policy, device="cpu", **(chosen | settings))


def as_policy(model: MaskablePPO) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The agent as a function of observations (N, 2, S, S) and masks (N, A). It returns the likeliest actions (N,)."""

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen = {"observation": observations, "action_mask": masks}
        return model.predict(seen, deterministic=True, action_masks=masks)[0]

    return policy


def main(args: Args) -> None:
    if args.out.exists() or args.out.suffix != ".zip":
        sys.exit(f"--out: expected a new .zip file, got {args.out}")
    torch.set_num_threads(args.threads)
    env = OthelloVecEnv(args.games, size=args.size, opponent=args.opponent)
    model = make_model(env, args.seed, verbose=1, tensorboard_log=str(args.out.parent))
    try:
        model.learn(args.steps, log_interval=10, tb_log_name=args.out.stem)
    except KeyboardInterrupt:
        print("interrupted")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    model.save(args.out)
    for opponent in dict.fromkeys(("random", "maximizer:eval=weighted", args.opponent)):
        short = f"random:{args.size**2 // 8}"  # openings
        result = play_match(as_policy(model), opponent, openings=short, game=f"othello:size={args.size}")
        print(f"score in {result.games} games against {opponent}: {result.score:.3f}")
    print(f"\n{args.out} has the model. {PLAYER.format(plies=args.size**2 // 8, **vars(args))}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
