"""Train a policy and value network on recorded games (``pip install 'othello-env[torch]'``).

    othello-env data make match engine:depth=4,epsilon=0.05 --games 4000 --out strong
    python scripts/train/imitation.py --games-from strong --out runs/imitation.safetensors --seconds 300
    python scripts/train/ppo.py --init runs/imitation.safetensors --out runs/tuned.safetensors --seconds 600

The network learns which move was played, and how the game ended. In positions with few empty squares it learns perfect
play instead: every best move counts as right, and the value is the result of perfect play. In each minibatch, all
boards are turned or mirrored by one of the eight symmetries. Every tenth game is held out: the network does not learn
from it, and the curve's ``held-out`` is how often the network's likeliest move is right there.

The games are a dataset, or a file of any format that `othello_env.data` reads, such as WTHOR. All positions are kept in
memory, with about 270 bytes for each. The agent, its learning curve (.json, .png) and TensorBoard's events (a folder)
are written to --out and beside it at each point of the curve: ``tensorboard --logdir runs``.
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

from othello_agents.network import NeuralAgent, load_network, make_network
from othello_env.arena import measure_progress, progress_text, scalars
from othello_env.data import Dataset, exact_labels, examples, read_games
from othello_env.drawing import learning_curve
from othello_env.games.othello import symmetries
from othello_env.support.files import write_json


@dataclass
class Args:
    """The options of the command."""

    games_from: str  # the games: a dataset, or a file of WTHOR, GGF, transcripts and so on
    out: Path = Path("runs/imitation.safetensors")  # the file of the agent
    iterations: int = 1_000_000_000  # the most iterations; --seconds may end the run sooner
    seconds: float = 3600.0  # seconds of training, to the end of an iteration; measurements do not count
    every: int = 20  # iterations between points of the curve
    match: int = 100  # games of each match of the curve, and games on the ladder; an even number
    device: str = "cuda" if torch.cuda.is_available() else "cpu"  # the network's device, for example cpu or cuda
    threads: int = torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1  # PyTorch's, on a CPU
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    network: str = "afterstates"  # afterstates, residual, or your own, as path.py:name or package.module:name
    channels: int = 32  # channels of the residual network's convolutions
    blocks: int = 2  # blocks of the residual network
    init: str = ""  # a network to begin with, such as that of an earlier run; the default is random weights
    empties: int = 10  # learn perfect play with at most this number of empty squares
    minibatches: int = 100  # changes of the weights in an iteration
    minibatch: int = 512  # positions in one change of the weights
    rate: float = 2e-3  # the learning rate of Adam
    value: float = 0.5  # the weight of the value's squared error
    gradient: float = 1.0  # the largest norm of a gradient
    average: float = 20.0  # iterations after which old weights count half in the agent's mean weights
    precision: Literal["float32", "bfloat16"] = "float32"  # of gradients; bfloat16 is faster on some processors


HELD_OUT = 10  # every tenth game


class Network(nn.Module):
    """An example of your own network: --network scripts/train/imitation.py:Network. Change it as you like."""

    def __init__(self, size: int) -> None:
        super().__init__()
        squares = size * size
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(2 * squares, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.policy, self.value = nn.Linear(256, squares + 1), nn.Linear(256, 1)

    def forward(self, observations: Any, masks: Any) -> Any:
        """From boards (N, 2, S, S), floats, and masks (N, A), bools, to logits (N, A) and values (N,), -1 to 1."""
        x = self.body(observations)
        return self.policy(x), self.value(x).tanh().squeeze(1)


def positions(source: Path, size: int, empties: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the positions to learn from, and the held-out positions. Forced passes are left out.

    Returns two dicts of arrays over M positions: ``observations`` (M, 2, S, S), ``masks`` (M, A), ``right`` (M, A),
    which has a 1 for each action that counts as right, and ``results`` (M,), for the player to move.
    """
    game = "othello" if size == 8 else f"othello:size={size}"
    found, before = [], 0
    for games in Dataset(source) if source.is_dir() else [read_games(source, game=game)]:
        if str(games.game) != game:
            raise ValueError(f"expected games of {game}, got games of {games.game} in {str(source)!r}")
        finished = games[games.outcomes.over]
        if not len(finished):
            continue
        (whole,) = examples(finished, int(finished.lengths.sum()))
        right, results = np.zeros_like(whole.action_mask), whole.returns.copy()
        right[np.arange(len(whole)), whole.action] = 1
        labels = exact_labels(finished, empties)  # the value of each move in positions with few empty squares
        places = np.cumsum(finished.lengths)[labels.game] - finished.lengths[labels.game] + labels.ply
        best = np.nanmax(labels.values, axis=1) if len(labels) else np.zeros(0)
        right[places] = labels.values == best[:, np.newaxis]
        results[places] = np.sign(best)
        each = {"observations": whole.observation, "masks": whole.action_mask, "right": right, "results": results}
        each["held"] = (before + whole.game) % HELD_OUT == 0
        found.append({name: array[whole.action < size**2] for name, array in each.items()})
        before += len(finished)
    if not found or before < 2:
        raise ValueError(f"expected at least two finished games in {str(source)!r}, got {before}")
    joined = {name: np.concatenate([part[name] for part in found]) for name in found[0]}
    held = joined.pop("held")
    return {name: array[~held] for name, array in joined.items()}, {name: array[held] for name, array in joined.items()}


