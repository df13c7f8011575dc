"""Train a policy by self-play with PPO on the vector environment (PyTorch: ``pip install 'othello-env[torch]'``).

    python scripts/train_ppo.py --out runs/ppo.safetensors --seconds 3600
    python scripts/train_ppo.py --out runs/ppo.safetensors --seconds 3600 --resume
    python scripts/train_ppo.py --out runs/small.safetensors --size 6 --iterations 100 --seed 2

Proximal policy optimisation (Schulman et al., 2017). In most games the policy plays both sides and each side learns
from its own result; in the others it meets packaged agents and its own past selves. Games begin after a random number
of random plies, and each step is seen in one of the board's eight symmetries. The agent has the mean of the weights of
the last iterations, which plays better than any of them.

What was learned is an agent by its path: ``othello-env play --white runs/ppo.safetensors``. Beside it are the curve
(.json, .png) and all that it takes to go on (.state.safetensors). An iteration depends on nothing but the weights, the
optimiser, the past selves, the seed and its number: a run that was resumed equals one that was never interrupted, on a
CPU to the last bit. Ctrl-C ends a run after the present iteration.
"""

import argparse
import importlib.util
import signal
import sys
import time
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

try:
    import torch
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

from _arguments import real, whole
from _recipe import learner_tensors, network_of, option, read_run, restore_learner

from othello_agents.network.neural import NeuralAgent, NeuralNetwork, write_tensors
from othello_agents.network.policy import draw_actions
from othello_env import Othello
from othello_env.arena.match import MatchResult, play_match
from othello_env.arena.rating.placement import place
from othello_env.drawing.chart import CurvePoint, learning_chart, png
from othello_env.envs.returns import self_play_advantages
from othello_env.games.othello.symmetries import (
    COUNT,
    inverse,
    transform_actions,
    transform_observation,
    transform_policy,
)
from othello_env.support.files import write_file, write_json

LADDER = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted")
OPENINGS = {4: "random:3", 6: "random:6", 8: "random:10"}
PRECISIONS = ("float32", "bfloat16")
FORMAT = "othello-env ppo 2"


def setting(default: Any, text: str, least: float = 1, most: float = 1e9) -> Any:
    return field(default=default, metadata={"help": f"{text} [%(default)s]", "limits": (least, most)})


@dataclass(frozen=True)
class Settings:
    """What a run's results depend on."""

    size: int = setting(8, "of the board: 4, 6 or 8")
    seed: int = setting(1, "of everything random", least=0, most=2**63 - 1)
    channels: int = setting(32, "of the network's convolutions", most=512)
    blocks: int = setting(2, "residual blocks of the network", least=0, most=64)
    games: int = setting(128, "played at once")
    steps: int = setting(64, "in each game before the weights change")
    league: float = setting(
        0.25, "the part of the games that is played against packaged agents and past selves", least=0, most=1
    )
    snapshot: int = setting(10, "iterations from one past self to the next")
    past: int = setting(8, "past selves in the league, the newest")
    random_plies: int = setting(
        20, "with which games begin, at most, on 8x8; on a smaller board in proportion to it", least=0, most=48
    )
    epochs: int = setting(1, "how often each step is learned from")
    minibatch: int = setting(512, "steps in one change of the weights")
    rate: float = setting(2.5e-3, "the optimiser's learning rate", least=1e-9)
    clip: float = setting(0.2, "how far the probability of an action may move, as a part of it", least=1e-9)
    entropy: float = setting(0.02, "the weight of the policy's entropy", least=0)
    value: float = setting(0.5, "the weight of the value's squared error", least=0)
    gae_lambda: float = setting(0.95, "0 trusts the values, 1 the results", least=0, most=1)
    gradient: float = setting(0.5, "the largest norm of a gradient", least=1e-9)
    average: float = setting(20.0, "iterations after which a weight counts half in the agent's mean", least=1e-9)
    precision: str = setting("float32", "of the gradients: float32, or bfloat16, which some processors do quicker")


Rollout = dict[str, Any]
"""Arrays (T, N, ...): observations, masks, actions, log_probabilities, values, rewards, players, terminated."""


def check(sound: Any) -> None:
    """Raise FloatingPointError unless all is true."""
    if not np.all(sound):
        raise FloatingPointError("the training has diverged: its numbers are too large; a lower --rate may help")


