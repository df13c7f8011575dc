r"""Train a policy and value network by self-play with tree search (``pip install 'othello-env[torch]'``).

    python scripts/train/alphazero.py --size 6 --out runs/az.safetensors --seconds 3600
    python scripts/train/alphazero.py --size 6 --out runs/more.safetensors --seconds 3600 --init runs/az.safetensors
    python scripts/train/alphazero.py --out runs/az8.safetensors --device cuda --games 1024 --channels 64 --blocks 5 \
        --simulations 32 --window 1000000 --seconds 36000

The third command has settings for a GPU, and has never been run. The method is AlphaZero (Silver et al., 2018) with the
search of Gumbel AlphaZero (Danihelka et al., 2022), which learns from few simulations. An iteration plays many whole
games at once, from random openings. In each position the search chooses the move. The network's policy learns the
improved policy that the search returns, and its value learns the result of the game for the player to move.

FILE:simulations=64 is the agent with a search. The agent, its learning curve (.json, .png) and TensorBoard's events (a
folder) are written to --out and beside it at each point of the curve: ``tensorboard --logdir runs``.
"""

import os
import sys
import time
from dataclasses import asdict, dataclass
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

from othello_agents.mcts.gumbel import search
from othello_agents.network import NeuralAgent, load_network, make_network
from othello_env import Othello, OthelloPositions
from othello_env.arena import measure_progress, progress_text, scalars
from othello_env.drawing import learning_curve
from othello_env.games.openings import Openings
from othello_env.games.othello import symmetries
from othello_env.games.othello.bitboard import ACTION_BITS, BOARDS, advance_batch
from othello_env.support.files import write_json


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/alphazero.safetensors")  # the file of the agent
    iterations: int = 1_000_000_000  # the most iterations; --seconds may end the run sooner
    seconds: float = 3600.0  # seconds of training, to the end of an iteration; measurements do not count
    every: int = 10  # iterations between points of the curve
    match: int = 100  # games of each match of the curve, and games on the ladder; an even number
    device: str = "cuda" if torch.cuda.is_available() else "cpu"  # the network's device, for example cpu or cuda
    threads: int = torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1  # PyTorch's, on a CPU
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    network: str = "residual"  # residual, afterstates, or your own, as path.py:name or package.module:name
    channels: int = 32  # channels of the residual network's convolutions
    blocks: int = 2  # blocks of the residual network
    init: str = ""  # a network to begin with, such as that of an earlier run; the default is random weights
    games: int = 128  # games of an iteration; all are played at once
    simulations: int = 16  # simulations of the search for each move
    considered: int = 8  # the most moves that a search compares
    random_plies: int = 20  # the most random plies at a game's start on 8x8; in proportion fewer on smaller boards
    window: int = 100_000  # the newest positions that are kept to learn from; at least those of an iteration
    reuse: float = 4.0  # how many times the network learns from a position, on average
    minibatch: int = 256  # positions in one change of the weights
    rate: float = 1e-3  # the learning rate of AdamW
    decay: float = 1e-4  # the weight decay of AdamW
    precision: Literal["float32", "bfloat16"] = "float32"  # of gradients; bfloat16 is faster on some processors


YARDSTICK = "alphabeta:depth=2,eval=weighted"  # the opponent of the network without search


