r"""Train the n-tuple network by self-play and record how its score grows with games and seconds.

    python scripts/train_ntuple.py --games 1000000 --out runs/ntuple.npz
    python scripts/train_ntuple.py --games 2000000 --resume --out runs/ntuple.npz
    python scripts/train_ntuple.py --seconds 60 --seed 2 --out runs/minute.npz
    python scripts/train_ntuple.py --seconds 3600 --threads 2 --batch 64 --out runs/hour.npz
    python scripts/train_ntuple.py --games 6400000 --first 50000 --half \
        --out agents/othello_agents/weights/ntuple_8x8.npz --picture docs/learning.png
    python scripts/train_ntuple.py --size 6 --games 800000 --first 200000 --half \
        --out agents/othello_agents/weights/ntuple_6x6.npz

The last two commands make the weights that come with the package, after the old ones have been moved away: a file that
is there is never written over but by ``--resume``. The curve goes beside the weights, as JSON, and into a picture: at
doubling numbers of games, the score of greedy play against weighted alpha-beta from random openings. The same seed,
batch and number of games give the same weights and scores. The weights are written every five minutes, too, and Ctrl-C
keeps what was learned; the same command with ``--resume`` ends as if it had never been stopped. After new weights for
8x8, ``scripts/fit_probcut.py`` fits the engine's selective search to them.
"""

import argparse
import math
import sys
from pathlib import Path

from _arguments import real, whole

from othello_agents.ntuple import NTupleAgent, NTupleNetwork, Trainer
from othello_env import Othello
from othello_env.arena.match import play_match
from othello_env.drawing.chart import CurvePoint, learning_chart, png
from othello_env.support.files import check_output, parse_json, read_file, write_file, write_json

OPPONENTS = {4: (2, 4), 6: (2, 4), 8: (4, 6)}
PLIES = {4: 3, 6: 6, 8: 10}
LARGEST_CURVE = 16 << 20  # bytes
KEEP = 300.0  # seconds of training after which the weights are written, between two points too


def measure(trainer: Trainer, games: int) -> dict[str, float]:
    """The score and half the width of its 95% interval against alpha-beta of each depth."""
    size = trainer.network.size
    scores = {}
    for depth in OPPONENTS[size]:
        result = play_match(
            NTupleAgent(trainer.network),
            f"alphabeta:depth={depth},eval=weighted",
            games=games,
            openings=f"random:{PLIES[size]}",
            seed=1,
            new_game=lambda _: Othello(size),
        )
        low, high = result.interval
        scores |= {f"depth {depth}": round(result.score, 4), f"depth {depth} +-": round((high - low) / 2, 4)}
    return scores


def picture(trainer: Trainer, curve: list[dict[str, float]], matches: int) -> bytes:
    """The curve as a PNG file."""
    size = trainer.network.size
    lines = {
        f"alphabeta:depth={depth},eval=weighted": [
            CurvePoint(point["games"], point["seconds"], point[f"depth {depth}"]) for point in curve
        ]
        for depth in OPPONENTS[size]
    }
    title = f"The n-tuple network learns {size}x{size} Othello from nothing, by self-play"
    subtitle = (
        f"score of greedy play, {matches} games at each point from {PLIES[size]} random plies, seed {trainer.seed}"
    )
    return png(learning_chart(title, subtitle, lines))


def read_curve(file: Path, trainer: Trainer) -> list[dict[str, float]]:
    """The curve that `write` wrote beside the weights.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds no such curve.
    """
    names = {"games", "seconds", *(f"depth {depth}" for depth in OPPONENTS[trainer.network.size])}
    try:
        curve = parse_json(read_file(file, LARGEST_CURVE))["curve"]
        if not all(type(point[name]) in (int, float) for point in curve for name in names):
            raise ValueError("a point is no numbers")
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(file)!r} holds no curve of these weights: {error}") from error
    return list(curve)