def learn(args: Args, network: Any, optimizer: Any, data: dict[str, Any], rng: np.random.Generator) -> list[float]:
    """Change the weights once, by a random minibatch. Returns the losses of the policy and the value."""
    chosen, k = rng.integers(len(data["results"]), size=args.minibatch), int(rng.integers(symmetries.COUNT))
    arrays = [symmetries.transform_observation(data["observations"][chosen], k)]
    arrays += [symmetries.transform_policy(data[name][chosen], k) for name in ("masks", "right")]
    tensors = (torch.from_numpy(np.ascontiguousarray(each)) for each in [*arrays, data["results"][chosen]])
    observations, masks, right, results = (tensor.to(args.device) for tensor in tensors)
    with torch.autocast(torch.device(args.device).type, torch.bfloat16, args.precision == "bfloat16"):
        logits, values = network.forward(observations, masks)
    policy = torch.log_softmax(logits.float(), dim=1)
    policy_loss = -policy.masked_fill(right == 0, -torch.inf).logsumexp(dim=1).mean()  # any right move will do
    value_loss = (values.float() - results).square().mean()
    optimizer.zero_grad()
    (policy_loss + args.value * value_loss).backward()
    nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], args.gradient)
    optimizer.step()
    return [policy_loss.item(), value_loss.item()]


def agreement(network: Any, held_out: dict[str, Any], most: int = 4096) -> float:
    """The share of the first `most` held-out positions in which the likeliest move is right."""
    held = {name: array[:most] for name, array in held_out.items()}
    likeliest = network.policy(held["observations"], held["masks"]).argmax(axis=1)
    return float(held["right"][np.arange(len(likeliest)), likeliest].mean())


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    torch.set_num_threads(args.threads)
    source = Path(args.games_from)
    if args.out.exists():
        sys.exit(f"{args.out} exists; give another --out")
    if not source.exists():
        sys.exit(f"--games-from: expected a dataset or a file of games, got {args.games_from!r}")
    own = args.network if ":" in args.network else None  # the function that makes a network of yours
    network = make_network(args.network, args.size, args.seed, channels=args.channels, blocks=args.blocks)
    if args.init:
        network = network.with_weights(load_network(args.init, own).weights)
    network = network.to(args.device)
    average = network.copy()  # the agent
    optimizer = torch.optim.Adam([*network.trained_weights().values()], lr=args.rate, eps=1e-5)
    data, held_out = positions(source, args.size, args.empties)

    settings = {name: value for name, value in asdict(args).items() if name != "out"}
    card = {"command": " ".join(["python", *sys.argv]), "settings": settings}
    title = f"Imitation, {args.size}x{args.size} Othello, seed {args.seed}"
    print(title, flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    writer = SummaryWriter(args.out.with_suffix(""))
    losses: dict[str, float] = {}
    curve: list[dict[str, Any]] = []
    learned, started = 0, time.perf_counter()
    for iteration in range(args.iterations + 1):
        seconds = time.perf_counter() - started
        done = seconds >= args.seconds or iteration == args.iterations
        if done or iteration % args.every == 0:
            progress = measure_progress(NeuralAgent(average), game=f"othello:size={args.size}", games=args.match)
            point = {"iteration": iteration, "positions": learned, "seconds": round(seconds, 1)}
            curve.append(point | losses | progress)
            where = f"iteration {iteration}  {learned:,} positions  {seconds:.0f} s"
            print(f"{where}  {progress_text(progress)}", flush=True)
            for name, value in scalars(progress).items():
                writer.add_scalar(name, value, learned)
            average.training = card | curve[-1]
            average.save(args.out)
            write_json(args.out.with_suffix(".json"), card | {"curve": curve})
            learning_curve(args.out.with_suffix(".png"), title, curve, "positions")
            started = time.perf_counter() - seconds  # measurements do not count
        if done:
            break

        rng = np.random.default_rng([args.seed, iteration])
        torch.manual_seed(args.seed + iteration)  # for a network of yours that draws random numbers
        means = np.mean([learn(args, network, optimizer, data, rng) for _ in range(args.minibatches)], axis=0)
        if not np.isfinite([*means, *(weight.sum().item() for weight in network.weights.values())]).all():
            sys.exit("the training has diverged; a lower --rate may help")
        average.approach(network, max(1 - 0.5 ** (1 / args.average), 9 / (9 + iteration)))  # at first mostly the newest
        losses = {name: round(float(mean), 4) for name, mean in zip(("policy", "value"), means, strict=True)}
        losses["held-out"] = round(agreement(average, held_out), 4)
        learned += args.minibatches * args.minibatch
        for name, loss in losses.items():
            writer.add_scalar(f"losses/{name}", loss, learned)
    writer.close()
    print(f"{args.out} is the agent; its curve and TensorBoard's events are beside it")
    more = f" --network {args.network}" if args.network != "afterstates" else ""
    print(f"next: othello-env benchmark {args.out}{f':network={own}' if own else ''} --size {args.size}")
    print(f"or:   python scripts/train/ppo.py --init {args.out} --out runs/tuned.safetensors --size {args.size}{more}")


if __name__ == "__main__":
    main()
