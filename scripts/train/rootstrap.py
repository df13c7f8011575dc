"""Let a network learn the values that its own search finds (``pip install 'othello-env[torch]'``).

    python scripts/train/ppo.py --out runs/ppo.safetensors --seconds 300
    python scripts/train/rootstrap.py --init runs/ppo.safetensors --out runs/rootstrap.safetensors --seconds 300
    othello-env benchmark runs/rootstrap.safetensors:depth=5

In each iteration, the network plays both sides of many games, with moves drawn from its policy, so that there are
blunders in them, too. The value of each position moves towards what the compiled search of the same network finds there
(RootStrap: Veness and others, "Bootstrapping from game tree search", 2009); near the end, towards the result of perfect
play. The policy stays as it is. So the agent is stronger in a search, and not without one. The network must be
`afterstates`, which can be compiled.

The agent and its learning curve (.json, .png), whose games are played with the search, are written to --out and beside
it, and TensorBoard's events to a folder: ``tensorboard --logdir runs``.
"""

import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

try:
    import torch
    import tyro
    from torch import nn
    from torch.utils.tensorboard import SummaryWriter
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

from othello_agents.engine import Engine
from othello_agents.network import load_network
from othello_env import make_vec_env
from othello_env.arena import measure_progress, progress_text, scalars
from othello_env.data import exact_scores
from othello_env.drawing import learning_curve
from othello_env.games.othello import symmetries
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.bitboard import ACTION_BITS
from othello_env.support.files import write_json


@dataclass
class Args:
    """The options of the command."""

    init: str  # the network to begin with, such as that of ppo.py
    out: Path = Path("runs/rootstrap.safetensors")  # the file of the agent
    iterations: int = 1_000_000_000  # the most iterations; --seconds may end the run sooner
    seconds: float = 600.0  # seconds of training, to the end of an iteration; measurements do not count
    every: int = 10  # iterations between points of the curve
    match: int = 100  # games of each match of the curve, and games on the ladder; an even number
    threads: int = torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1  # PyTorch's
    seed: int = 1  # the seed of everything random
    games: int = 1024  # games in an iteration
    depth: int = 3  # plies of the searches
    empties: int = 10  # learn perfect play with at most this number of empty squares
    window: int = 4  # iterations whose positions are learned
    minibatch: int = 512  # positions in one change of the weights
    rate: float = 1e-3  # the learning rate of Adam


SOLVED = 0.5  # the share of the positions near the end that are solved; the others are left out
AVERAGE = 0.3  # the share of the newest weights in the agent's mean weights


def play(network: Any, games: int, seed: int) -> tuple[Any, Any]:
    """Play both sides of games, with moves drawn from the policy.

    Returns the boards (M, 2, S, S) and masks (M, A) of all positions without a forced pass.
    """
    envs = make_vec_env(games, size=network.size, opponent=None)
    seen, _ = envs.reset(seed=seed, options={"random_plies": network.size - 2})
    over, boards, masks = np.zeros(games, bool), [], []
    while not over.all():
        policy = network.policy(seen["observation"], seen["action_mask"])
        chosen = ~over & (seen["action_mask"][:, -1] == 0)
        boards.append(seen["observation"][chosen])
        masks.append(seen["action_mask"][chosen])
        seen, _, ended, *_ = envs.step(torch.multinomial(torch.from_numpy(policy), 1).squeeze(1).numpy())
        over |= ended
    return np.concatenate(boards), np.concatenate(masks)


def values(engine: Engine, boards: Any, empties: int) -> Any:
    """The values (M,) of searches, and of perfect play in positions near the end."""
    size = boards.shape[2]
    bits = np.array(ACTION_BITS[size][:-1], np.uint64)
    own, opponent = np.ascontiguousarray(((boards != 0).reshape(len(boards), 2, -1) @ bits).T)
    positions = OthelloPositions(own, opponent, np.zeros(len(own), np.int8), np.zeros(len(own), np.uint64), size)
    near = (boards == 0).all(axis=1).sum(axis=(1, 2)) <= empties
    found = np.empty(len(boards), np.float32)
    found[~near] = engine.search_values(positions.part(~near))
    found[near] = np.sign(np.nanmax(exact_scores(positions.part(near)), axis=1)) if near.any() else 0
    return found


