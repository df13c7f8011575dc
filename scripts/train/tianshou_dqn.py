"""Train Black against random play with Tianshou 2's DQN on the PettingZoo environment.

    pip install othello-env "tianshou>=2" tyro
    python scripts/train/tianshou_dqn.py --epochs 20 --out runs/tianshou.pt

Tianshou's `PettingZooEnv` uses the environment without changes and reads the masks. In the replay buffer, the
observation after a move belongs to the other side. So the learner must not bootstrap from the value of this
observation. Therefore the horizon of the n-step returns is longer than any game: each return sums all rewards to the
end of the game. Ctrl-C ends the training and keeps what was learned.
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
    from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.trainer import OffPolicyTrainerParams
    from tianshou.utils.net.common import Net
except ImportError as error:
    sys.exit(f"{error}: pip install othello-env 'tianshou>=2' tyro")

from othello_env import othello_v0

PLAYER = """To let the network play, write these lines into a file policy.py:

    import sys
    sys.path.append("{recipes}")
    import tianshou_dqn
    best = tianshou_dqn.load("{out}", size={size})

Then run: othello-env match policy.py:best random --game othello:size={size} --openings random:{plies}"""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    out: Path = Path("runs/tianshou.pt")  # the network's weights, a new .pt file
    epochs: int = 20  # number of epochs; each has 2000 steps
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random


def make_net(size: int) -> Net:
    """A network that computes the values of all actions for observations (N, 2, size, size)."""
    return Net(state_shape=(2, size, size), action_shape=size * size + 1, hidden_sizes=[256, 256])


def load(path: str | Path, size: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Load an agent: a function of observations (N, 2, S, S) and masks (N, A) that returns actions (N,)."""
    net = make_net(size)
    net.load_state_dict(torch.load(path, weights_only=True))

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.where(masks, net(observations)[0].numpy(), -np.inf).argmax(axis=1)

    return policy


class Learner:
    """Black's network, its opponent, and the games that they play."""

    def __init__(self, size: int = 8, games: int = 16, seed: int = 1, *, strict: bool = False) -> None:
        def make() -> PettingZooEnv:
            return PettingZooEnv(othello_v0.env(size=size, strict=strict))

        np.random.seed(seed)  # noqa: NPY002 - Tianshou explores with the global random state
        torch.manual_seed(seed)
        first = make()
        self.policy = DiscreteQLearningPolicy(model=make_net(size), action_space=first.action_space, eps_training=0.1)
        black = DQN(
            policy=self.policy,
            optim=AdamOptimizerFactory(lr=1e-3),
            gamma=1.0,
            n_step_return_horizon=2 * size * size,
            is_double=False,
        )
        white = MARLRandomDiscreteMaskedOffPolicyAlgorithm(first.action_space)
        self.algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[black, white], env=first)
        self.environments = DummyVectorEnv([make for _ in range(games)])
        self.environments.seed(list(range(seed, seed + games)))
        buffer = VectorReplayBuffer(1000 * games, games)
        self.collector = Collector(self.algorithm, self.environments, buffer, exploration_noise=True)
        self.collector.reset()

    def score(self, games: int = 200) -> float:
        """Black's score, from 0 to 1, in games without exploration."""
        tests = Collector(self.algorithm, self.environments)
        tests.reset()
        returns = np.asarray(tests.collect(n_episode=games).returns)
        return float((returns[:, 0].mean() + 1) / 2)

    def train(self, epochs: int, steps: int = 2000) -> Any:
        """Play and learn for some epochs. An epoch has `steps` steps, including the opponent's steps."""
        return self.algorithm.run_training(
            OffPolicyTrainerParams(
                training_collector=self.collector,
                max_epochs=epochs,
                epoch_num_steps=steps,
                collection_step_num_env_steps=160,
                update_step_num_gradient_steps_per_sample=0.2,
                batch_size=128,
                multi_agent_return_reduction=lambda returns: returns[:, 0],
                verbose=False,
                show_progress=False,
            )
        )


def main(args: Args) -> None:
    if args.out.exists():
        sys.exit(f"--out: expected a new file, got {args.out}")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    learner = Learner(args.size, seed=args.seed)
    print(f"Black's score against random before the training: {learner.score():.3f}")
    try:
        learner.train(args.epochs)
    except KeyboardInterrupt:
        print("interrupted")
    torch.save(learner.policy.model.state_dict(), args.out)
    print(f"after the training: {learner.score():.3f}")
    player = PLAYER.format(recipes=Path(__file__).parent, plies=args.size**2 // 8, **vars(args))
    print(f"\n{args.out} has the weights. {player}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
