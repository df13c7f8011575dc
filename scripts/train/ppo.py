"""Train a policy by self-play with PPO (``pip install 'othello-env[torch]'``).

    python scripts/train/ppo.py --out runs/ppo.safetensors --seconds 1800
    python scripts/train/ppo.py --out runs/more.safetensors --seconds 1800 --init runs/ppo.safetensors
    python scripts/train/ppo.py --out runs/tuned.safetensors --init runs/imitation.safetensors --rate 5e-4

In most games the policy plays both sides, and each side learns from its own result (PPO: Schulman et al., 2017). In the
other games it plays against a league of packaged agents and its past selves. The agent has the mean of the weights of
the last iterations, with which it plays better than with those of a single one.

By default the network evaluates the board after each legal move (`othello_agents.network`). With --network residual it
is convolutional, and learns better with --games 128 --rate 2.5e-3 --entropy 0.02 --gae-lambda 0.95. A third one is for
you to change: the class `Network` below, with --network scripts/train/ppo.py:Network.

The agent, its learning curve (.json, .png), its league (the folder .league) and TensorBoard's events (a folder) are
written to --out and beside it at each point of the curve: ``tensorboard --logdir runs``.
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

from othello_agents.network import NeuralAgent, draw_actions, load_network, make_network
from othello_env import make_vec_env
from othello_env.arena import measure_progress, progress_text, scalars
from othello_env.drawing import learning_curve
from othello_env.games.othello import symmetries
from othello_env.league import League
from othello_env.support.files import write_json


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/ppo.safetensors")  # the file of the agent
    iterations: int = 1_000_000_000  # the most iterations; --seconds may end the run sooner
    seconds: float = 3600.0  # seconds of training, to the end of an iteration; measurements do not count
    every: int = 20  # iterations between points of the curve
    match: int = 100  # games of each match of the curve, and games on the ladder; an even number
    device: str = "cuda" if torch.cuda.is_available() else "cpu"  # the network's device, for example cpu or cuda
    threads: int = torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1  # PyTorch's, on a CPU
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    network: str = "afterstates"  # afterstates, residual, or your own, as path.py:name or package.module:name
    init: str = ""  # a network to begin with, for example of imitation.py; the default is random weights
    games: int = 512  # games of an iteration; all are played at once
    league: float = 0.25  # the share of the games against packaged agents and past selves
    rate: float = 1e-3  # the learning rate of Adam
    entropy: float = 0.005  # the weight of the policy's entropy
    gae_lambda: float = 0.6  # 0 trusts the network's values, 1 the results of the games
    precision: Literal["float32", "bfloat16"] = "float32"  # of gradients; bfloat16 is faster on some processors


STEPS = 64  # plies of each game in an iteration, which begins new games: at least a game's length
RANDOM_PLIES = 20  # the most random plies at a game's start on 8x8; in proportion fewer on smaller boards
CHANNELS, BLOCKS = 32, 2  # of the residual network
EPOCHS, MINIBATCH = 1, 512  # how many times the network learns from each ply; plies in one change of the weights
CLIP = 0.2  # the largest relative change of an action's probability
VALUE = 0.5  # the weight of the value's squared error
GRADIENT = 0.5  # the largest norm of a gradient
AVERAGE = 20.0  # iterations after which old weights count half in the agent's mean weights
PACKAGED = ("maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted")  # half of the league's games are against them
SNAPSHOT, PAST = 10, 50  # iterations between two past selves; the most past selves
OPPONENTS = 8  # drawn from the league for an iteration


class Network(nn.Module):
    """An example of your own network: --network scripts/train/ppo.py:Network trains it. Change it as you like."""

    def __init__(self, size: int) -> None:
        super().__init__()
        squares = size * size
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(2 * squares, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.policy, self.value = nn.Linear(256, squares + 1), nn.Linear(256, 1)

    def forward(self, observations: Any, masks: Any) -> Any:
        """From boards (N, 2, S, S), floats, and masks (N, A), bools, to logits (N, A) and values (N,), -1 to 1."""
        x = self.body(observations)
        return self.policy(x), self.value(x).tanh().squeeze(1)


def autocast(args: Args, playing: bool = False) -> Any:
    """The context in which the network computes. On a CPU it plays with float32 in any case."""
    kind = torch.device(args.device).type
    return torch.autocast(kind, torch.bfloat16, args.precision == "bfloat16" and not (playing and kind == "cpu"))


def check_finite(numbers: Any) -> None:
    if not np.isfinite(numbers).all():
        sys.exit("the training has diverged; a lower --rate may help")


def play(args: Args, network: Any, env: Any, rng: np.random.Generator, league: League) -> dict[str, Any]:
    """Begin N new games and play T plies in each. Returns arrays (T, N, ...), with the advantages and the returns."""
    env.set_openings(f"random:{rng.integers(RANDOM_PLIES * args.size**2 // 64 + 1)}")
    observation, _ = env.reset(seed=int(rng.integers(2**31)))
    rows = []
    for _ in range(STEPS):
        k = int(rng.integers(symmetries.COUNT))
        planes = np.ascontiguousarray(symmetries.transform_observation(observation["observation"], k))
        row = {"observations": planes, "masks": symmetries.transform_policy(observation["action_mask"], k)}
        with autocast(args, playing=True):
            policy, row["values"] = network.answers(planes, row["masks"])
        check_finite(policy)
        row["actions"] = draw_actions(policy, rng.random(env.num_envs))
        row["log_probabilities"] = np.log(policy[np.arange(env.num_envs), row["actions"]])
        row["players"] = env.to_move  # who acts now, and whose reward the step returns
        actions = symmetries.transform_actions(row["actions"], symmetries.inverse(k), args.size)
        observation, row["rewards"], row["terminated"], _, info = env.step(actions)
        if env.opponents:
            league.record(env, row["rewards"], row["terminated"], info)
        rows.append(row)
    with autocast(args, playing=True):
        last = network.answers(observation["observation"], observation["action_mask"])[1]
    rollout = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    gains = advantages(rollout, last, env.to_move, args.gae_lambda)
    return rollout | {"advantages": gains, "returns": gains + rollout["values"]}


def advantages(rollout: dict[str, Any], last: Any, to_move: Any, gae_lambda: float) -> Any:
    """Generalised advantage estimation (Schulman et al., 2016) for two sides that move in turn: (T, N).

    For each side, the other side is a part of the environment: its next value, its next advantage and the rewards until
    then are those of its own next turn. `othello_env.self_play_advantages` is the same for any environment.

    Args:
        rollout: arrays (T, N): the rewards and values of the players who acted, and where games ended.
        last: (N,), the values after the last step, for the players to move.
        to_move: (N,), these players.
        gae_lambda: 0 trusts the values, 1 the rewards.
    """
    players, games = rollout["players"].astype(np.intp), np.arange(len(last))
    value, gain, collected = np.zeros((2, len(last))), np.zeros((2, len(last))), np.zeros((2, len(last)))
    value[to_move, games], value[1 - to_move, games] = last, -last
    gains = np.zeros(players.shape)
    for t in reversed(range(len(players))):
        player, reward, over = players[t], rollout["rewards"][t], rollout["terminated"][t]
        value[:, over] = gain[:, over] = collected[:, over] = 0.0  # nothing follows the end of a game
        collected[1 - player, games] -= reward
        error = collected[player, games] + reward + value[player, games] - rollout["values"][t]
        gains[t] = gain[player, games] = error + gae_lambda * gain[player, games]
        value[player, games], collected[player, games] = rollout["values"][t], 0.0
    return gains


def learn(args: Args, network: Any, optimizer: Any, data: dict[str, Any], rng: Any) -> dict[str, float]:
    """Change the weights once for each minibatch of the data that `play` returned. Returns the mean losses."""
    arrays = [data[name].astype(np.float32) for name in ("log_probabilities", "advantages", "returns")]
    arrays += [data[name] for name in ("observations", "masks", "actions")]
    flat = [torch.from_numpy(array).flatten(0, 1).to(args.device) for array in arrays]
    losses = []
    for _ in range(EPOCHS):
        for chosen in torch.from_numpy(rng.permutation(len(flat[0]))).to(args.device).split(MINIBATCH):
            before, gain, target, observations, masks, actions = (tensor[chosen] for tensor in flat)
            with autocast(args):
                logits, values = network.forward(observations, masks)
            policy = torch.log_softmax(logits.float(), dim=1)
            ratio = (policy.gather(1, actions[:, None]).squeeze(1) - before).exp()
            gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
            policy_loss = -torch.minimum(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            value_loss = (values.float() - target).square().mean()
            entropy = -(policy.exp() * policy).sum(dim=1).mean()
            optimizer.zero_grad()
            (policy_loss + VALUE * value_loss - args.entropy * entropy).backward()
            nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], GRADIENT)
            optimizer.step()
            losses.append(torch.stack([policy_loss, value_loss, entropy]).detach())
    means = torch.stack(losses).mean(dim=0).tolist()
    check_finite([*means, *(weight.sum().item() for weight in network.weights.values())])
    return {name: round(mean, 4) for name, mean in zip(("policy", "value", "entropy"), means, strict=True)}


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    torch.set_num_threads(args.threads)
    for file in (args.out, folder := args.out.with_suffix(".league")):
        if file.exists():
            sys.exit(f"{file} exists; give another --out")
    own = args.network if ":" in args.network else None  # the function that makes a network of yours
    network = make_network(args.network, args.size, args.seed, channels=CHANNELS, blocks=BLOCKS)
    if args.init:
        network = network.with_weights(load_network(args.init, own).weights)
    network = network.to(args.device)
    average = network.copy()  # the agent
    fused = torch.device(args.device).type == "cpu"  # much faster for the large tables of afterstates
    optimizer = torch.optim.Adam([*network.trained_weights().values()], lr=args.rate, eps=1e-5, fused=fused)
    league = League(PACKAGED, matchmaking="pfsp", fixed_share=0.5, keep=PAST, half_life=100, seed=args.seed)
    against = min(round(args.league * args.games), args.games - 1)  # the number of games against the league
    envs = [make_vec_env(args.games - against, opponent=None, size=args.size, strict=True)]
    envs += [make_vec_env(against, size=args.size, strict=True)] if against else []

    settings = {name: value for name, value in asdict(args).items() if name != "out"}
    card = {"command": " ".join(["python", *sys.argv]), "settings": settings}
    title = f"PPO learns {args.size}x{args.size} Othello, seed {args.seed}"
    print(title, flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    writer = SummaryWriter(args.out.with_suffix(""))
    losses: dict[str, float] = {}
    curve: list[dict[str, Any]] = []
    plies, started = 0, time.perf_counter()
    for iteration in range(args.iterations + 1):
        seconds = time.perf_counter() - started
        done = seconds >= args.seconds or iteration == args.iterations
        if done or iteration % args.every == 0:
            progress = measure_progress(NeuralAgent(average), game=f"othello:size={args.size}", games=args.match)
            curve.append({"iteration": iteration, "plies": plies, "seconds": round(seconds, 1)} | losses | progress)
            print(f"iteration {iteration}  {plies:,} plies  {seconds:.0f} s  {progress_text(progress)}", flush=True)
            for name, value in scalars(progress).items():
                writer.add_scalar(name, value, plies)
            average.training = card | curve[-1]
            average.save(args.out)
            write_json(args.out.with_suffix(".json"), card | {"curve": curve})
            learning_curve(args.out.with_suffix(".png"), title, curve)
            league.save(folder)
            started = time.perf_counter() - seconds  # measurements do not count
        if done:
            break

        rng = np.random.default_rng([args.seed, iteration])
        torch.manual_seed(args.seed + iteration)  # for a network of yours that draws random numbers
        if iteration % SNAPSHOT == 0:
            league.add(NeuralAgent(network.copy(), 1.0), f"iteration {iteration}", played=plies)
        for env in envs[1:]:
            env.set_opponents(league.opponents(OPPONENTS))
        rollouts = [play(args, network, env, rng, league) for env in envs]
        data = {name: np.concatenate([rollout[name] for rollout in rollouts], axis=1) for name in rollouts[0]}
        losses = learn(args, network, optimizer, data, rng)
        average.approach(network, max(1 - 0.5 ** (1 / AVERAGE), 9 / (9 + iteration)))  # at first mostly the newest
        plies += data["actions"].size
        for name, loss in losses.items():
            writer.add_scalar(f"losses/{name}", loss, plies)
    writer.close()
    print(f"{args.out} is the agent; its curve, its league and TensorBoard's events are beside it")
    print(f"next: othello-env benchmark {args.out}{f':network={own}' if own else ''} --size {args.size}")


if __name__ == "__main__":
    main()
