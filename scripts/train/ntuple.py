r"""Train the n-tuple network by self-play, and record its learning curve (``pip install othello-env tyro``).

    python scripts/train/ntuple.py --games 1000000 --out runs/ntuple.npz
    python scripts/train/ntuple.py --games 2000000 --resume --out runs/ntuple.npz
    python scripts/train/ntuple.py --seconds 60 --seed 2 --out runs/minute.npz
    python scripts/train/ntuple.py --games 6400000 --first 50000 --half --depth 1 \
        --out agents/othello_agents/weights/ntuple_8x8.npz --picture docs/learning.png
    python scripts/train/ntuple.py --size 6 --games 800000 --first 200000 --half --depth 1 \
        --out agents/othello_agents/weights/ntuple_6x6.npz

The last two commands make the weights that come with the package. Move the old weights away first: only --resume
overwrites a file. After you have made new weights for 8x8, fit the engine's selective search to them.

`othello-env train` trains in the same way. This recipe adds the curve: it shows a loop of your own around `Trainer`.

The curve is written beside the weights as JSON, and with --picture also as a picture. The first point is added after
--first games, then whenever the number of games has doubled. A point has the network's scores against alpha-beta with
the evaluation ``weighted`` at two depths, from random openings. In these matches the network looks one ply ahead, also
after games that both sides searched, which make it stronger only in a search. On
6x6 and 4x4 a point also has the share of perfect moves in packaged positions.

TensorBoard's events are in a folder beside the weights, if PyTorch and tensorboard are installed.

The same seed and number of games give the same weights and scores, also with an interruption: Ctrl-C keeps what
was learned, and --resume goes on. The weights are also written every five minutes.
"""

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

try:
    import tyro
except ImportError as error:
    sys.exit(f"{error}: pip install othello-env tyro")

try:
    from torch.utils.tensorboard import SummaryWriter
except ImportError:
    SummaryWriter = None

from othello_agents.ntuple import NTupleAgent, NTupleNetwork
from othello_agents.training import Trainer
from othello_env.arena import measure_progress, scalars
from othello_env.drawing import learning_curve
from othello_env.support.files import check_output, parse_json, read_file, write_json

DEPTHS = {4: (2, 4), 6: (2, 4), 8: (4, 6)}  # of the opponents of the curve, by the size of the board


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/ntuple.npz")  # the weights; the curve is a .json file beside it
    picture: Path | None = None  # a .png file for the curve
    games: int | None = None  # total number of games of self-play
    seconds: float | None = None  # total seconds of training; measurements do not count
    size: Literal[4, 6, 8] | None = None  # size of the board [8]
    seed: int | None = None  # the seed of the self-play [1]
    depth: int | None = None  # plies that both sides look ahead after 400,000 games at one ply [4]; 1: always one ply
    first: int = 25_000  # number of games at the curve's first point
    matches: int = 1000  # games of each match of the curve; an even number
    half: bool = False  # at the end, write the weights in half precision, for playing only
    resume: bool = False  # continue the training of the network in --out, with its size and seed


def begin(args: Args, curve_file: Path) -> tuple[Trainer, list[dict[str, Any]]]:
    """The trainer and its learning curve: new ones, or with --resume those of the files."""
    given = {name: getattr(args, name) for name in ("size", "seed", "depth")}
    given = {name: value for name, value in given.items() if value is not None}
    if not args.resume:
        return Trainer(**{"size": 8, "seed": 1} | given), []
    network = NTupleNetwork.load(args.out)
    if args.games is None or network.training.get("games", 0) < args.games:
        Trainer.check_errors(network)
    trainer = Trainer.resume(network)
    was = {"size": network.size} | network.training
    for name, value in given.items():
        if was[name] != value:
            raise ValueError(f"--{name} was {was[name]}, not {value}")
    return trainer, parse_json(read_file(curve_file, 16 << 20))["curve"] if curve_file.exists() else []


def measure(trainer: Trainer, games: int) -> dict[str, Any]:
    """A point of the curve, with what `measure_progress` returns."""
    size, agent = trainer.network.size, NTupleAgent(trainer.network)
    opponents = [f"alphabeta:depth={depth},eval=weighted" for depth in DEPTHS[size]]
    point = {"games": trainer.games, "seconds": round(trainer.seconds, 1)}
    return point | measure_progress(
        agent, game=f"othello:size={size}", games=games, opponents=opponents, rating=size < 8
    )


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    curve_file = args.out.with_suffix(".json")
    if args.games is None and args.seconds is None:
        sys.exit("give --games or --seconds")
    if args.first < 1 or args.matches < 2 or args.matches % 2 or args.out.suffix != ".npz":
        sys.exit("--first must be at least 1, --matches even, and --out must end in .npz")
    if not args.resume and (there := [file for file in (args.out, curve_file) if file.exists()]):
        sys.exit(f"{there[0]} exists; --resume continues its run, and another --out begins a new one")
    try:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        for file in (args.out, curve_file, *([args.picture] if args.picture else [])):
            check_output(file)
        trainer, curve = begin(args, curve_file)
    except (KeyError, OSError, TypeError, ValueError) as error:
        sys.exit(f"ntuple.py: {error}")

    writer = SummaryWriter(args.out.with_suffix("")) if SummaryWriter else None
    last_game = math.inf if args.games is None else args.games
    last_second = math.inf if args.seconds is None else args.seconds

    def keep(half: bool = False) -> None:
        """Write the weights, the curve and its picture."""
        card = {"command": " ".join(["python", *sys.argv]), "scores": curve[-1] if curve else {}}
        trainer.network.training |= card
        trainer.network.save(args.out, half=half)
        write_json(curve_file, {"size": trainer.network.size, "training": trainer.network.training, "curve": curve})
        if args.picture and curve:
            title = f"The n-tuple network learns {trainer.network.size}x{trainer.network.size} Othello from nothing"
            learning_curve(args.picture, f"{title}, seed {trainer.seed}", curve, "games")

    saved, finished = trainer.seconds, False
    try:
        while not finished:
            games = args.first  # of the next point of the curve: --first, then twice as many, and so on
            while curve and games <= curve[-1]["games"]:
                games *= 2
            finished = trainer.games >= last_game or trainer.seconds >= last_second
            measured = trainer.games >= games or (finished and not (curve and curve[-1]["games"] == trainer.games))
            if measured:
                curve.append(point := measure(trainer, args.matches))
                words = [f"{opponent} {score:.3f}" for opponent, score in point["scores"].items()]
                words += [f"perfect moves {point['perfect moves']:.3f}"] if "perfect moves" in point else []
                print(f"{trainer.games:,} games", f"{trainer.seconds:.0f} s", *words, sep="  ", flush=True)
                for name, value in scalars(point).items() if writer else ():
                    writer.add_scalar(name, value, trainer.games)
            if measured or (finished and args.half) or trainer.seconds >= saved + 300:
                keep(half=finished and args.half)
                saved = trainer.seconds
            if not finished:
                more, seconds = min(games, last_game) - trainer.games, min(300, last_second - trainer.seconds)
                trainer.run(games=more, seconds=seconds)
    except KeyboardInterrupt:
        if trainer.games:
            keep()
        sys.exit(130)
    if writer:
        writer.close()
    if not measured:
        print(f"nothing left to do after {trainer.games:,} games; give more --games or --seconds")
    print(f"{args.out} is the agent, and {curve_file} its curve{f', drawn in {args.picture}' if args.picture else ''}")
    print(f"next: othello-env benchmark {args.out} --size {trainer.network.size}")


if __name__ == "__main__":
    main()
