"""Train a policy and value network on recorded games (``pip install 'othello-env[torch]'``).

    othello-env data make match engine:depth=4,epsilon=0.05 --games 4000 --out strong
    python scripts/train/imitation.py --games-from strong --out runs/imitation.safetensors --seconds 300
    python scripts/train/ppo.py --init runs/imitation.safetensors --out runs/tuned.safetensors --seconds 600

The network learns which move was played, and how the game ended. In positions with few empty squares it learns perfect
play instead: every best move counts as right, and the value is the result of perfect play. In each minibatch, all
boards are turned or mirrored by one of the eight symmetries. Every tenth game is held out: the network does not learn
from it, and the curve's ``held-out`` is how often the network's likeliest move is right there.

The games are a dataset, or a file of any format that `othello_env.data` reads, such as WTHOR. All positions are kept in
memory, with about 270 bytes for each. The learning curve (.json, .png) and the state for --resume (.state.safetensors)
are written beside the agent. A resumed run equals an uninterrupted one, on a CPU bit for bit. Ctrl-C ends the run after
the iteration, a second Ctrl-C at once.
"""

import signal
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
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

from othello_agents.network import NeuralAgent, load_training, make_network, save_training
from othello_env.arena import measure_progress, progress_text
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
    seconds: float = 3600.0  # seconds of the whole run, measurements included
    resume: bool = False  # continue the run of --out
    every: int = 20  # iterations between points of the curve
    match: int = 100  # games of each match of the curve, and games on the ladder; an even number
    device: str = "cuda" if torch.cuda.is_available() else "cpu"  # the network's device, for example cpu or cuda
    # The results depend on the options from here on. A resumed run must have the same.
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    network: str = "afterstates"  # afterstates, residual, or your own, as path.py:name or package.module:name
    channels: int = 32  # channels of the residual network's convolutions
    blocks: int = 2  # blocks of the residual network
    empties: int = 10  # learn perfect play with at most this number of empty squares
    minibatches: int = 100  # changes of the weights in an iteration
    minibatch: int = 512  # positions in one change of the weights
    rate: float = 2e-3  # the learning rate of Adam
    value: float = 0.5  # the weight of the value's squared error
    gradient: float = 1.0  # the largest norm of a gradient
    average: float = 20.0  # iterations after which old weights count half in the agent's mean weights
    precision: Literal["float32", "bfloat16"] = "float32"  # of gradients; bfloat16 is faster on some processors


