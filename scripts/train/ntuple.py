r"""Train the n-tuple network by self-play, and record its learning curve (``pip install othello-env tyro``).

    python scripts/train/ntuple.py --games 1000000 --out runs/ntuple.npz
    python scripts/train/ntuple.py --games 6400000 --first 50000 --half --depth 1 \
        --out agents/othello_agents/weights/ntuple_8x8.npz --picture docs/learning.png
    python scripts/train/ntuple.py --size 6 --games 800000 --first 200000 --half --depth 1 \
        --out agents/othello_agents/weights/ntuple_6x6.npz

The last two commands make the weights that come with the package. After you have made new weights for 8x8, fit the
engine's selective search to them.

`othello-env train` trains in the same way, for a time or until Ctrl-C. This recipe adds the curve: it shows a loop of
your own around `Trainer`. The first point is added after --first games, then whenever the number of games has doubled.
A point has the network's scores against alpha-beta with the evaluation ``weighted`` at two depths, from random
openings. In these matches the network looks one ply ahead, also after games that both sides searched, which make it
stronger only in a search. On 6x6 and 4x4 a point also has the share of perfect moves in packaged positions.

At each point, the weights are written, and beside them the curve as JSON, with --picture also as a picture, and
TensorBoard's events in a folder, if PyTorch and tensorboard are installed. The same seed and number of games give the
same weights and scores. If the run is stopped, ``othello-env train --resume`` goes on from the last point.
"""

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

from othello_agents.ntuple import NTupleAgent
from othello_agents.training import Trainer
from othello_env.arena import measure_progress, scalars
from othello_env.drawing import learning_curve
from othello_env.support.files import write_json

DEPTHS = {4: (2, 4), 6: (2, 4), 8: (4, 6)}  # of the opponents of the curve, by the size of the board


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/ntuple.npz")  # the weights; the curve is a .json file beside it
    picture: Path | None = None  # a .png file for the curve
    games: int = 1_000_000  # number of games of self-play
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of the self-play
    depth: int = 4  # plies that both sides look ahead after 400,000 games at one ply; 1: always one ply
    first: int = 25_000  # number of games at the curve's first point
    matches: int = 1000  # games of each match of the curve; an even number
    half: bool = False  # at the end, write the weights in half precision, for playing only


def measure(trainer: Trainer, matches: int) -> dict[str, Any]:
    """A point of the curve, with what `measure_progress` returns."""
    size, agent = trainer.network.size, NTupleAgent(trainer.network)
    opponents = [f"alphabeta:depth={depth},eval=weighted" for depth in DEPTHS[size]]
    point = {"games": trainer.games, "seconds": round(trainer.seconds, 1)}
    return point | measure_progress(
        agent, game=f"othello:size={size}", games=matches, opponents=opponents, rating=size < 8
    )


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    if min(args.first, args.games) < 1 or args.matches < 2 or args.matches % 2 or args.out.suffix != ".npz":
        sys.exit("--games and --first must be at least 1, --matches even, and --out must end in .npz")
    curve_file = args.out.with_suffix(".json")
    if there := [file for file in (args.out, curve_file) if file.exists()]:
        sys.exit(f"{there[0]} exists; give another --out")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    trainer, curve = Trainer(size=args.size, seed=args.seed, depth=args.depth), list[dict[str, Any]]()
    writer = SummaryWriter(args.out.with_suffix("")) if SummaryWriter else None
    title = f"The n-tuple network learns {args.size}x{args.size} Othello from nothing, seed {args.seed}"
    games = args.first
    while trainer.games < args.games:
        trainer.run(games=min(games, args.games) - trainer.games)
        games *= 2
        curve.append(point := measure(trainer, args.matches))
        words = [f"{opponent} {score:.3f}" for opponent, score in point["scores"].items()]
        words += [f"perfect moves {point['perfect moves']:.3f}"] if "perfect moves" in point else []
        print(f"{trainer.games:,} games", f"{trainer.seconds:.0f} s", *words, sep="  ", flush=True)
        if writer:
            for name, value in scalars(point).items():
                writer.add_scalar(name, value, trainer.games)
        trainer.network.training |= {"command": " ".join(["python", *sys.argv]), "scores": point}
        trainer.network.save(args.out, half=args.half and trainer.games >= args.games)
        write_json(curve_file, {"size": args.size, "training": trainer.network.training, "curve": curve})
        if args.picture:
            learning_curve(args.picture, title, curve, "games")
    if writer:
        writer.close()
    print(f"{args.out} is the agent, and {curve_file} its curve{f', drawn in {args.picture}' if args.picture else ''}")
    print(f"next: othello-env benchmark {args.out} --size {args.size}")


if __name__ == "__main__":
    main()
