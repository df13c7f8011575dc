"""Train a network with DQN (Mnih et al., 2015) against an opponent (``pip install 'othello-env[torch]'``).

    python scripts/train/dqn.py
    python scripts/train/dqn.py --opponent maximizer:eval=weighted --steps 200000 --out runs/dqn2.safetensors

This is the shortest recipe: one environment, one small network, two minutes. Three things are easy to get wrong, and
their lines are marked: the observations are int8, the next state has its own legal actions, and an end has no next.
TensorBoard's events are in a folder beside the agent: ``tensorboard --logdir runs``.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import gymnasium
import numpy as np

try:
    import torch
    import tyro
    from torch import nn
    from torch.utils.tensorboard import SummaryWriter
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

from othello_agents.network import NeuralAgent, TorchNetwork, load_network
from othello_env import play_match


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/dqn.safetensors")  # the file of the agent
    init: str = ""  # the agent of an earlier run, to begin with; the default is random weights
    opponent: str = "random"  # the opponent, any agent's spec
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    steps: int = 60_000  # moves of the learner
    explore: float = 0.05  # the share of random moves in the second half; in the first half it falls from 1
    newest: int = 20_000  # learn from this number of newest moves
    batch: int = 128  # moves in one change of the weights, after every fourth move
    rate: float = 1e-3  # the learning rate of Adam


class Network(nn.Module):
    """From boards (N, 2, S, S), floats, and masks (N, A), bools, to all actions' values (N, A) and the best's (N,)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(2 * size**2, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.values = nn.Linear(256, size**2 + 1)

    def forward(self, boards: Any, masks: Any) -> Any:
        values = self.values(self.body(boards)).masked_fill(~masks, -1e9)  # an illegal action is never the best
        return values, values.amax(dim=1)


def targets(network: Network, rewards: Any, boards: Any, masks: Any, over: Any) -> Any:
    """What the value of each move should be: its reward, and what the best legal action in the next state is worth."""
    with torch.no_grad():
        best = network(boards.float(), masks)[1]  # the masks are those of the next states
    return rewards.float() + 0.99 * torch.where(over, 0.0, best)  # after the end of a game there is no next state


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    if args.out.exists():
        sys.exit(f"{args.out} exists; give another --out")
    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)
    env = gymnasium.make("othello_env:othello_env/Othello-v0", size=args.size, opponent=args.opponent)
    network, target = Network(args.size), Network(args.size)
    trained = TorchNetwork(network, f"{os.path.relpath(__file__)}:Network", args.size)  # with the weights of `network`
    if args.init:
        trained.assign(load_network(args.init, trained.function))
    optimizer = torch.optim.Adam(network.parameters(), lr=args.rate)
    moves: list[tuple[Any, ...]] = []
    results: list[float] = []
    args.out.parent.mkdir(parents=True, exist_ok=True)
    writer = SummaryWriter(args.out.with_suffix(""))

    seen, _ = env.reset(seed=args.seed)
    for step in range(args.steps):
        board, mask = seen["observation"], seen["action_mask"] != 0
        if rng.random() < max(args.explore, 1 - 2 * step / args.steps):
            action = int(rng.choice(np.flatnonzero(mask)))
        else:
            with torch.no_grad():  # .float(), because a linear layer does not take int8
                action = int(network(torch.from_numpy(board)[None].float(), torch.from_numpy(mask)[None])[0].argmax())
        seen, reward, over, _, _ = env.step(action)
        moves.append((board, mask, action, reward, seen["observation"], seen["action_mask"] != 0, over))
        if over:
            results.append(reward)
            seen, _ = env.reset()
        if step % 1000 == 0:
            target.load_state_dict(network.state_dict())
        if step >= args.batch and step % 4 == 0:
            chosen = [moves[-1 - i] for i in rng.integers(min(len(moves), args.newest), size=args.batch)]
            columns = [torch.from_numpy(np.array(column)) for column in zip(*chosen, strict=True)]
            boards, masks, actions, rewards, next_boards, next_masks, ends = columns
            values = network(boards.float(), masks)[0].gather(1, actions[:, None]).squeeze(1)
            loss = nn.functional.smooth_l1_loss(values, targets(target, rewards, next_boards, next_masks, ends))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 1000 == 0:
                writer.add_scalar("losses/value", loss.item(), step)
        if (step + 1) % 1000 == 0:
            writer.add_scalar("mean result of the last 200 games", np.mean(results[-200:]), step + 1)
        if (step + 1) % 5000 == 0:
            print(f"{step + 1:,} moves  mean result of the last 200 games {np.mean(results[-200:]):+.2f}", flush=True)

    writer.close()
    trained.save(args.out)
    print(play_match(NeuralAgent(trained), "random", games=200, game=f"othello:size={args.size}"))
    print(f"{args.out} is the agent")
    print(f"next: othello-env benchmark {args.out}:network={trained.function} --size {args.size}")


if __name__ == "__main__":
    main()