RUN = ("out", "iterations", "seconds", "resume", "every", "match", "device")  # may change on --resume
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
    rules = "othello" if size == 8 else f"othello:size={size}"
    found, before = [], 0
    for games in Dataset(source) if source.is_dir() else [read_games(source, rules=rules)]:
        if str(games.rules) != rules:
            raise ValueError(f"expected games of {rules}, got games of {games.rules} in {str(source)!r}")
        finished = games[games.ends.over]
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
    args = tyro.cli(Args, args=arguments, description=__doc__, config=(tyro.conf.FlagCreatePairsOff,))
    settings = {name: value for name, value in asdict(args).items() if name not in RUN}
    own = args.network if ":" in args.network else None  # the function that makes a network of yours
    suffixes = (".safetensors", ".json", ".png", ".state.safetensors")
    out, curve_file, picture, state = files = [args.out.with_suffix(suffix) for suffix in suffixes]
    if not args.resume and (there := [file for file in files if file.exists()]):
        sys.exit(f"{there[0]} exists; --resume continues its run, and another --out begins a new one")
    if min(args.every, args.match, args.minibatches, args.minibatch) < 1 or args.match % 2:
        sys.exit("--every, --match, --minibatches, --minibatch must be at least 1, and --match even")

    # What learns: the network, its mean, which is the agent, and the optimiser. And how far the run is.
    run: dict[str, Any] = {"iteration": 0, "positions": 0, "seconds": 0.0, "losses": {}, "curve": []}
    try:
        if not Path(args.games_from).exists():
            raise ValueError(f"--games-from: expected a dataset or a file of games, got {args.games_from!r}")
        out.parent.mkdir(parents=True, exist_ok=True)
        network = make_network(args.network, args.size, args.seed, channels=args.channels, blocks=args.blocks)
        network = network.to(args.device)
        average = network.copy()
        optimizer = torch.optim.Adam([*network.trained_weights().values()], lr=args.rate, eps=1e-5)
        if args.resume:
            run, _ = load_training(state, {"network": network, "average": average}, optimizer, settings)
        data, held_out = positions(Path(args.games_from), args.size, args.empties)
    except (AssertionError, ImportError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"imitation.py: {error}")

    stop: list[int] = []  # not empty after Ctrl-C
    signal.signal(signal.SIGINT, lambda *_: stop.append(1) or signal.signal(signal.SIGINT, signal.default_int_handler))
    started, curve = time.perf_counter() - run["seconds"], run["curve"]
    saved = told = time.perf_counter()
    while True:
        now, iteration = time.perf_counter(), run["iteration"]
        run["seconds"] = now - started
        done = bool(stop) or run["seconds"] >= args.seconds or iteration >= args.iterations
        measured = (done or iteration % args.every == 0) and (not curve or curve[-1]["iteration"] < iteration)
        if measured:
            point = {"iteration": iteration, "positions": run["positions"], "seconds": round(run["seconds"], 1)}
            point |= run["losses"]
            curve.append(point | measure_progress(NeuralAgent(average), size=args.size, games=args.match))
        if measured or now - told > 10:
            losses = "  ".join(f"{name} {loss:.3f}" for name, loss in run["losses"].items())
            where = f"iteration {iteration}  {run['positions']:,} positions  {run['seconds']:.0f} s"
            print(where, progress_text(curve[-1]) if measured else losses, sep="  ", flush=True)
            told = now
        if measured or done or now - saved > 300:  # write the agent, its curve, and what --resume needs
            run["seconds"] = time.perf_counter() - started
            card = {"command": " ".join(["python", *sys.argv]), "settings": settings}
            average.training = card | curve[-1]
            average.save(out)
            write_json(curve_file, card | {"curve": curve})
            learning_curve(picture, f"Imitation, {args.size}x{args.size} Othello, seed {args.seed}", curve, "positions")
            save_training(state, {"network": network, "average": average}, optimizer, settings, run)
            saved = now
        if done or stop:
            break
        rng = np.random.default_rng([args.seed, iteration])
        torch.manual_seed(args.seed + iteration)  # for a network of yours that draws random numbers
        found = [learn(args, network, optimizer, data, rng) for _ in range(args.minibatches)]
        losses = np.mean(found, axis=0)
        if not np.isfinite([*losses, *(weight.sum().item() for weight in network.weights.values())]).all():
            sys.exit(f"iteration {iteration}: the training has diverged; a lower --rate may help")
        average.approach(network, max(1 - 0.5 ** (1 / args.average), 9 / (9 + iteration)))  # at first mostly the newest
        run["losses"] = {name: round(float(loss), 4) for name, loss in zip(("policy", "value"), losses, strict=True)}
        run["losses"]["held-out"] = round(agreement(average, held_out), 4)
        run["iteration"], run["positions"] = iteration + 1, run["positions"] + args.minibatches * args.minibatch
    if not measured and not stop:
        print(f"nothing left to do after {iteration} iterations; give more --iterations or --seconds")
    print(f"{out} is the agent, {curve_file} and {picture} its curve, {state} is for --resume")
    more = f" --network {args.network}" if args.network != "afterstates" else ""
    print(f"next: othello-env benchmark {out}{f':network={own}' if own else ''} --size {args.size}")
    print(f"or:   python scripts/train/ppo.py --init {out} --out runs/tuned.safetensors --size {args.size}{more}")
    if stop:
        sys.exit(130)


if __name__ == "__main__":
    main()