class Learner:
    """A run: the network, the optimiser, the past selves, and how far it is."""

    def __init__(self, settings: Settings, device: str = "cpu") -> None:
        self.settings = s = settings
        self.device = device
        network = NeuralNetwork(s.size, s.channels, s.blocks, seed=s.seed)
        self.network = network.to(device)
        self.average = self.network.copy()
        self.iteration = 0
        self.plies = 0
        self.past: list[NeuralNetwork] = []
        against = min(round(s.league * s.games), s.games - 1)
        make = partial(gymnasium.make_vec, "othello_env/Othello-v0", size=s.size, strict=True)
        self.envs = [make(num_envs=s.games - against, opponent=None)]
        if against:
            self.envs.append(make(num_envs=against))
        self.parameters = [weight.requires_grad_() for weight in self.network.weights.values()]
        self.optimizer = torch.optim.Adam(self.parameters, lr=s.rate, eps=1e-5)

    def iterate(self) -> dict[str, float]:
        """Play some steps of many games, learn from them, and return what was seen."""
        s = self.settings
        rng = np.random.default_rng([s.seed, self.iteration])
        if self.iteration % s.snapshot == 0:
            self.past = [*self.past, self.network.copy()][-s.past :]
        parts = [self.play(env, rng) for env in self._prepared()]
        rollout = {
            name: np.concatenate([part[name] for part in parts], axis=-1 if name.startswith("last") else 1)
            for name in parts[0]
        }
        advantages, returns = self_play_advantages(
            rollout["rewards"],
            rollout["values"],
            rollout["players"],
            rollout["terminated"],
            rollout["last_values"],
            rollout["last_players"],
            gae_lambda=s.gae_lambda,
        )
        seen = self.learn(rollout, advantages, returns, rng)
        check(np.isfinite([*seen.values(), *(weight.sum().item() for weight in self.parameters)]))
        share = max(1 - 0.5 ** (1 / s.average), 9 / (9 + self.iteration))  # it follows quickly at first
        with torch.no_grad():
            for name, weight in self.network.weights.items():
                self.average.weights[name].lerp_(weight, share)
        self.iteration += 1
        self.plies += advantages.size
        return seen

    def _prepared(self) -> list[Any]:
        if len(self.envs) > 1:
            packaged = LADDER[1:]
            league: dict[Any, float] = {NeuralAgent(network, 1.0): 0.5 / len(self.past) for network in self.past}
            self.envs[1].unwrapped.set_opponents(league | dict.fromkeys(packaged, 0.5 / len(packaged)))
        return self.envs

    def play(self, env: Any, rng: np.random.Generator) -> Rollout:
        """T steps of N games from new starts."""
        s = self.settings
        env.set_openings(f"random:{rng.integers(s.random_plies * s.size**2 // 64 + 1)}")
        observation, _ = env.reset(seed=int(rng.integers(2**31)))
        steps: dict[str, list[Any]] = {}
        for _ in range(s.steps):
            symmetry = int(rng.integers(COUNT))
            seen = {
                "observations": np.ascontiguousarray(transform_observation(observation["observation"], symmetry)),
                "masks": transform_policy(observation["action_mask"], symmetry),
            }
            policy, seen["values"] = self.network.answers(seen["observations"], seen["masks"])
            seen["actions"] = draw_actions(policy, rng.random(env.num_envs))
            check(seen["masks"][np.arange(env.num_envs), seen["actions"]])
            seen["log_probabilities"] = np.log(policy[np.arange(env.num_envs), seen["actions"]])
            actions = transform_actions(seen["actions"], inverse(symmetry), s.size)
            seen["players"] = env.unwrapped.to_move
            observation, seen["rewards"], seen["terminated"], _, _ = env.step(actions)
            for name, array in seen.items():
                steps.setdefault(name, []).append(array)
        last = self.network.answers(observation["observation"], observation["action_mask"])[1]
        return {name: np.stack(arrays) for name, arrays in steps.items()} | {
            "last_values": last,
            "last_players": env.unwrapped.to_move,
        }

    def learn(self, rollout: Rollout, advantages: Any, returns: Any, rng: np.random.Generator) -> dict[str, float]:
        """Change the weights by a rollout; returns the mean losses."""
        s = self.settings
        count = advantages.size

        def flat(array: Any, dtype: Any = None) -> torch.Tensor:
            return torch.from_numpy(array.reshape(count, *array.shape[2:])).to(self.device, dtype)

        observations, masks, actions = (flat(rollout[name]) for name in ("observations", "masks", "actions"))
        before = flat(rollout["log_probabilities"], torch.float32)
        gains, targets = flat(advantages, torch.float32), flat(returns, torch.float32)
        sums: dict[str, float] = {}
        changes = 0
        for _ in range(s.epochs):
            order = torch.from_numpy(rng.permutation(count)).to(self.device)
            for chosen in order.split(s.minibatch):
                with torch.autocast(torch.device(self.device).type, torch.bfloat16, s.precision == "bfloat16"):
                    logits, values = self.network.forward(observations[chosen], masks[chosen])
                policy = torch.log_softmax(logits.float(), dim=1)
                ratio = (policy.gather(1, actions[chosen, None]).squeeze(1) - before[chosen]).exp()
                gain = gains[chosen]
                gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
                losses = {
                    "policy": -torch.minimum(ratio * gain, ratio.clamp(1 - s.clip, 1 + s.clip) * gain).mean(),
                    "value": (values.float() - targets[chosen]).square().mean(),
                    "entropy": -(policy.exp() * policy).sum(dim=1).mean(),
                }
                self.optimizer.zero_grad()
                (losses["policy"] + s.value * losses["value"] - s.entropy * losses["entropy"]).backward()
                torch.nn.utils.clip_grad_norm_(self.parameters, s.gradient)
                self.optimizer.step()
                changes += 1
                for name, loss in losses.items():
                    sums[name] = sums.get(name, 0.0) + loss.item()
        return {name: total / changes for name, total in sums.items()}

    def measure(self, games: int, opponents: tuple[str, ...] = LADDER) -> dict[str, MatchResult]:
        """Matches of the policy's likeliest actions."""
        size = self.settings.size
        agent = NeuralAgent(self.average)
        return {
            opponent: play_match(
                agent, opponent, games=games, openings=OPENINGS[size], seed=1, new_game=lambda _: Othello(size)
            )
            for opponent in opponents
        }

    def save(self, path: Path, progress: dict[str, Any]) -> None:
        """Write all that it takes to go on."""
        tensors = learner_tensors(self.network, self.optimizer)
        named = {"average": self.average} | {f"past.{k}": network for k, network in enumerate(self.past)}
        for owner, network in named.items():
            tensors |= {f"{owner}.{name}": weight for name, weight in network.weights.items()}
        card = {"format": FORMAT, "settings": asdict(self.settings), "iteration": self.iteration}
        write_tensors(path, tensors, card | {"plies": self.plies, "past": len(self.past), "progress": progress})

    @classmethod
    def load(cls, path: Path, settings: Settings, device: str = "cpu") -> tuple["Learner", dict[str, Any]]:
        """A run that `save` wrote, and its progress.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it is no such run, or one with other settings.
        """
        tensors, card = read_run(
            path, FORMAT, asdict(settings), counts=("plies", "past"), over="plies", opponents=LADDER
        )
        learner = cls(settings, device)
        learner.iteration, learner.plies = card["iteration"], card["plies"]
        restore_learner(tensors, learner.network, learner.optimizer)
        for name, weight in network_of(tensors, "average", learner.network).weights.items():
            learner.average.weights[name].copy_(weight)
        for k in range(card["past"]):
            learner.past.append(network_of(tensors, f"past.{k}", learner.network).to(device))
        return learner, card["progress"]


