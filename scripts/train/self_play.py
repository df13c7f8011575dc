"""Train a network by plain self-play with a policy gradient (``pip install 'othello-env[torch]'``).

    python scripts/train/self_play.py --iterations 1000
    python scripts/train/self_play.py --iterations 2000 --resume

One network plays both sides of many games at once, a ply a step, and learns from each side's own results by PPO
(Schulman et al., 2017). There are no other opponents: `ppo.py` adds past selves, packaged agents, the board's
symmetries and a network that knows how discs are turned. The tutorial docs/tutorials/self-play.md explains this loop.

The learning curve (.json, .png) and the state for --resume (.state.safetensors) are written beside the agent. A resumed
run begins new games, so it is not the same as an uninterrupted one. Ctrl-C ends the run; its files are those of the
last point of the curve.
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
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

from othello_agents.network import CustomNetwork, NeuralAgent, load_training, save_training
from othello_env import make_vec_env, self_play_advantages
from othello_env.arena import measure_progress, progress_text
from othello_env.drawing import learning_curve
from othello_env.support.files import write_json


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/self_play.safetensors")  # the file of the agent
    iterations: int = 1000  # iterations of the whole run
    resume: bool = False  # continue the run of --out
    every: int = 100  # iterations between points of the curve
    # The results depend on the options from here on. A resumed run must have the same.
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    games: int = 256  # games at once
    steps: int = 32  # plies of each game in an iteration
    minibatch: int = 512  # plies in one change of the weights
    rate: float = 1e-3  # the learning rate of Adam
    entropy: float = 0.02  # the weight of the policy's entropy


RUN = ("out", "iterations", "resume", "every")  # may change on --resume


class Network(nn.Module):
    """From boards (N, 2, S, S) and masks (N, A) to the logarithms of probabilities (N, A) and expected results (N,)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(2 * size**2, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.policy, self.value = nn.Linear(256, size**2 + 1), nn.Linear(256, 1)

    def forward(self, boards: Any, masks: Any) -> Any:
        x = self.body(boards.float())
        logits = self.policy(x).masked_fill(masks == 0, -1e9)
        return logits.log_softmax(dim=1), self.value(x).tanh().squeeze(1)


def answer(network: Network, seen: dict[str, Any]) -> Any:
    with torch.no_grad():
        return network(torch.from_numpy(seen["observation"]), torch.from_numpy(seen["action_mask"]))


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
        rows.append(row)
    rollout = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    last = answer(network, seen)[1].numpy()
    acted = (rollout[name] for name in ("rewards", "values", "players", "terminated"))
    gains, returns = self_play_advantages(*acted, last, info["to_move"])  # for each side, by its own result
    return rollout | {"gains": gains.astype(np.float32), "returns": returns.astype(np.float32)}, seen, info


def learn(args: Args, network: Network, optimizer: Any, rollout: dict[str, Any]) -> None:
    """Change the weights once for each minibatch, in random order."""
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


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__, config=(tyro.conf.FlagCreatePairsOff,))
    settings = {name: value for name, value in asdict(args).items() if name not in RUN}
    suffixes = (".safetensors", ".json", ".png", ".state.safetensors")
    out, curve_file, picture, state = files = [args.out.with_suffix(suffix) for suffix in suffixes]
    if not args.resume and (there := [file for file in files if file.exists()]):
        sys.exit(f"{there[0]} exists; --resume continues its run, and another --out begins a new one")
    out.parent.mkdir(parents=True, exist_ok=True)

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # a small network is not faster with more
    network = Network(args.size)
    trained = CustomNetwork(network, f"{os.path.relpath(__file__)}:Network", args.size)  # with the weights of `network`
    optimizer = torch.optim.Adam(network.parameters(), lr=args.rate)
    run: dict[str, Any] = {"iteration": 0, "seconds": 0.0, "curve": []}
    if args.resume:
        try:
            run, _ = load_training(state, {"network": trained}, optimizer, settings)
        except (OSError, ValueError) as error:
            sys.exit(f"self_play.py: {error}")
        torch.manual_seed(args.seed + run["iteration"])
    if run["iteration"] >= args.iterations:
        print(f"nothing left to do after {run['iteration']} iterations; give more --iterations")
    envs = make_vec_env(args.games, opponent=None, size=args.size, openings="random:10", strict=True)
    seen, info = envs.reset(seed=args.seed + run["iteration"])
    started = time.perf_counter() - run["seconds"]
    try:
        for iteration in range(run["iteration"] + 1, args.iterations + 1):
            rollout, seen, info = play(network, envs, seen, info, args.steps)
            learn(args, network, optimizer, rollout)
            if iteration % args.every and iteration < args.iterations:
                continue
            run |= {"iteration": iteration, "seconds": round(time.perf_counter() - started, 1)}
            point = {"iteration": iteration, "plies": iteration * args.games * args.steps, "seconds": run["seconds"]}
            run["curve"].append(point | measure_progress(NeuralAgent(trained), size=args.size))
            print(f"iteration {iteration}  {point['plies']:,} plies  {progress_text(run['curve'][-1])}", flush=True)
            trained.training = {"settings": settings, **run["curve"][-1]}
            trained.save(out)
            write_json(curve_file, {"settings": settings, "curve": run["curve"]})
            learning_curve(picture, f"Self-play, {args.size}x{args.size} Othello, seed {args.seed}", run["curve"])
            save_training(state, {"network": trained}, optimizer, settings, run)
    except KeyboardInterrupt:
        print(f"interrupted; --resume continues after iteration {run['iteration']}")
        sys.exit(130)
    print(f"{out} is the agent, {curve_file} and {picture} its curve, {state} is for --resume")
    print(f"next: othello-env benchmark {out}:network={trained.function} --size {args.size}")


if __name__ == "__main__":
    main()
