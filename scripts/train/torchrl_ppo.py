"""Train with TorchRL's PPO on a batch of games (``pip install 'othello-env[torchrl]'``).

    python scripts/train/torchrl_ppo.py --iterations 200 --out runs/torchrl.pt
    python scripts/train/torchrl_ppo.py --size 6 --opponent maximizer:eval=weighted --out runs/small.pt
    python scripts/train/torchrl_ppo.py --self-play --iterations 200 --out runs/both.pt

The environment is `othello_env.envs.TorchRLEnv`, which plays a whole batch of games in TorchRL's interface. With
``--self-play`` the policy plays both sides, and `SelfPlayGAE` computes the advantages of each side from its own turns.
Without this option, the policy plays against ``--opponent``, and TorchRL's own `GAE` computes the advantages. Ctrl-C
ends the training and keeps what was learned. TensorBoard's events are in a folder beside the weights.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

try:
    import torch
    import tyro
    from tensordict.nn import TensorDictModule
    from torch import nn
    from torch.utils.tensorboard import SummaryWriter
    from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torchrl]'")

from othello_env import play_match
from othello_env.envs import SelfPlayGAE, TorchRLEnv

PLAYER = """To let the policy play, write these lines into a file policy.py:

    import sys
    sys.path.append("{recipes}")
    import torchrl_ppo
    best = torchrl_ppo.load("{out}", size={size})

Then run: othello-env match policy.py:best {opponent} --game othello:size={size} --openings random:{plies}"""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    out: Path = Path("runs/torchrl.pt")  # the policy's weights, a new .pt file
    iterations: int = 200  # number of iterations; each has 32 steps of every game, in self-play a whole game
    games: int = 64  # games played at once
    size: Literal[4, 6, 8] = 8  # size of the board
    opponent: str = "random"  # the opponent in training and in the matches, as a spec
    self_play: bool = False  # train by self-play; the opponent then plays only in the matches
    seed: int = 1  # the seed of everything random


class Planes(nn.Module):
    """A network of dense layers. Its input is the board's planes (..., 2, S, S)."""

    def __init__(self, size: int, outputs: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2 * size * size, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, outputs)
        )

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return self.layers(observation.flatten(-3).float())


class Learner:
    """The actor, the critic and the optimiser, and how they learn."""

    def __init__(
        self, env: TorchRLEnv, size: int, steps: int | None = None, rate: float = 1e-3, minibatch: int = 256
    ) -> None:
        is_self_play = "to_move" in env.observation_spec.keys()  # noqa: SIM118 - a spec is no dict
        # Each iteration begins new games, so it must reach their ends. In self-play, a step is a ply of either side.
        self.steps = steps or (max(32, size * size) if is_self_play else 32)
        self.env, self.size, self.minibatch = env, size, minibatch
        self.scores = Planes(size, size * size + 1)
        self.actor = ProbabilisticActor(
            TensorDictModule(self.scores, ["observation"], ["logits"]),
            in_keys={"logits": "logits", "mask": "action_mask"},
            distribution_class=MaskedCategorical,
            return_log_prob=True,
        )
        critic = ValueOperator(Planes(size, 1), in_keys=["observation"])
        self.advantage = (SelfPlayGAE if is_self_play else GAE)(gamma=1.0, lmbda=0.95, value_network=critic)
        self.loss = ClipPPOLoss(self.actor, critic, entropy_coeff=0.01, normalize_advantage=True)
        self.optimizer = torch.optim.Adam(self.loss.parameters(), rate)
        self.losses: dict[str, float] = {}  # those of the last minibatch

    def iterate(self) -> Any:
        """Play T steps of N new games, learn from these steps, and return them as a TensorDict (N, T)."""
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
        self.losses = {name: losses[f"loss_{name}"].item() for name in ("objective", "critic", "entropy")}
        return played

    def score(self, opponent: str) -> float:
        """The score, from 0 to 1, in 200 games against an opponent."""
        openings = f"random:{self.size**2 // 8}"
        policy = as_policy(self.scores)
        return play_match(policy, opponent, openings=openings, game=f"othello:size={self.size}").score


def as_policy(scores: Planes) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The agent as a function of observations (N, 2, S, S) and masks (N, A). It returns the best legal actions (N,)."""

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.where(masks, scores(torch.from_numpy(observations)).numpy(), -np.inf).argmax(axis=1)

    return policy


def load(path: str | Path, size: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Load the agent that was saved in a file."""
    scores = Planes(size, size * size + 1)
    scores.load_state_dict(torch.load(path, weights_only=True))
    return as_policy(scores)


def main(args: Args) -> None:
    if args.out.exists():
        sys.exit(f"--out: expected a new file, got {args.out}")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    env = TorchRLEnv(args.games, size=args.size, opponent=None if args.self_play else args.opponent)
    env.set_seed(args.seed)
    learner = Learner(env, args.size)
    writer = SummaryWriter(args.out.with_suffix(""))
    try:
        for iteration in range(1, args.iterations + 1):
            learner.iterate()
            for name, loss in learner.losses.items():
                writer.add_scalar(f"losses/{name}", loss, iteration)
            if iteration % 20 == 0 or iteration == args.iterations:
                score = learner.score(args.opponent)
                writer.add_scalar(f"scores/{args.opponent}", score, iteration)
                print(iteration, f"score against {args.opponent}: {score:.3f}", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    writer.close()
    torch.save(learner.scores.state_dict(), args.out)
    player = PLAYER.format(recipes=Path(__file__).parent, plies=args.size**2 // 8, **vars(args))
    print(f"\n{args.out} has the weights. {player}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
