"""Draw a picture with the learning curves of several training runs: the scores against one opponent.

    python scripts/compare_curves.py --runs nothing.json tuned.json --out compare.png
    python scripts/compare_curves.py --runs ppo.json alphazero.json ntuple.json --perfect --out perfect.png

`train_ppo.py`, `train_alphazero.py` and `train_imitation.py` write these .json files beside their networks. With
``--perfect``, the picture shows the share of perfect moves on 6x6 or 4x4, and can also show runs of `train_ntuple.py`.
The picture has two plots: one over seconds, and one over the unit that the runs count (plies, games or positions). If
the runs count different units, only the plot over seconds is drawn. The name of a run is its file's name, or the given
path if two files have the same name.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _arguments import flag, parse, path, text
from _recipe import LADDER, PERFECT, mistakes

from othello_env.drawing.chart import CurvePoint, learning_chart, png
from othello_env.support.files import parse_json, read_file, write_file

_LARGEST = 64 << 20


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    runs: tuple[str, ...] = text((), "the runs' .json files, at most eight", nargs="+")
    out: Path = path("the picture, a .png file", Path("compare.png"), suffix=".png")
    opponent: str = text(LADDER[-1], "draw the scores against this opponent")
    perfect: bool = flag("draw the share of perfect moves")

    def check(self) -> None:
        """Check that at least one file is given, and no file twice."""
        if not self.runs:
            raise ValueError("--runs: expected at least one file")
        if len({Path(file).resolve() for file in self.runs}) < len(self.runs):
            raise ValueError("--runs: a file is given twice")

    @property
    def names(self) -> list[str]:
        """The names of the runs in the picture, all different."""
        stems = [Path(file).stem for file in self.runs]
        return stems if len({*stems}) == len(stems) else [*self.runs]


def curve(file: str, opponent: str | None) -> tuple[list[CurvePoint], str]:
    """The points of a run's curve, and the unit that the run counts (``plies``, ``games`` or ``positions``).

    Args:
        file: the run's .json file.
        opponent: the opponent of the scores. If it is None, the points have shares of perfect moves, not scores.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file has no such curve.
    """
    data = read_file(file, _LARGEST, "draw a curve from")
    try:
        run: Any = parse_json(data)
        points = run["curve"]
        unit = next(name for name in ("plies", "games", "positions") if name in points[0])
        scores = [each[PERFECT] if opponent is None else each["scores"][opponent] for each in points]
        found = [CurvePoint(each[unit], each["seconds"], score) for each, score in zip(points, scores, strict=True)]
    except (IndexError, KeyError, StopIteration, TypeError, ValueError):
        what = PERFECT if opponent is None else f"scores against {opponent}"
        raise ValueError(f"{file!r} has no curve of {what}") from None
    return found, unit


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    with mistakes():
        found = [curve(file, None if args.perfect else args.opponent) for file in args.runs]
        units = {unit for _, unit in found}
        lines = {name: points for name, (points, _) in zip(args.names, found, strict=True)}
        title = "Share of perfect moves" if args.perfect else f"Score against {args.opponent}"
        how = "in packaged positions" if args.perfect else "from random openings, each run as it was measured"
        write_file(args.out, png(learning_chart(title, how, lines, units.pop() if len(units) == 1 else None)))


if __name__ == "__main__":
    main()
