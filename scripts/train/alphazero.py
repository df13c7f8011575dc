r"""Train a policy and value network by self-play with tree search (``pip install 'othello-env[torch]'``).

    python scripts/train/alphazero.py --size 6 --out runs/az.safetensors --seconds 3600
    python scripts/train/alphazero.py --size 6 --out runs/az.safetensors --seconds 7200 --resume
    python scripts/train/alphazero.py --out runs/az8.safetensors --device cuda --games 1024 --channels 64 --blocks 5 \
        --simulations 32 --window 1000000 --seconds 36000

The third command has settings for a GPU, and has never been run. The method is AlphaZero (Silver et al., 2018) with the
search of Gumbel AlphaZero (Danihelka et al., 2022), which learns from few simulations. An iteration plays many whole
games at once, from random openings. In each position the search chooses the move. The network's policy learns the
improved policy that the search returns, and its value learns the result of the game for the player to move.

FILE:simulations=64 is the agent with a search. The learning curve (.json, .png) and the state for --resume are written
beside the file. A resumed run equals an uninterrupted one, on a CPU bit for bit. Ctrl-C ends the run after the
iteration, a second Ctrl-C at once.
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

from othello_agents.mcts.gumbel import search
from othello_agents.network import NeuralAgent, load_training, make_network, save_training
from othello_env import Othello, OthelloPositions
from othello_env.arena import measure_progress, progress_text
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
    seconds: float = 3600.0  # seconds of the whole run, measurements included
    resume: bool = False  # continue the run of --out
    every: int = 10  # iterations between points of the curve
    match: int = 100  # games of each match of the curve, and games on the ladder; an even number
    device: str = "cuda" if torch.cuda.is_available() else "cpu"  # the network's device, for example cpu or cuda
    # The results depend on the options from here on. A resumed run must have the same.
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    network: str = "residual"  # residual, afterstates, or your own, as path.py:name or package.module:name
    channels: int = 32  # channels of the residual network's convolutions
    blocks: int = 2  # blocks of the residual network
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


RUN = ("out", "iterations", "seconds", "resume", "every", "match", "device")  # may change on --resume
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
            found = search(network.answers, boards, args.simulations, considered=args.considered, gumbel=gumbel)
        if not np.isfinite(found.policy).all():
            raise FloatingPointError
        seen.append(boards)
        policies.append(found.policy)
        own, opponent = boards.own.copy(), boards.opponent.copy()
        legal, reply = advance_batch(own, opponent, discs[found.actions], BOARDS[args.size])  # plays the moves in place
        after, over = OthelloPositions(own, opponent, 1 - boards.to_move, boards.key, args.size), legal | reply == 0
        ended = after.part(over)
        mine, other = ended.observations().sum(axis=(2, 3), dtype=int).T
        black[ended.key.astype(int)] = np.sign(mine - other) * (1 - 2 * ended.to_move)
        boards = after_passes(after.part(~over))
    return {
        "own": np.concatenate([each.own for each in seen]).view(np.int64),
        "opponent": np.concatenate([each.opponent for each in seen]).view(np.int64),
        "policy": np.concatenate(policies).astype(np.float32),
        "value": np.concatenate([black[each.key.astype(int)] * (1 - 2 * each.to_move) for each in seen]),
    }


def after_passes(boards: OthelloPositions) -> OthelloPositions:
    """The positions after all forced passes. The games must be unfinished."""
    must = boards.masks()[:, -1] != 0
    own, opponent = np.where(must, boards.opponent, boards.own), np.where(must, boards.own, boards.opponent)
    return OthelloPositions(own, opponent, boards.to_move ^ must, boards.key, boards.size)


def learn(args: Args, network: Any, optimizer: Any, kept: dict[str, Any], changes: int, rng: Any) -> dict[str, float]:
    """Change the weights `changes` times, each time by a minibatch of the kept positions. Returns the mean losses."""
    found = []
    for _ in range(changes):
        chosen, k = rng.integers(len(kept["value"]), size=args.minibatch), int(rng.integers(symmetries.COUNT))
        own, opponent = (kept[name][chosen].view(np.uint64) for name in ("own", "opponent"))
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
        found.append(torch.stack([policy_loss, value_loss]).detach())
    losses = torch.stack(found).mean(dim=0).tolist() if found else []
    if not np.isfinite([*losses, *(weight.sum().item() for weight in network.weights.values())]).all():
        raise FloatingPointError
    return {name: round(loss, 4) for name, loss in zip(("policy", "value"), losses, strict=False)}


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__, config=(tyro.conf.FlagCreatePairsOff,))
    settings = {name: value for name, value in asdict(args).items() if name not in RUN}
    suffixes = (".safetensors", ".json", ".png", ".state.safetensors")
    out, curve_file, picture, state = files = [args.out.with_suffix(suffix) for suffix in suffixes]
    if not args.resume and (there := [file for file in files if file.exists()]):
        sys.exit(f"{there[0]} exists; --resume continues its run, and another --out begins a new one")
    if min(args.every, args.match, args.games, args.simulations, args.considered, args.minibatch) < 1 or args.match % 2:
        sys.exit("--every, --match, --games, --simulations, --considered, --minibatch must be at least 1, --match even")
    if args.window < (most := args.games * (args.size**2 - 4)):
        sys.exit(f"--window must be at least {most}, the positions of {args.games} games, but it is {args.window}")
    out.parent.mkdir(parents=True, exist_ok=True)

    # What learns: the network and the optimiser. What it learns from: the kept positions. And how far the run is.
    run: dict[str, Any] = {"iteration": 0, "games": 0, "positions": 0, "seconds": 0.0, "losses": {}, "curve": []}
    kept: dict[str, Any] = {"own": np.zeros(n := args.window, np.int64), "opponent": np.zeros(n, np.int64)}
    kept |= {"value": np.zeros(n, np.float32), "policy": np.zeros((n, args.size**2 + 1), np.float32)}
    try:
        network = make_network(args.network, args.size, args.seed, channels=args.channels, blocks=args.blocks)
        network = network.to(args.device)
        optimizer = torch.optim.AdamW([*network.trained_weights().values()], lr=args.rate, weight_decay=args.decay)
        if args.resume:
            run, tensors = load_training(state, {"network": network}, optimizer, settings)
            for name, array in kept.items():
                array[: run["positions"]] = tensors[name].numpy()
    except (AssertionError, ImportError, KeyError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"alphazero.py: {error}")

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
            point = {"iteration": iteration, "games": run["games"], "seconds": round(run["seconds"], 1)} | run["losses"]
            how = {"size": args.size, "games": args.match}
            point |= measure_progress(NeuralAgent(network, simulations=args.simulations), **how)
            alone = measure_progress(NeuralAgent(network), **how, opponents=(YARDSTICK,), rating=False)
            curve.append(point | {"without search": alone["scores"]})
        if measured or now - told > 10:
            losses = "  ".join(f"{name} {loss:.3f}" for name, loss in run["losses"].items())
            scores = f"{progress_text(point)}  without search {alone['scores'][YARDSTICK]:.2f}" if measured else losses
            print(f"iteration {iteration}  {run['games']:,} games  {run['seconds']:.0f} s  {scores}", flush=True)
            told = now
        if measured or done or now - saved > 300:  # write the agent, its curve, and what --resume needs
            run["seconds"] = time.perf_counter() - started
            card = {"command": " ".join(["python", *sys.argv]), "settings": settings}
            network.training = card | curve[-1]
            network.save(out)
            write_json(curve_file, card | {"curve": curve})
            title = (
                f"AlphaZero learns {args.size}x{args.size} Othello, seed {args.seed}, {args.simulations} simulations"
            )
            learning_curve(picture, title, curve, "games")
            # PyTorch's uint64 is not in every file format, so the bits of the boards are written as int64.
            signed = {name: array.view(np.int64) if array.dtype == np.uint64 else array for name, array in kept.items()}
            tensors = {name: torch.from_numpy(array[: run["positions"]]) for name, array in signed.items()}
            save_training(state, {"network": network}, optimizer, settings, run, tensors)
            saved = now
        if done or stop:
            break
        rng = np.random.default_rng([args.seed, iteration])
        torch.manual_seed(args.seed + iteration)  # for a network of yours that draws random numbers
        try:
            new, before = play(args, network, rng), run["positions"]
            run["positions"] += len(new["value"])
            for name, array in kept.items():  # the newest positions replace the oldest
                array[np.arange(before, run["positions"]) % args.window] = new[name]
            changes = int(run["positions"] * args.reuse / args.minibatch) - int(before * args.reuse / args.minibatch)
            newest = {name: array[: run["positions"]] for name, array in kept.items()}
            run["losses"] = learn(args, network, optimizer, newest, changes, rng)
        except FloatingPointError:
            sys.exit(f"iteration {iteration}: the training has diverged; a lower --rate may help")
        run["iteration"], run["games"] = iteration + 1, run["games"] + args.games
    if not measured and not stop:
        print(f"nothing left to do after {iteration} iterations; give more --iterations or --seconds")
    print(f"{out} is the agent, {curve_file} and {picture} its curve, {state} is for --resume")
    spec = f"{out}:{f'network={args.network},' if ':' in args.network else ''}simulations={args.simulations}"
    print(f"next: othello-env benchmark {spec} --size {args.size}")
    if stop:
        sys.exit(130)


if __name__ == "__main__":
    main()
