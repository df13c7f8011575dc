r"""Train the n-tuple network by self-play, and record its learning curve: its scores during the training.

    python scripts/train_ntuple.py --games 1000000 --out runs/ntuple.npz
    python scripts/train_ntuple.py --games 2000000 --resume --out runs/ntuple.npz
    python scripts/train_ntuple.py --seconds 60 --seed 2 --out runs/minute.npz
    python scripts/train_ntuple.py --seconds 3600 --threads 2 --batch 32 --out runs/hour.npz
    python scripts/train_ntuple.py --games 6400000 --first 50000 --half \
        --out agents/othello_agents/weights/ntuple_8x8.npz --picture docs/learning.png
    python scripts/train_ntuple.py --size 6 --games 800000 --first 200000 --half \
        --out agents/othello_agents/weights/ntuple_6x6.npz

The last two commands make the weights that come with the package. Move the old weights away first: only ``--resume``
overwrites a file. The learning curve is written beside the weights as JSON, and with ``--picture`` also as a picture.
The first point is added after ``--first`` games. Then a point is added whenever the number of games has doubled. A
point has the network's scores in two matches from random openings: against alpha-beta with the evaluation ``weighted``,
at two depths. In these matches, the network looks one ply ahead. On 6x6 and 4x4, the network also chooses a move in
each of the packaged positions, and a point has the share of these moves that are perfect.

The same seed, batch and number of games give the same weights and scores. The weights are also written every five
minutes. Ctrl-C ends the training and keeps what was learned. If you then run the same command with ``--resume``, the
result is the same as without the interruption. You can also continue a finished training with more ``--games``. This
gives the result of one long training only if the old number of games was a multiple of ``--batch``. After you have made
new weights for 8x8, run ``scripts/fit_probcut.py``, which fits the engine's selective search to the new weights.
"""

import math
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from _arguments import even, flag, one_of, option, parse, path, real, whole
from _recipe import OPENINGS, PLIES, SIZES, command_line, mistakes, perfect_moves, show

from othello_agents.ntuple import NTupleAgent, NTupleNetwork, Trainer
from othello_agents.ntuple.trainer import Goal, train_until
from othello_env import Othello
from othello_env.arena.match import play_match
from othello_env.drawing.charts import CurvePoint, learning_chart, png
from othello_env.support.files import check_output, parse_json, read_file, write_file, write_json

OPPONENTS = {4: (2, 4), 6: (2, 4), 8: (4, 6)}
LARGEST_CURVE = 16 << 20  # bytes
KEEP = 300.0  # seconds between two writes of the weights, unless a new point of the curve comes earlier

Curve = list[dict[str, float]]


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    out: Path = path("the weights, a .npz file; the curve is a .json file beside it", suffix=".npz")
    picture: Path | None = path("a .png file for the curve", None)
    games: int | None = whole(None, "total number of games of self-play")
    seconds: float | None = real(None, "total seconds of self-play, without the measurements", least=0)
    size: int | None = one_of(None, "size of the board: 4, 6 or 8 [8]", SIZES)
    seed: int | None = whole(None, "the seed of the self-play [1]", least=0, most=2**64 - 1)
    batch: int | None = whole(None, "games before the network learns from them [1; with several threads 32]")
    threads: int = whole(1, "threads that share a batch", most=1024)
    look_ahead: bool | None = flag("choose moves by minimax of depth 2 while training", default=None)
    first: int = whole(25_000, "number of games at the curve's first point")
    matches: int = even(1000, "games of each match")
    half: bool = flag("at the end, write the weights in half precision, for playing only")
    resume: bool = flag("continue the training of the network in --out, with its size, seed and batch")

    def check(self) -> None:
        """Check that ``--games`` or ``--seconds`` ends the training, and that no file of another run is overwritten."""
        if self.games is None and self.seconds is None:
            raise ValueError("give --games or --seconds")
        if self.out.exists() and not self.resume:
            raise ValueError(f"--out {self.out} exists; --resume continues it")
        if self.curve.exists() and not self.resume:
            raise ValueError(f"{self.curve}, where this run would write its curve, exists; give another --out")

    @property
    def curve(self) -> Path:
        """The file of the curve."""
        return self.out.with_suffix(".json")


def begin(args: Arguments) -> tuple[Trainer, Curve]:
    """Make a trainer and the points of its learning curve. With ``--resume``, read both from the files.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: the arguments contradict the training that is resumed, or a file is damaged.
    """
    args.out.parent.mkdir(parents=True, exist_ok=True)
    for file in (args.out, args.curve, *([args.picture] if args.picture else [])):
        check_output(file)
    given = {name: asdict(args)[name] for name in ("size", "seed", "batch", "look_ahead")}
    given = {name: value for name, value in given.items() if value is not None}
    if not args.resume:
        batch = 1 if args.threads == 1 else max(32, args.threads)
        return Trainer(**{"size": 8, "seed": 1, "batch": batch, "num_threads": args.threads} | given), []
    network = NTupleNetwork.load(args.out)
    if args.games is None or network.training.get("games", 0) < args.games:
        Trainer.check_errors(network)
    trainer = Trainer.resume(network, num_threads=args.threads)
    was = {"size": trainer.network.size} | trainer.network.training
    for name, value in given.items():
        if was[name] != value:
            raise ValueError(f"{option(name)} was {was[name]}, not {value}")
    return trainer, read_curve(args.curve, trainer) if args.curve.exists() else []


