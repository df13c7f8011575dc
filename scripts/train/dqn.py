"""Train a network with DQN (Mnih et al., 2015) against an opponent (``pip install 'othello-env[torch]'``).

    python scripts/train/dqn.py
    python scripts/train/dqn.py --network convolution --out runs/convolution.safetensors
    python scripts/train/dqn.py --init runs/dqn.safetensors --opponent maximizer:eval=weighted --out runs/2.safetensors

This is the shortest recipe: a small network, three minutes. 64 games are played at once, so the network sees 64 boards
in one call, and the memory is arrays. ``--network convolution`` sees the legal moves, too. Three things are easy to get
wrong, and their lines are marked: the observations are int8, the next state has its own legal actions, and an end has
no next. TensorBoard's events are in a folder beside the agent: ``tensorboard --logdir runs``.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

try:
    import torch
    import tyro
    from torch import nn
    from torch.utils.tensorboard import SummaryWriter
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

from othello_agents.network import NeuralAgent, TorchNetwork, load_network
from othello_env import make_vec_env, play_match, sample_legal


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/dqn.safetensors")  # the file of the agent
    init: str = ""  # the agent of an earlier run, to begin with; the default is random weights
    opponent: str = "random"  # the opponent, any agent's spec
    network: Literal["dense", "convolution"] = "dense"  # the layers
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    games: int = 64  # games at once
    moves: int = 1_000_000  # moves of the learner in all games
    explore: float = 0.05  # the share of random moves in the second half; in the first half it falls from 1
    newest: int = 200_000  # learn from this number of newest moves
    batch: int = 256  # moves in one change of the weights, after every step of all games
    rate: float = 5e-4  # the learning rate of Adam
    threads: int = torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1  # PyTorch's, on a CPU


class Network(nn.Module):
    """From boards (N, 2, S, S), floats, and masks (N, A), bools, to all actions' values (N, A) and the best's (N,)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(2 * size**2, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.values = nn.Linear(256, size**2 + 1)

    def forward(self, boards: Any, masks: Any) -> Any:
        values = self.values(self.body(boards)).masked_fill(~masks, -1e9)  # an illegal action is never the best
        return values, values.amax(dim=1)


class Convolution(Network):
    """Convolutions over the boards and a plane of the legal moves."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        layers = nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU()
        self.body = nn.Sequential(*layers, nn.Flatten(), nn.Linear(32 * size**2, 256), nn.ReLU())

    def forward(self, boards: Any, masks: Any) -> Any:
        legal = masks[:, :-1].to(boards.dtype).reshape(-1, 1, *boards.shape[2:])
        return super().forward(torch.cat([boards, legal], dim=1), masks)


NETWORKS = {"dense": Network, "convolution": Convolution}


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
    torch.set_num_threads(args.threads)
    envs = make_vec_env(args.games, opponent=args.opponent, size=args.size)
    kind = NETWORKS[args.network]
    network, target = kind(args.size), kind(args.size)
    function = f"{os.path.relpath(__file__)}:{kind.__name__}"
    trained = TorchNetwork(network, function, args.size)  # with the weights of `network`
    if args.init:
        trained.assign(load_network(args.init, function))
    optimizer = torch.optim.Adam(network.parameters(), lr=args.rate)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    print(f"DQN against {args.opponent} on {args.size}x{args.size}, {args.moves:,} moves", flush=True)
    writer = SummaryWriter(args.out.with_suffix(""))

    seen, _ = envs.reset(seed=args.seed)
    rows = max(args.newest // args.games, 1)  # the memory has this number of steps, each with a move of each game
    memory: dict[str, Any] = {}
    results: list[float] = []
    steps = args.moves // args.games
    for step in range(steps):
        boards, masks = seen["observation"], seen["action_mask"] != 0
        with torch.no_grad():  # .float(), because a linear layer does not take int8
            values, _ = network(torch.from_numpy(boards).float(), torch.from_numpy(masks))
        explores = rng.random(args.games) < max(args.explore, 1 - 2 * step / steps)
        actions = np.where(explores, sample_legal(seen["action_mask"], rng), values.argmax(dim=1).numpy())
        seen, rewards, over, _, _ = envs.step(actions)
        results.extend(rewards[over])
        row = {"boards": boards, "masks": masks, "actions": actions, "rewards": rewards}
        # Where a game is over, the next board is that of a new game. Its value does not count.
        row |= {"next_boards": seen["observation"], "next_masks": seen["action_mask"] != 0, "over": over}
        for name, array in row.items():
            memory.setdefault(name, np.zeros((rows, *array.shape), array.dtype))[step % rows] = array

        if step % 250 == 0:
            target.load_state_dict(network.state_dict())
        at, game = rng.integers(min(step + 1, rows), size=args.batch), rng.integers(args.games, size=args.batch)
        chosen = {name: torch.from_numpy(array[at, game]) for name, array in memory.items()}
        goals = targets(target, *(chosen[name] for name in ("rewards", "next_boards", "next_masks", "over")))
        values = network(chosen["boards"].float(), chosen["masks"])[0].gather(1, chosen["actions"][:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(values, goals)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % 1000 == 0:
            moves, mean = (step + 1) * args.games, np.mean(results[-2000:])
            writer.add_scalar("losses/value", loss.item(), moves)
            writer.add_scalar("mean result of the last 2000 games", mean, moves)
            print(f"{moves:,} moves  mean result of the last 2000 games {mean:+.2f}", flush=True)

    writer.close()
    trained.save(args.out)
    print(play_match(NeuralAgent(trained), "random", games=200, game=f"othello:size={args.size}"))
    print(f"{args.out} is the agent")
    print(f"next: othello-env benchmark {args.out}:network={function} --size {args.size}")


if __name__ == "__main__":
    main()