class Network(nn.Module):
    """An example of your own network: --network scripts/train/alphazero.py:Network. Change it as you like."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(2, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU())
        self.policy, self.value = nn.Linear(32 * size**2, size**2 + 1), nn.Linear(32 * size**2, 1)

    def forward(self, observations: Any, masks: Any) -> Any:
        """From boards (N, 2, S, S), floats, and masks (N, A), bools, to logits (N, A) and values (N,), -1 to 1."""
        x = self.body(observations).flatten(1)
        return self.policy(x), self.value(x).tanh().squeeze(1)


def autocast(args: Args, playing: bool = False) -> Any:
    """The context in which the network computes. On a CPU it plays with float32 in any case."""
    kind = torch.device(args.device).type
    return torch.autocast(kind, torch.bfloat16, args.precision == "bfloat16" and not (playing and kind == "cpu"))


def check_finite(numbers: Any) -> None:
    if not np.isfinite(numbers).all():
        sys.exit("the training has diverged; a lower --rate may help")


def play(args: Args, network: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Play all games of an iteration, at the same time, to their ends.

    Returns arrays for the P positions of these games: the discs of the player to move (``own``) and of the opponent
    (``opponent``), as 64 bits, (P,); the policies that the search returned (``policy``), (P, A); and the results
    for the player to move (``value``), (P,).
    """
    plies = rng.integers(args.random_plies * args.size**2 // 64 + 1, size=args.games)
    keys = rng.integers(2**63, size=args.games)
    starts = [Openings.random(Othello(args.size), int(n), int(key)) for n, key in zip(plies, keys, strict=True)]
    boards = after_passes(OthelloPositions.from_states(starts, range(args.games)))
    discs = np.array(ACTION_BITS[args.size], np.uint64)
    seen, policies, black = [], [], np.zeros(args.games, np.float32)  # black: the results for Black
    while len(boards):
        gumbel = rng.gumbel(size=(len(boards), args.size**2 + 1))
        with autocast(args, playing=True):
            searched = search(network.answers, boards, args.simulations, considered=args.considered, gumbel=gumbel)
        check_finite(searched.policy)
        seen.append(boards)
        policies.append(searched.policy)
        own, opponent = boards.own.copy(), boards.opponent.copy()
        moves = discs[searched.actions]
        legal, reply = advance_batch(own, opponent, moves, BOARDS[args.size])  # plays the moves in place
        after, over = OthelloPositions(own, opponent, 1 - boards.to_move, boards.key, args.size), legal | reply == 0
        ended = after.part(over)
        mine, other = ended.observations().sum(axis=(2, 3), dtype=int).T
        black[ended.key.astype(int)] = np.sign(mine - other) * (1 - 2 * ended.to_move)
        boards = after_passes(after.part(~over))
    return {
        "own": np.concatenate([boards.own for boards in seen]),
        "opponent": np.concatenate([boards.opponent for boards in seen]),
        "policy": np.concatenate(policies).astype(np.float32),
        "value": np.concatenate([black[boards.key.astype(int)] * (1 - 2 * boards.to_move) for boards in seen]),
    }


def after_passes(boards: OthelloPositions) -> OthelloPositions:
    """The positions after all forced passes. The games must be unfinished."""
    must = boards.masks()[:, -1] != 0
    own, opponent = np.where(must, boards.opponent, boards.own), np.where(must, boards.own, boards.opponent)
    return OthelloPositions(own, opponent, boards.to_move ^ must, boards.key, boards.size)


def learn(args: Args, network: Any, optimizer: Any, kept: dict[str, Any], changes: int, rng: Any) -> dict[str, float]:
    """Change the weights `changes` times, each time by a minibatch of the kept positions. Returns the mean losses."""
    losses = []
    for _ in range(changes):
        chosen, k = rng.integers(len(kept["value"]), size=args.minibatch), int(rng.integers(symmetries.COUNT))
        own, opponent = kept["own"][chosen], kept["opponent"][chosen]
        boards = OthelloPositions(own, opponent, np.zeros(len(own), np.int8), own, args.size)
        arrays = [np.ascontiguousarray(symmetries.transform_observation(boards.observations(), k))]
        arrays += [symmetries.transform_policy(array, k) for array in (boards.masks(), kept["policy"][chosen])]
        tensors = (torch.from_numpy(array).to(args.device) for array in [*arrays, kept["value"][chosen]])
        observations, masks, policies, values = tensors
        with autocast(args):
            logits, expected = network.forward(observations, masks)
        policy_loss = -(policies * torch.log_softmax(logits.float(), dim=1)).sum(dim=1).mean()
        value_loss = (expected.float() - values).square().mean()
        optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        optimizer.step()
        losses.append(torch.stack([policy_loss, value_loss]).detach())
    means = torch.stack(losses).mean(dim=0).tolist() if losses else []
    check_finite([*means, *(weight.sum().item() for weight in network.weights.values())])
    return {name: round(mean, 4) for name, mean in zip(("policy", "value"), means, strict=False)}


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    torch.set_num_threads(args.threads)
    if args.out.exists():
        sys.exit(f"{args.out} exists; give another --out")
    if args.window < (most := args.games * (args.size**2 - 4)):
        sys.exit(f"--window must be at least {most}, the positions of {args.games} games, but it is {args.window}")
    own = args.network if ":" in args.network else None  # the function that makes a network of yours
    network = make_network(args.network, args.size, args.seed, channels=args.channels, blocks=args.blocks)
    if args.init:
        network = network.with_weights(load_network(args.init, own).weights)
    network = network.to(args.device)
    optimizer = torch.optim.AdamW([*network.trained_weights().values()], lr=args.rate, weight_decay=args.decay)
    # The positions to learn from; `positions` counts all that were ever played.
    kept: dict[str, Any] = {name: np.zeros(args.window, np.uint64) for name in ("own", "opponent")}
    kept["policy"] = np.zeros((args.window, args.size**2 + 1), np.float32)
    kept["value"] = np.zeros(args.window, np.float32)

    settings = {name: value for name, value in asdict(args).items() if name != "out"}
    card = {"command": " ".join(["python", *sys.argv]), "settings": settings}
    title = f"AlphaZero learns {args.size}x{args.size} Othello, seed {args.seed}, {args.simulations} simulations"
    print(title, flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    writer = SummaryWriter(args.out.with_suffix(""))
    losses: dict[str, float] = {}
    curve: list[dict[str, Any]] = []
    games, positions, started = 0, 0, time.perf_counter()
    for iteration in range(args.iterations + 1):
        seconds = time.perf_counter() - started
        done = seconds >= args.seconds or iteration == args.iterations
        if done or iteration % args.every == 0:
            how = {"game": f"othello:size={args.size}", "games": args.match}
            progress = measure_progress(NeuralAgent(network, simulations=args.simulations), **how)
            alone = measure_progress(NeuralAgent(network), **how, opponents=(YARDSTICK,), rating=False)
            progress["without search"] = alone["scores"]
            curve.append({"iteration": iteration, "games": games, "seconds": round(seconds, 1)} | losses | progress)
            scores = f"{progress_text(progress)}  without search {alone['scores'][YARDSTICK]:.2f}"
            print(f"iteration {iteration}  {games:,} games  {seconds:.0f} s  {scores}", flush=True)
            for name, value in scalars(progress).items():
                writer.add_scalar(name, value, games)
            network.training = card | curve[-1]
            network.save(args.out)
            write_json(args.out.with_suffix(".json"), card | {"curve": curve})
            learning_curve(args.out.with_suffix(".png"), title, curve, "games")
            started = time.perf_counter() - seconds  # measurements do not count
        if done:
            break

        rng = np.random.default_rng([args.seed, iteration])
        torch.manual_seed(args.seed + iteration)  # for a network of yours that draws random numbers
        new, before = play(args, network, rng), positions
        positions += len(new["value"])
        for name, array in kept.items():  # the newest positions replace the oldest
            array[np.arange(before, positions) % args.window] = new[name]
        changes = int(positions * args.reuse / args.minibatch) - int(before * args.reuse / args.minibatch)
        newest = {name: array[:positions] for name, array in kept.items()}
        losses = learn(args, network, optimizer, newest, changes, rng)
        games += args.games
        for name, loss in losses.items():
            writer.add_scalar(f"losses/{name}", loss, games)
    writer.close()
    print(f"{args.out} is the agent; its curve and TensorBoard's events are beside it")
    spec = f"{args.out}:{f'network={own},' if own else ''}simulations={args.simulations}"
    print(f"next: othello-env benchmark {spec} --size {args.size}")


if __name__ == "__main__":
    main()