def learn(args: Args, network: Any, optimizer: Any, rows: list[Any], rng: np.random.Generator) -> list[float]:
    """Change the weights once, by a random minibatch. Returns the losses of the policy and the value."""
    part = rows[rng.integers(len(rows))]
    chosen, k = rng.integers(len(part[0]), size=args.minibatch), int(rng.integers(symmetries.COUNT))
    arrays = [symmetries.transform_observation(part[0][chosen], k)]
    arrays += [symmetries.transform_policy(each[chosen], k) for each in part[1:3]]
    boards, masks, policy, wanted = (torch.from_numpy(np.ascontiguousarray(x)) for x in (*arrays, part[3][chosen]))
    logits, found = network.forward(boards, masks)
    logs = torch.log_softmax(logits, dim=1).masked_fill(masks == 0, 0)
    policy_loss = -(policy.float() * logs).sum(dim=1).mean()  # towards the policy as it was
    value_loss = (found - wanted).square().mean()
    optimizer.zero_grad()
    (policy_loss + value_loss).backward()
    nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], 1.0)
    optimizer.step()
    return [policy_loss.item(), value_loss.item()]


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    torch.set_num_threads(args.threads)
    if args.out.exists():
        sys.exit(f"{args.out} exists; give another --out")
    network = load_network(args.init)
    engine = Engine(args.depth, eval=args.init)  # first of all: it refuses other networks
    average = network.copy()  # the agent
    optimizer = torch.optim.Adam([*network.trained_weights().values()], lr=args.rate, eps=1e-5)

    settings = {name: value for name, value in asdict(args).items() if name != "out"}
    card = {"command": " ".join(["python", *sys.argv]), "settings": settings}
    title = f"RootStrap, {network.size}x{network.size} Othello, seed {args.seed}"
    print(title, flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    writer = SummaryWriter(args.out.with_suffix(""))
    losses: dict[str, float] = {}
    curve: list[dict[str, Any]] = []
    rows: list[Any] = []
    learned, started = 0, time.perf_counter()
    for iteration in range(args.iterations + 1):
        seconds = time.perf_counter() - started
        done = seconds >= args.seconds or iteration == args.iterations
        if done or iteration % args.every == 0:
            progress = measure_progress(engine, game=f"othello:size={network.size}", games=args.match)
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
        torch.manual_seed(args.seed + iteration)
        boards, masks = play(average, args.games, int(rng.integers(2**62)))
        kept = ((boards == 0).all(axis=1).sum(axis=(1, 2)) > args.empties) | (rng.random(len(boards)) < SOLVED)
        boards, masks = boards[kept], masks[kept]
        found = values(engine, boards, args.empties)
        rows = [*rows, (boards, masks, average.policy(boards, masks), found)][-args.window :]
        steps = 2 * len(boards) // args.minibatch + 1
        means = np.mean([learn(args, network, optimizer, rows, rng) for _ in range(steps)], axis=0)
        if not np.isfinite(means).all():
            sys.exit("the training has diverged; a lower --rate may help")
        average.approach(network, max(AVERAGE, 1 / (iteration + 1)))
        average.save(args.out)
        engine = Engine(args.depth, eval=str(args.out))
        losses = {name: round(float(mean), 4) for name, mean in zip(("policy", "value"), means, strict=True)}
        learned += steps * args.minibatch
        for name, loss in losses.items():
            writer.add_scalar(f"losses/{name}", loss, learned)
    writer.close()
    print(f"{args.out} is the agent; its curve and TensorBoard's events are beside it")
    print(f"next: othello-env benchmark {args.out}:depth=5 --size {network.size}")


if __name__ == "__main__":
    main()
