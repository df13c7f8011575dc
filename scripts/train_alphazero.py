r"""Train a policy and value network by self-play with tree search (PyTorch: ``pip install 'othello-env[torch]'``).

    python scripts/train_alphazero.py --size 6 --out runs/az.safetensors --seconds 3600
    python scripts/train_alphazero.py --size 6 --out runs/az.safetensors --seconds 3600 --resume
    python scripts/train_alphazero.py --out runs/az8.safetensors --device cuda --games 1024 --channels 64 --blocks 5 \
        --simulations 32 --window 1000000 --seconds 36000

The last command is a setting for a GPU; it has not been run.

AlphaZero (Silver et al., 2018) with the search of Gumbel AlphaZero (Danihelka et al., 2022), which learns from few
simulations. An iteration plays many games at once, from random openings to their ends: in each position the search
chooses the move, and what it made of the network's policy is what the policy learns; the value learns the result for
the player to move. Positions of the last iterations are learned from in all eight symmetries of the board.

What was learned is an agent by its path, with or without looking ahead: ``runs/az.safetensors:simulations=64``. Beside
it are the curve (.json, .png) and all that it takes to go on (.state.safetensors). An iteration depends on nothing but
the weights, the optimiser, the positions kept, the seed and its number: a run that was resumed equals one that was
never interrupted, on a CPU to the last bit. Ctrl-C ends a run after the present iteration.
"""

import argparse
import importlib.util
import signal
import sys
import time
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

try:
    import torch
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

from _arguments import real, whole
from _recipe import learner_tensors, option, read_run, restore_learner

from othello_agents.mcts.gumbel import search
from othello_agents.network.neural import NeuralAgent, NeuralNetwork, write_tensors
from othello_env import Othello
from othello_env.arena.match import MatchResult, play_match
from othello_env.arena.rating.placement import place
from othello_env.drawing.chart import CurvePoint, learning_chart, png
from othello_env.games.openings import Openings
from othello_env.games.othello.bitboard import ACTION_BITS, BOARDS, advance_batch
from othello_env.games.othello.position import OthelloBatch
from othello_env.games.othello.symmetries import COUNT, transform_observation, transform_policy
from othello_env.support.files import write_file, write_json

LADDER = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted")
YARDSTICK = "alphabeta:depth=2,eval=weighted"
OPENINGS = {4: "random:3", 6: "random:6", 8: "random:10"}
PRECISIONS = ("float32", "bfloat16")
FORMAT = "othello-env alphazero 1"


def setting(default: Any, text: str, least: float = 1, most: float = 1e9) -> Any:
    return field(default=default, metadata={"help": f"{text} [%(default)s]", "limits": (least, most)})


@dataclass(frozen=True)
class Settings:
    """What a run's results depend on."""

    size: int = setting(8, "of the board: 4, 6 or 8")
    seed: int = setting(1, "of everything random", least=0, most=2**63 - 1)
    channels: int = setting(32, "of the network's convolutions", most=512)
    blocks: int = setting(2, "residual blocks of the network", least=0, most=64)
    games: int = setting(128, "played at once, in each iteration")
    simulations: int = setting(16, "of the search for each move", most=100_000)
    considered: int = setting(8, "moves that a search compares, at most")
    random_plies: int = setting(
        20, "with which games begin, at most, on 8x8; on a smaller board in proportion to it", least=0, most=48
    )
    window: int = setting(100_000, "positions kept, the newest")
    reuse: float = setting(4.0, "how often a position is learned from, in the mean", least=1e-9)
    minibatch: int = setting(256, "positions in one change of the weights")
    rate: float = setting(1e-3, "the optimiser's learning rate", least=1e-9)
    decay: float = setting(1e-4, "the weights' decay", least=0)
    precision: str = setting("float32", "of the gradients: float32, or bfloat16, which some processors do quicker")