def measure(trainer: Trainer, games: int) -> dict[str, float]:
    """The score against alpha-beta at each depth of `OPPONENTS`, and half the width of the score's 95% interval.

    On 6x6 and 4x4, the result also has the entries of `perfect_moves`.
    """
    size = trainer.network.size
    scores = {}
    for depth in OPPONENTS[size]:
        result = play_match(
            NTupleAgent(trainer.network),
            f"alphabeta:depth={depth},eval=weighted",
            games=games,
            openings=OPENINGS[size],
            seed=1,
            new_game=lambda _: Othello(size),
        )
        low, high = result.interval
        scores |= {f"depth {depth}": round(result.score, 4), f"depth {depth} +-": round((high - low) / 2, 4)}
    return scores | perfect_moves(NTupleAgent(trainer.network), size)


def read_curve(file: Path, trainer: Trainer) -> Curve:
    """The curve that `Course.write` wrote beside the weights.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is damaged, or a point of the curve lacks a number.
    """
    names = {"games", "seconds", *(f"depth {depth}" for depth in OPPONENTS[trainer.network.size])}
    try:
        curve = parse_json(read_file(file, LARGEST_CURVE))["curve"]
        if not all(type(point[name]) in (int, float) for point in curve for name in names):
            raise ValueError("a point has values that are not numbers")
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(file)!r} holds no curve of these weights: {error}") from error
    return list(curve)


@dataclass
class Course:
    """The state of a training: the trainer, the points of the learning curve, and the command's arguments."""

    trainer: Trainer
    curve: Curve
    args: Arguments

    @property
    def where(self) -> str:
        """The progress of the training as a text: games and seconds."""
        return f"{self.trainer.games:,} games  {self.trainer.seconds:.0f} s"

    def next_point(self) -> Goal:
        """The number of games at which the next point is added: ``--first``, then twice as many, and so on.

        The number of games is rounded up to whole batches.
        """
        games, batch = self.args.first, self.trainer.batch
        while self.curve and games <= self.curve[-1]["games"]:
            games *= 2
        return Goal(games=-(-games // batch) * batch)

    def measure(self) -> None:
        """Add a point to the curve, and print it."""
        show(f"{self.where}  measuring")
        scores = measure(self.trainer, self.args.matches)
        self.curve.append({"games": self.trainer.games, "seconds": round(self.trainer.seconds, 1), **scores})
        show("")
        names = [name for name in scores if f"{name} +-" in scores]
        words = [f"{name} {scores[name]:.3f} +- {scores[f'{name} +-']:.3f}" for name in names]
        print(self.where, *words, sep="  ", flush=True)

    def keep(self) -> None:
        """Write all files. Before the first game, write nothing, so that no existing file is overwritten."""
        if self.trainer.games:
            self.write(half=False)

    def write(self, *, half: bool) -> None:
        """Write the weights, the curve and its picture."""
        network, args = self.trainer.network, self.args
        network.training |= {"command": command_line(), "scores": self.curve[-1] if self.curve else {}}
        network.save(args.out, half=half)
        write_json(args.curve, {"training": network.training, "curve": self.curve})
        if args.picture and self.curve:
            write_file(args.picture, self.picture())

    def picture(self) -> bytes:
        """The curve as a PNG file."""
        size, seed = self.trainer.network.size, self.trainer.seed
        lines = {
            f"alphabeta:depth={depth},eval=weighted": [
                CurvePoint(point["games"], point["seconds"], score, score - error, score + error)
                for point in self.curve
                for score, error in ((point[f"depth {depth}"], point[f"depth {depth} +-"]),)
            ]
            for depth in OPPONENTS[size]
        }
        title = f"The n-tuple network learns {size}x{size} Othello from nothing, by self-play"
        how = f"score of greedy play, {self.args.matches} games at each point from {PLIES[size]} random plies"
        return png(learning_chart(title, f"{how}, seed {seed}; 95% intervals", lines))


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    with mistakes():
        trainer, curve = begin(args)
    course = Course(trainer, curve, args)
    end = Goal(
        games=math.inf if args.games is None else args.games,
        seconds=math.inf if args.seconds is None else args.seconds,
    )
    try:
        train_until(
            end,
            trainer,
            next_point=course.next_point,
            measure=course.measure,
            keep=course.keep,
            show=lambda: show(course.where),
            measured=int(curve[-1]["games"]) if curve else None,
            keep_every=KEEP,
        )
        course.write(half=args.half)
    except OSError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