def train(learner: Learner, args: argparse.Namespace, progress: dict[str, Any], stop: list[int]) -> None:
    """Iterate until there was enough, and write down where it stands now and then."""
    board = None
    if args.tensorboard:
        from torch.utils.tensorboard import SummaryWriter  # an extra package

        board = SummaryWriter(args.tensorboard)
    begin = time.perf_counter() - progress["seconds"]
    seen: dict[str, float] = {}
    while True:
        progress["seconds"] = time.perf_counter() - begin
        is_last = bool(stop) or learner.iteration >= args.iterations or progress["seconds"] >= args.seconds
        is_new = not progress["curve"] or progress["curve"][-1]["iteration"] != learner.iteration
        is_measured = is_new and (learner.iteration % args.every == 0 or is_last)
        where = f"iteration {learner.iteration}  {learner.plies:,} plies  {progress['seconds']:.0f} s"
        if is_measured:
            show(f"{where}  measuring")
            if is_last:  # a second Ctrl-C may end the measurement
                learner.save(args.out.with_suffix(".state.safetensors"), progress)
            results = learner.measure(args.match)
            point = {"iteration": learner.iteration, "plies": learner.plies, "seconds": round(progress["seconds"], 1)}
            point |= {name: round(number, 4) for name, number in seen.items()}
            point["scores"] = {opponent: round(result.score, 4) for opponent, result in results.items()}
            if learner.settings.size == 8:  # the ladder's board
                placement = place(NeuralAgent(learner.average), games=args.match)
                if placement.elo is not None:  # else it lost all games
                    point["elo"], point["elo95"] = round(placement.elo), [round(end) for end in placement.interval]
            progress["curve"].append(point)
            progress["seconds"] = time.perf_counter() - begin
            keep(learner, args.out, progress, args.match)
            scores = [f"{opponent.partition(':')[0]} {score:.2f}" for opponent, score in point["scores"].items()]
            elo = [f"Elo {point['elo']}"] if "elo" in point else []
            show("")
            print(where, *scores, *elo, sep="  ", flush=True)
            if board:
                for opponent, result in results.items():
                    board.add_scalar(f"score/{opponent}", result.score, learner.plies)
                if "elo" in point:
                    board.add_scalar("elo", point["elo"], learner.plies)
                board.flush()
        if is_last or (is_measured and stop):
            return
        show(where)
        seen = learner.iterate()
        if board:
            for name, number in seen.items():
                board.add_scalar(f"train/{name}", number, learner.plies)