class Replay:
    """The newest positions of self-play, with what is to be learned of them."""

    def __init__(self, window: int, actions: int) -> None:
        self.arrays = {
            "own": np.zeros(window, np.uint64),
            "opponent": np.zeros(window, np.uint64),
            "policy": np.zeros((window, actions), np.float32),
            "value": np.zeros(window, np.float32),
        }
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, len(self.arrays["value"]))

    def add(self, positions: dict[str, Any]) -> None:
        """Put positions, for which there must be room, in the place of the oldest."""
        places = (self.added + np.arange(len(positions["value"]))) % len(self.arrays["value"])
        for name, array in self.arrays.items():
            array[places] = positions[name]
        self.added += len(places)

    def restore(self, tensors: dict[str, Any], added: int) -> None:
        """Take what a run kept.

        Raises:
            ValueError: it is not what a run keeps.
        """
        self.added = added
        for name, array in self.arrays.items():
            kept, place = tensors.get(f"replay.{name}"), array[: len(self)]
            dtype = torch.int64 if array.dtype == np.uint64 else torch.float32
            if kept is None or kept.shape != place.shape or kept.dtype != dtype:
                raise ValueError(f"the run has not the {len(self)} positions that its card tells of ({name})")
            place[:] = kept.numpy().view(array.dtype)
            if not np.isfinite(place).all():
                raise ValueError(f"the run's positions are not all finite ({name})")
        if (self.arrays["own"] & self.arrays["opponent"]).any():
            raise ValueError("the run's positions have squares with two discs")


def check(sound: Any) -> None:
    """Raise FloatingPointError unless all is true."""
    if not np.all(sound):
        raise FloatingPointError("the training has diverged: its numbers are too large; a lower --rate may help")