def next_point(curve: list[dict[str, float]], first: int, batch: int) -> int:
    """The games of the curve's next point: `first` and its doubles, where batches end."""
    games = first
    while curve and games <= curve[-1]["games"]:
        games *= 2
    return -(-games // batch) * batch


def is_done(trainer: Trainer, curve: list[dict[str, float]], args: argparse.Namespace) -> bool:
    """Whether all games or seconds are over, and measured."""
    if not curve or curve[-1]["games"] != trainer.games:
        return False
    return (args.games is not None and trainer.games >= args.games) or (
        args.seconds is not None and trainer.seconds >= args.seconds
    )


def train(trainer: Trainer, curve: list[dict[str, float]], args: argparse.Namespace) -> None:
    """Train until the curve's next point, and measure it."""
    wanted = next_point(curve, args.first, trainer.batch)
    wanted = wanted if args.games is None else min(wanted, args.games)
    seconds = math.inf if args.seconds is None else args.seconds
    kept = trainer.seconds
    while trainer.games < wanted and trainer.seconds < seconds:
        show(f"{trainer.games:,} games  {trainer.seconds:.0f} s")
        trainer.run(games=wanted - trainer.games, seconds=min(1.0, seconds - trainer.seconds))
        if trainer.seconds >= kept + KEEP:
            write(trainer, curve, args, half=False)
            kept = trainer.seconds
    where = f"{trainer.games:,} games  {trainer.seconds:.0f} s"
    show(f"{where}  measuring")
    point = {"games": trainer.games, "seconds": round(trainer.seconds, 1), **measure(trainer, args.matches)}
    curve.append(point)
    show("")
    depths = [f"depth {depth}" for depth in OPPONENTS[trainer.network.size]]
    print(
        where, *(f"{depth} {point[depth]:.3f} +- {point[f'{depth} +-']:.3f}" for depth in depths), sep="  ", flush=True
    )


def show(text: str) -> None:
    """Show how far the training is, in one line of a terminal, which the next call replaces; nothing in a pipe."""
    if sys.stderr.isatty():
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def write(trainer: Trainer, curve: list[dict[str, float]], args: argparse.Namespace, *, half: bool) -> None:
    """Write the weights, the curve and its picture."""
    trainer.network.training |= {"command": " ".join(["python", *sys.argv]), "scores": curve[-1] if curve else {}}
    trainer.network.save(args.out, half=half)
    write_json(args.out.with_suffix(".json"), {"training": trainer.network.training, "curve": curve})
    if args.picture and curve:
        write_file(args.picture, picture(trainer, curve, args.matches))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the weights, a .npz file; the curve ends in .json")
    parser.add_argument("--picture", type=Path, help="of the curve, a .png file")
    parser.add_argument("--games", type=whole(1), help="of self-play in all")
    parser.add_argument("--seconds", type=real(0), help="of self-play in all, without the measurements")
    parser.add_argument("--size", type=whole(4, 8), help="of the board: 4, 6 or 8 [8]")
    parser.add_argument("--seed", type=whole(0, 2**64 - 1), help="of the self-play [1]")
    parser.add_argument("--batch", type=whole(1), help="games played before they are learned from [1]")
    parser.add_argument(
        "--threads", type=whole(1, 1024), default=1, help="that share the games of a batch [%(default)s]"
    )
    parser.add_argument(
        "--look-ahead", action="store_true", default=None, help="choose moves by minimax of depth 2 while training"
    )
    parser.add_argument(
        "--first", type=whole(1), default=25_000, help="games before the curve's first point [%(default)s]"
    )
    parser.add_argument("--matches", type=whole(2), default=1000, help="games of each match [%(default)s]")
    parser.add_argument("--half", action="store_true", help="in the end, write weights of half precision, to play by")
    parser.add_argument("--resume", action="store_true", help="go on with --out: its size, seed and batch")
    args = parser.parse_args(arguments)
    if args.games is None and args.seconds is None:
        parser.error("give --games or --seconds")
    if args.out.suffix != ".npz":
        parser.error(f"--out is a .npz file, not {args.out}")
    if args.out.exists() and not args.resume:
        parser.error(f"--out {args.out} exists; --resume goes on with it")
    if args.matches < 2 or args.matches % 2:
        parser.error(f"--matches is an even number of at least 2, not {args.matches}")

    curve = []
    given = {name: getattr(args, name) for name in ("size", "seed", "batch", "look_ahead")}
    given = {name: value for name, value in given.items() if value is not None}
    try:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        for file in (args.out, args.out.with_suffix(".json"), *([args.picture] if args.picture else [])):
            check_output(file)
        if args.resume:
            trainer = Trainer.resume(NTupleNetwork.load(args.out), num_threads=args.threads)
            was = {"size": trainer.network.size} | trainer.network.training
            for name, value in given.items():
                if was[name] != value:
                    parser.error(f"--{name.replace('_', '-')} was {was[name]}, not {value}")
            if args.out.with_suffix(".json").exists():
                curve = read_curve(args.out.with_suffix(".json"), trainer)
        else:
            trainer = Trainer(**{"size": 8, "seed": 1, "num_threads": args.threads} | given)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    try:
        while not is_done(trainer, curve, args):
            train(trainer, curve, args)
            write(trainer, curve, args, half=False)
        write(trainer, curve, args, half=args.half)
    except OSError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        if trainer.games:  # else what --out held stays
            write(trainer, curve, args, half=False)
        sys.exit(130)


if __name__ == "__main__":
    main()
