"""Train with TorchRL's PPO on the vector environment (``pip install othello-env torchrl``).

    python scripts/train_torchrl.py --iterations 200 --out runs/torchrl.pt
    python scripts/train_torchrl.py --size 6 --opponent maximizer:eval=weighted --iterations 200 --out runs/small.pt

TorchRL takes the vector environment as it is, without automatic resets: it asks for them itself, by `reset_mask`, the
mode that it prefers. (Of the other modes it takes SAME_STEP alone, where torchrl 0.14.1 fails at the final observation
if observations are dicts, in Gymnasium's own `SyncVectorEnv` too.) Its `PettingZooWrapper` takes `othello_v0.env()` as
it is, with `use_mask=True`.

Ctrl-C ends the training and keeps what was learned. A file ``policy.py`` plays it:
``PYTHONPATH=scripts othello-env match policy.py:best random`` of

    import train_torchrl
    best = train_torchrl.load("runs/torchrl.pt", size=8)
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

try:
    import torch
    from tensordict.nn import TensorDictModule, TensorDictSequential
    from torch import nn
    from torchrl.envs import ActionMask, EnvBase, GymWrapper, TransformedEnv
    from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE
except ImportError as error:
    sys.exit(f"{error}: pip install othello-env torchrl")

from _arguments import whole

import othello_env
from othello_env.arena.match import play_match


def make_env(games: int, **arguments: Any) -> EnvBase:
    """Games as TorchRL steps them; the arguments are those of `gymnasium.make_vec`."""
    env = gymnasium.make_vec("othello_env/Othello-v0", num_envs=games, autoreset_mode="Disabled", **arguments)
    return TransformedEnv(GymWrapper(env, categorical_action_encoding=True), ActionMask())


class Planes(nn.Module):
    """Dense layers over the board's planes (..., 2, S, S)."""

    def __init__(self, size: int, outputs: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2 * size * size, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, outputs)
        )

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return self.layers(observation.flatten(-3).float())


class Mask(nn.Module):
    """The mask as the distribution wants it."""

    def forward(self, action_mask: torch.Tensor) -> torch.Tensor:
        return action_mask.bool()


class Learner:
    """Actor, critic and optimiser."""

    def __init__(self, env: EnvBase, size: int, steps: int = 32, rate: float = 1e-3, minibatch: int = 256) -> None:
        self.env, self.size, self.steps, self.minibatch = env, size, steps, minibatch
        self.scores = Planes(size, size * size + 1)
        modules = [
            TensorDictModule(self.scores, ["observation"], ["logits"]),
            TensorDictModule(Mask(), ["action_mask"], ["mask"]),
        ]
        self.actor = ProbabilisticActor(
            TensorDictSequential(*modules),
            in_keys=["logits", "mask"],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
        )
        critic = ValueOperator(Planes(size, 1), in_keys=["observation"])
        self.advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
        self.loss = ClipPPOLoss(self.actor, critic, entropy_coeff=0.01, normalize_advantage=True)
        self.optimizer = torch.optim.Adam(self.loss.parameters(), rate)

    def iterate(self) -> Any:
        """Play some steps of games from new starts, learn from them, and return them, a TensorDict (N, T)."""
        with torch.no_grad():
            played = self.env.rollout(self.steps, self.actor, break_when_any_done=False)
            self.advantage(played)
        flat = played.reshape(-1)
        for _ in range(4):
            for chosen in torch.randperm(len(flat)).split(self.minibatch):
                losses = self.loss(flat[chosen])
                self.optimizer.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                nn.utils.clip_grad_norm_(self.loss.parameters(), 0.5)
                self.optimizer.step()
        return played

    def score(self, opponent: str, games: int = 200) -> float:
        """The score against an opponent."""
        openings = f"random:{self.size**2 // 8}"
        return play_match(
            as_policy(self.scores),
            opponent,
            games=games,
            openings=openings,
            new_game=lambda _: othello_env.Othello(self.size),
        ).score


def as_policy(scores: Planes) -> Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8]], npt.NDArray[np.int64]]:
    """The likeliest actions, as an agent: a function of observations and masks."""

    def policy(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        with torch.no_grad():
            return np.where(masks, scores(torch.from_numpy(observations)).numpy(), -np.inf).argmax(axis=1)

    return policy


def load(path: str, size: int) -> Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8]], npt.NDArray[np.int64]]:
    """What was kept in a file, as an agent."""
    scores = Planes(size, size * size + 1)
    scores.load_state_dict(torch.load(path))
    return as_policy(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the policy's weights, a .pt file")
    parser.add_argument("--iterations", type=whole(1), default=200, help="of games times 32 moves [%(default)s]")
    parser.add_argument("--games", type=whole(1), default=64, help="played at once [%(default)s]")
    parser.add_argument("--size", type=whole(4, 8), default=8, help="of the board: 4, 6 or 8 [%(default)s]")
    parser.add_argument("--opponent", default="random", help="a spec [%(default)s]")
    parser.add_argument("--seed", type=whole(0, 2**32 - 1), default=1, help="of everything random [%(default)s]")
    args = parser.parse_args()
    if args.out.exists() or args.out.is_symlink():
        parser.error(f"--out {args.out} exists; name another file")
    torch.manual_seed(args.seed)
    try:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        env = make_env(args.games, size=args.size, opponent=args.opponent)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    env.set_seed(args.seed)
    learner = Learner(env, args.size)
    try:
        for iteration in range(1, args.iterations + 1):
            learner.iterate()
            if iteration % 20 == 0 or iteration == args.iterations:
                print(iteration, f"{args.opponent}: {learner.score(args.opponent):.3f}", flush=True)
                torch.save(learner.scores.state_dict(), args.out)
    except KeyboardInterrupt:
        torch.save(learner.scores.state_dict(), args.out)


if __name__ == "__main__":
    main()
