"""Train with Stable-Baselines3's MaskablePPO against an opponent (``pip install 'othello-env[sb3]'``).

    python scripts/train_sb3.py --steps 500000 --out runs/sb3.zip
    python scripts/train_sb3.py --size 6 --opponent maximizer:eval=weighted --steps 200000 --out runs/small.zip

Stable-Baselines3 has its own interface for vector environments. `othello_env.envs.OthelloVecEnv` is the compiled vector
environment with this interface. The environment with one game, ``gymnasium.make("othello_env/Othello-v0")``, works in
Stable-Baselines3 without changes. The model is saved in Stable-Baselines3's own format. Such a file may hold pickled
objects: load only files that you trust. Ctrl-C ends the training and keeps what was learned.

To let the model play, write these lines into a file ``policy.py``:

    import train_sb3
    best = train_sb3.as_policy(train_sb3.MaskablePPO.load("runs/sb3.zip"))

Then run ``PYTHONPATH=scripts othello-env match policy.py:best random``.
"""

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    from sb3_contrib import MaskablePPO

    from othello_env.envs.sb3 import OthelloVecEnv
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[sb3]'")

from _arguments import one_of, parse, path, text, whole
from _recipe import SIZES, Policy, mistakes, new_output, score

from othello_env.support.jit import interruptible


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    out: Path = path("the model, a .zip file", suffix=".zip")
    steps: int = whole(500_000, "number of the learner's moves")
    games: int = whole(64, "games played at once")
    size: int = one_of(8, "size of the board: 4, 6 or 8", SIZES)
    opponent: str = text("random", "the opponent, as a spec")
    seed: int = whole(1, "the seed of everything random", least=0, most=2**32 - 1)


def make_model(env: Any, seed: int, **settings: Any) -> MaskablePPO:
    """Make a MaskablePPO. Its settings suit a game whose only reward comes at the end."""
    chosen: dict[str, Any] = {"n_steps": 64, "batch_size": 512, "n_epochs": 4, "gamma": 1.0, "ent_coef": 0.01}
    policy = {"net_arch": [256, 256]}
    return MaskablePPO("MultiInputPolicy", env, seed=seed, policy_kwargs=policy, device="cpu", **(chosen | settings))


def as_policy(model: MaskablePPO) -> Policy:
    """The agent as a function of observations and masks. The function returns the model's likeliest actions."""

    def policy(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        seen = {"observation": observations, "action_mask": masks}
        return model.predict(seen, deterministic=True, action_masks=masks)[0]

    return policy


def main() -> None:
    args = parse(__doc__, Arguments)
    with mistakes():
        new_output(args.out)
        env = OthelloVecEnv(args.games, size=args.size, opponent=args.opponent)
    model = make_model(env, args.seed, verbose=1)
    with contextlib.suppress(KeyboardInterrupt), interruptible():
        model.learn(args.steps, log_interval=10)
    model.save(args.out)
    for opponent in dict.fromkeys(("random", "maximizer:eval=weighted", args.opponent)):
        print(f"{opponent}: {score(as_policy(model), opponent, args.size):.3f}")


if __name__ == "__main__":
    main()