def show(text: str) -> None:
    """Show how far the run is, in one line of a terminal, which the next call replaces; nothing in a pipe."""
    if sys.stderr.isatty():
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def keep(learner: Learner, out: Path, progress: dict[str, Any], games: int) -> None:
    """Write the agent, the curve and the run."""
    card = {"command": " ".join(["python", *sys.argv]), "settings": asdict(learner.settings)}
    learner.average.training = card | {"iteration": learner.iteration, "plies": learner.plies} | progress["curve"][-1]
    learner.average.save(out)
    learner.save(out.with_suffix(".state.safetensors"), progress)
    write_json(out.with_suffix(".json"), card | {"curve": progress["curve"]})
    s = learner.settings
    title = f"PPO learns {s.size}x{s.size} Othello by self-play, seed {s.seed}"
    subtitle = f"score of the likeliest moves, {games} games at each point from {OPENINGS[s.size]}"
    lines = {
        opponent: [CurvePoint(p["plies"], p["seconds"], p["scores"][opponent]) for p in progress["curve"]]
        for opponent in LADDER
    }
    write_file(out.with_suffix(".png"), png(learning_chart(title, subtitle, lines, "plies")))


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the agent, a .safetensors file")
    parser.add_argument(
        "--iterations", type=whole(0, sys.maxsize), default=sys.maxsize, help="in all, if the seconds suffice"
    )
    parser.add_argument("--seconds", type=real(0), default=3600.0, help="in all, measurements included [%(default)s]")
    parser.add_argument("--resume", action="store_true", help="go on where the run of this name ended")
    parser.add_argument(
        "--every", type=whole(1), default=20, help="iterations between points of the curve [%(default)s]"
    )
    parser.add_argument(
        "--match", type=whole(2), default=100, help="games of each match and on the ladder [%(default)s]"
    )
    parser.add_argument(
        "--device", default="cuda" if torch.cuda.is_available() else "cpu", help="of the network [%(default)s]"
    )
    parser.add_argument("--tensorboard", type=Path, help="a folder for TensorBoard's logs")
    for each in fields(Settings):
        parser.add_argument(
            option(each.name), type=type(each.default), default=each.default, help=each.metadata["help"]
        )
    args = parser.parse_args(arguments)
    if args.out.suffix != ".safetensors":
        parser.error(f"--out is a .safetensors file, not {args.out}")
    if args.out.exists() and not args.resume:
        parser.error(f"--out {args.out} exists; --resume goes on with it")
    try:
        torch.empty(0, device=args.device)
    except (AssertionError, RuntimeError):  # PyTorch's own words for it can be a page
        parser.error(f"--device: there is no {args.device} that PyTorch can use")
    if args.tensorboard and importlib.util.find_spec("tensorboard") is None:
        parser.error("--tensorboard needs a package: pip install tensorboard")
    limits = {each.name: each.metadata["limits"] for each in fields(Settings) if each.type is not str}
    for name, (least, most) in limits.items():
        if not least <= getattr(args, name) <= most:
            parser.error(f"{option(name)} is {least:g} to {most:g}, not {getattr(args, name)}")
    if args.size not in OPENINGS:
        parser.error(f"--size is 4, 6 or 8, not {args.size}")
    if args.precision not in PRECISIONS:
        parser.error(f"--precision is {' or '.join(PRECISIONS)}, not {args.precision}")
    if args.match < 2 or args.match % 2:
        parser.error(f"--match is an even number of at least 2, not {args.match}")
    return args


def main(arguments: list[str] | None = None) -> Learner:
    args = parse(arguments)
    settings = Settings(**{each.name: getattr(args, each.name) for each in fields(Settings)})
    progress: dict[str, Any] = {"seconds": 0.0, "curve": []}
    if args.resume:
        try:
            learner, progress = Learner.load(args.out.with_suffix(".state.safetensors"), settings, args.device)
        except (OSError, ValueError) as error:
            sys.exit(f"--resume: {error}")
    else:
        learner = Learner(settings, args.device)
    stop: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        stop.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # the second Ctrl-C does not wait

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        learner.save(args.out.with_suffix(".state.safetensors"), progress)  # tells at once whether it can be written
        train(learner, args, progress, stop)
    except (FloatingPointError, OSError) as error:
        show("")
        sys.exit(f"iteration {learner.iteration}: {error}")
    finally:
        signal.signal(signal.SIGINT, before)
    return learner


if __name__ == "__main__":
    main()
