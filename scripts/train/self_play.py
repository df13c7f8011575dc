"""Train a network by plain self-play with a policy gradient (``pip install 'othello-env[torch]'``).

    python scripts/train/self_play.py --iterations 1000
    python scripts/train/self_play.py --game checkers --out runs/checkers.safetensors
    python scripts/train/self_play.py --init runs/self_play.safetensors --out runs/more.safetensors

One network plays all sides of many games at once, a ply a step, and learns from each side's own results by PPO
(Schulman et al., 2017). It learns any game that has a batch: checkers, Tribolo with its three players, or the class of
a registered game, FILE.py:CLASS. There are no other opponents: `ppo.py` adds past selves, packaged agents, the board's
symmetries and a network that knows how discs are turned. The tutorial docs/tutorials/self-play.md explains this loop.

The agent, its learning curve (.json, .png) and TensorBoard's events (a folder) are written to --out and beside it at
each point of the curve: ``tensorboard --logdir runs``.
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

from othello_agents.network import NeuralAgent, TorchNetwork, load_network
from othello_env import self_play_advantages
from othello_env.arena import measure_progress, progress_text, scalars
from othello_env.arena.benchmark.ladder import Ladder
from othello_env.drawing import learning_curve
from othello_env.envs import GameVectorEnv
from othello_env.games.registry import GameSpec, find_game
from othello_env.support.files import write_json


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/self_play.safetensors")  # the file of the agent
    iterations: int = 1000  # each plays and learns
    every: int = 100  # iterations between points of the curve
    init: str = ""  # the agent of an earlier run, to begin with; the default is random weights
    size: Literal[4, 6, 8] = 8  # size of Othello's board
    game: str = ""  # the game, such as checkers or FILE.py:CLASS; the default is Othello of this size
    ladder: Path | None = None  # of othello-env tournament --ladder, for the curve; the default is the game's own
    seed: int = 1  # the seed of everything random
    games: int = 256  # games at once
    steps: int = 32  # plies of each game in an iteration
    minibatch: int = 512  # plies in one change of the weights
    rate: float = 1e-3  # the learning rate of Adam
    entropy: float = 0.02  # the weight of the policy's entropy
    threads: int = torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1  # PyTorch's, on a CPU


class Network(nn.Module):
    """From boards (N, C, H, W) and masks (N, A) to the logarithms of probabilities (N, A) and expected results (N,)."""

    def __init__(self, size: int, game: str = "") -> None:
        super().__init__()
        start = GameSpec.parse(game or f"othello:size={size}").start(0)
        inputs = int(np.prod(start.observation_shape))
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.policy, self.value = nn.Linear(256, start.num_actions), nn.Linear(256, 1)

    def forward(self, boards: Any, masks: Any) -> Any:
        x = self.body(boards.float())
        logits = self.policy(x).masked_fill(masks == 0, -1e9)
        return logits.log_softmax(dim=1), self.value(x).tanh().squeeze(1)


def answer(network: Network, seen: dict[str, Any]) -> Any:
    """The logarithms of the probabilities (N, A), and the values (N,), without gradients."""
    with torch.no_grad():
        return network(torch.from_numpy(seen["observation"]), torch.from_numpy(seen["action_mask"]))


def results(envs: Any, terminated: Any) -> Any:
    """The results (N, P) of all players in the games that have ended, else 0."""
    ended = np.zeros((envs.num_envs, envs.game.num_players))
    for i in np.flatnonzero(terminated):
        ended[i] = envs.final_position(i).returns()
    return ended


def play(network: Network, envs: Any, seen: Any, info: Any, steps: int) -> tuple[dict[str, Any], Any, Any]:
    """Play T plies in each of N games. Returns arrays (T, N, ...), and where the games are then."""
    rows = []
    for _ in range(steps):
        logs, values = answer(network, seen)
        actions = torch.multinomial(logs.exp(), 1)  # one for each game, by the probabilities
        before = logs.gather(1, actions).squeeze(1)
        row = {**seen, "actions": actions.squeeze(1).numpy(), "before": before.numpy(), "values": values.numpy()}
        row["players"] = info["to_move"]  # who acts now, and whose reward the step returns
        seen, row["rewards"], row["terminated"], _, info = envs.step(row["actions"])
        if envs.game.num_players > 2:  # of two, the other's reward is the negative
            row["rewards"] = results(envs, row["terminated"])
        rows.append(row)
    rollout = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    last = answer(network, seen)[1].numpy()
    acted = (rollout[name] for name in ("rewards", "values", "players", "terminated"))
    gains, returns = self_play_advantages(*acted, last, info["to_move"])  # for each side, by its own result
    return rollout | {"gains": gains.astype(np.float32), "returns": returns.astype(np.float32)}, seen, info


def learn(args: Args, network: Network, optimizer: Any, rollout: dict[str, Any]) -> dict[str, float]:
    """Change the weights once for each minibatch, in random order. Returns the last losses."""
    flat = {name: torch.from_numpy(array).flatten(0, 1) for name, array in rollout.items()}
    for chosen in torch.randperm(rollout["gains"].size).split(args.minibatch):
        part = {name: tensor[chosen] for name, tensor in flat.items()}
        logs, values = network(part["observation"], part["action_mask"])
        ratio = (logs.gather(1, part["actions"][:, None]).squeeze(1) - part["before"]).exp()
        gain = (part["gains"] - part["gains"].mean()) / (part["gains"].std() + 1e-8)
        policy_loss = -torch.minimum(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
        value_loss = (values - part["returns"]).square().mean()
        entropy = -(logs.exp() * logs).sum(dim=1).mean()
        optimizer.zero_grad()
        (policy_loss + 0.5 * value_loss - args.entropy * entropy).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()
    return {"policy": policy_loss.item(), "value": value_loss.item(), "entropy": entropy.item()}


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    if args.out.exists():
        sys.exit(f"{args.out} exists; give another --out")
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    game = find_game(args.game or f"othello:size={args.size}")
    options = {} if game.name == "othello" else {"game": str(game)}
    size = game.start(0).size if game.name == "othello" else args.size
    network = Network(size, **options)
    trained = TorchNetwork(network, f"{os.path.relpath(__file__)}:Network", size, options=options)  # the same weights
    if args.init:
        trained.assign(load_network(args.init, trained.function))
    optimizer = torch.optim.Adam(network.parameters(), lr=args.rate)
    envs = GameVectorEnv(game, args.games, opponent=None, openings="random:10", strict=True)
    seen, info = envs.reset(seed=args.seed)

    ladder = None if args.ladder is None else Ladder.from_file(args.ladder)
    title = f"Self-play, {f'{size}x{size} Othello' if game.name == 'othello' else game}, seed {args.seed}"
    print(title, flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    writer = SummaryWriter(args.out.with_suffix(""))
    settings = {name: value for name, value in asdict(args).items() if name not in ("out", "ladder")}
    curve: list[dict[str, Any]] = []
    started = time.perf_counter()
    for iteration in range(1, args.iterations + 1):
        rollout, seen, info = play(network, envs, seen, info, args.steps)
        losses = learn(args, network, optimizer, rollout)
        plies = iteration * args.games * args.steps
        for name, loss in losses.items():
            writer.add_scalar(f"losses/{name}", loss, plies)
        if iteration % args.every == 0 or iteration == args.iterations:
            seconds = round(time.perf_counter() - started, 1)
            progress = measure_progress(NeuralAgent(trained), game=game, ladder=ladder)
            curve.append({"iteration": iteration, "plies": plies, "seconds": seconds} | progress)
            print(f"iteration {iteration}  {plies:,} plies  {progress_text(progress)}", flush=True)
            for name, value in scalars(progress).items():
                writer.add_scalar(name, value, plies)
            trained.training = {"settings": settings, **curve[-1]}
            trained.save(args.out)
            write_json(args.out.with_suffix(".json"), {"settings": settings, "curve": curve})
            learning_curve(args.out.with_suffix(".png"), title, curve)
    writer.close()
    print(f"{args.out} is the agent; its curve and TensorBoard's events are beside it")
    where = f"--size {size}" if game.name == "othello" else f"--game {args.game}"
    print(f"next: othello-env benchmark {args.out}:network={trained.function} {where}")


if __name__ == "__main__":
    main()