class Learner:
    """A run: the network, the optimiser, the positions kept, and how far it is."""

    def __init__(self, settings: Settings, device: str = "cpu") -> None:
        self.settings = s = settings
        self.device = device
        self.network = NeuralNetwork(s.size, s.channels, s.blocks, seed=s.seed).to(device)
        self.replay = Replay(s.window, s.size**2 + 1)
        self.iteration = 0
        self.parameters = [weight.requires_grad_() for weight in self.network.weights.values()]
        self.optimizer = torch.optim.AdamW(self.parameters, lr=s.rate, weight_decay=s.decay)

    @property
    def games(self) -> int:
        """Played so far."""
        return self.iteration * self.settings.games

    def iterate(self) -> dict[str, float]:
        """Play games, learn from them, and return what was seen."""
        s = self.settings
        rng = np.random.default_rng([s.seed, self.iteration])
        positions = self.play(rng)
        self.replay.add(positions)
        seen = self.learn(round(len(positions["value"]) * s.reuse / s.minibatch), rng)
        check(np.isfinite([*seen.values(), *(weight.sum().item() for weight in self.parameters)]))
        self.iteration += 1
        return seen

    def play(self, rng: np.random.Generator) -> dict[str, Any]:
        """The positions of whole games, all played at once: own, opponent (P,), policy (P, A), value (P,)."""
        s = self.settings
        plies = rng.integers(s.random_plies * s.size**2 // 64 + 1, size=s.games)
        keys = rng.integers(2**63, size=s.games)
        starts = [Openings.random(Othello(s.size), int(n), int(key)) for n, key in zip(plies, keys, strict=True)]
        boards = after_passes(OthelloBatch.from_states(starts, range(s.games)))
        discs, board = np.array(ACTION_BITS[s.size], np.uint64), BOARDS[s.size]
        seen: list[OthelloBatch] = []
        policies: list[Any] = []
        black = np.zeros(s.games, np.float32)  # the results for Black
        while len(boards):
            gumbel = rng.gumbel(size=(len(boards), s.size**2 + 1))
            found = search(self.network.answers, boards, s.simulations, considered=s.considered, gumbel=gumbel)
            check(np.isfinite(found.policy))
            seen.append(boards)
            policies.append(found.policy)
            own, opponent = boards.own.copy(), boards.opponent.copy()
            legal, reply = advance_batch(own, opponent, discs[found.actions], board)
            after = OthelloBatch(own, opponent, 1 - boards.to_move, boards.key, s.size)
            over = legal | reply == 0
            ended = after.part(over)
            black[ended.key.astype(int)] = results(ended) * (1 - 2 * ended.to_move)
            boards = after_passes(after.part(~over))
        return {
            "own": np.concatenate([each.own for each in seen]),
            "opponent": np.concatenate([each.opponent for each in seen]),
            "policy": np.concatenate(policies),
            "value": np.concatenate([black[each.key.astype(int)] * (1 - 2 * each.to_move) for each in seen]),
        }

    def learn(self, changes: int, rng: np.random.Generator) -> dict[str, float]:
        """Change the weights so many times; returns the mean losses."""
        s, kept = self.settings, self.replay.arrays
        sums = {"policy": 0.0, "value": 0.0}
        for _ in range(changes):
            chosen = rng.integers(len(self.replay), size=s.minibatch)
            symmetry = int(rng.integers(COUNT))
            own, opponent = kept["own"][chosen], kept["opponent"][chosen]
            boards = OthelloBatch(own, opponent, np.zeros(len(own), np.int8), own, s.size)
            inputs = transform_observation(boards.observations(), symmetry), transform_policy(boards.masks(), symmetry)
            targets = transform_policy(kept["policy"][chosen], symmetry), kept["value"][chosen]
            observations, masks, policies, values = (
                torch.from_numpy(np.ascontiguousarray(array)).to(self.device) for array in (*inputs, *targets)
            )
            with torch.autocast(torch.device(self.device).type, torch.bfloat16, s.precision == "bfloat16"):
                logits, expected = self.network.forward(observations, masks)
            losses = {
                "policy": -(policies * torch.log_softmax(logits.float(), dim=1)).sum(dim=1).mean(),
                "value": (expected.float() - values).square().mean(),
            }
            self.optimizer.zero_grad()
            (losses["policy"] + losses["value"]).backward()
            self.optimizer.step()
            for name, loss in losses.items():
                sums[name] += loss.item()
        return {name: total / max(1, changes) for name, total in sums.items()}

    def measure(self, games: int, simulations: int, opponents: tuple[str, ...] = LADDER) -> dict[str, MatchResult]:
        """Matches of the agent that looks ahead by so many simulations."""
        size = self.settings.size
        agent = NeuralAgent(self.network, simulations=simulations)
        return {
            opponent: play_match(
                agent, opponent, games=games, openings=OPENINGS[size], seed=1, new_game=lambda _: Othello(size)
            )
            for opponent in opponents
        }

    def save(self, path: Path, progress: dict[str, Any]) -> None:
        """Write all that it takes to go on."""
        tensors = learner_tensors(self.network, self.optimizer)
        for name, array in self.replay.arrays.items():
            signed = array.view(np.int64) if array.dtype == np.uint64 else array
            tensors[f"replay.{name}"] = torch.from_numpy(signed[: len(self.replay)])
        card = {"format": FORMAT, "settings": asdict(self.settings), "iteration": self.iteration}
        write_tensors(path, tensors, card | {"added": self.replay.added, "progress": progress})

    @classmethod
    def load(cls, path: Path, settings: Settings, device: str = "cpu") -> tuple["Learner", dict[str, Any]]:
        """A run that `save` wrote, and its progress.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it is no such run, or one with other settings.
        """
        tensors, card = read_run(path, FORMAT, asdict(settings), counts=("added",), over="games", opponents=LADDER)
        learner = cls(settings, device)
        learner.iteration = card["iteration"]
        restore_learner(tensors, learner.network, learner.optimizer)
        learner.replay.restore(tensors, card["added"])
        return learner, card["progress"]


def after_passes(boards: OthelloBatch) -> OthelloBatch:
    """Positions, none of them finished, after the passes that are forced there."""
    must = boards.masks()[:, -1] != 0
    own, opponent = np.where(must, boards.opponent, boards.own), np.where(must, boards.own, boards.opponent)
    return OthelloBatch(own, opponent, boards.to_move ^ must, boards.key, boards.size)


def results(boards: OthelloBatch) -> Any:
    """(N,) +1, 0 or -1 for the players to move in finished games."""
    own, opponent = boards.observations().sum(axis=(2, 3), dtype=int).T
    return np.sign(own - opponent)


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
        where = f"iteration {learner.iteration}  {learner.games:,} games  {progress['seconds']:.0f} s"
        if is_measured:
            show(f"{where}  measuring")
            if is_last:  # a second Ctrl-C may end the measurement
                learner.save(args.out.with_suffix(".state.safetensors"), progress)
            matches = learner.measure(args.match, learner.settings.simulations)
            alone = learner.measure(args.match, 0, (YARDSTICK,))
            point = {"iteration": learner.iteration, "games": learner.games, "seconds": round(progress["seconds"], 1)}
            point |= {name: round(number, 4) for name, number in seen.items()}
            point["scores"] = {opponent: round(match.score, 4) for opponent, match in matches.items()}
            point["without search"] = {opponent: round(match.score, 4) for opponent, match in alone.items()}
            if learner.settings.size == 8:  # the ladder's board
                placement = place(
                    NeuralAgent(learner.network, simulations=learner.settings.simulations), games=args.match
                )
                if placement.elo is not None:  # else it lost all games
                    point["elo"], point["elo95"] = round(placement.elo), [round(end) for end in placement.interval]
            progress["curve"].append(point)
            progress["seconds"] = time.perf_counter() - begin
            keep(learner, args.out, progress, args.match)
            scores = [f"{opponent.partition(':')[0]} {score:.2f}" for opponent, score in point["scores"].items()]
            scores += [f"without search {score:.2f}" for score in point["without search"].values()]
            elo = [f"Elo {point['elo']}"] if "elo" in point else []
            show("")
            print(where, *scores, *elo, sep="  ", flush=True)
            if board:
                for opponent, match in matches.items():
                    board.add_scalar(f"score/{opponent}", match.score, learner.games)
                if "elo" in point:
                    board.add_scalar("elo", point["elo"], learner.games)
                board.flush()
        if is_last or (is_measured and stop):
            return
        show(where)
        seen = learner.iterate()
        if board:
            for name, number in seen.items():
                board.add_scalar(f"train/{name}", number, learner.games)


def show(text: str) -> None:
    """Show how far the run is, in one line of a terminal, which the next call replaces; nothing in a pipe."""
    if sys.stderr.isatty():
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def keep(learner: Learner, out: Path, progress: dict[str, Any], games: int) -> None:
    """Write the agent, the curve and the run."""
    card = {"command": " ".join(["python", *sys.argv]), "settings": asdict(learner.settings)}
    learner.network.training = card | progress["curve"][-1]
    learner.network.save(out)
    learner.save(out.with_suffix(".state.safetensors"), progress)
    write_json(out.with_suffix(".json"), card | {"curve": progress["curve"]})
    s = learner.settings
    title = f"AlphaZero learns {s.size}x{s.size} Othello by self-play, seed {s.seed}"
    searched = f"score with {s.simulations} simulations a move"
    subtitle = f"{searched}, {games} games at each point from {OPENINGS[s.size]}"
    lines = {
        opponent: [CurvePoint(p["games"], p["seconds"], p["scores"][opponent]) for p in progress["curve"]]
        for opponent in LADDER
    }
    write_file(out.with_suffix(".png"), png(learning_chart(title, subtitle, lines)))


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the agent, a .safetensors file")
    parser.add_argument(
        "--iterations", type=whole(0, sys.maxsize), default=sys.maxsize, help="in all, if the seconds suffice"
    )
    parser.add_argument("--seconds", type=real(0), default=3600.0, help="in all, measurements included [%(default)s]")
    parser.add_argument("--resume", action="store_true", help="go on where the run of this name ended")
    parser.add_argument(
        "--every", type=whole(1), default=10, help="iterations between points of the curve [%(default)s]"
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
    positions = args.games * (args.size**2 - 4)
    if args.window < positions:
        parser.error(f"--window is at least {positions}, the positions of {args.games} games, not {args.window}")
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
