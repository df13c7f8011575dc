"""Draw a picture with the learning curves of several training runs: the scores against one opponent.

    python scripts/compare_curves.py --runs nothing.json tuned.json --out compare.png

`train_ppo.py`, `train_alphazero.py` and `train_imitation.py` write these .json files beside their networks.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _arguments import parse, path, text
from _recipe import LADDER, mistakes

from othello_env.drawing.chart import CurvePoint, learning_chart, png
from othello_env.support.files import parse_json, read_file, write_file

_LARGEST = 64 << 20


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    runs: tuple[str, ...] = text((), "the runs' .json files, at most eight", nargs="+")
    out: Path = path("the picture, a .png file", Path("compare.png"), suffix=".png")
    opponent: str = text(LADDER[-1], "draw the scores against this opponent")

    def check(self) -> None:
        """Check that at least one file is given."""
        if not self.runs:
            raise ValueError("--runs: expected at least one file")


def curve(file: str, opponent: str) -> tuple[list[CurvePoint], str]:
    """The points of a run's curve, and the unit in which the run counts: ``plies``, ``games`` or ``positions``.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file has no curve against this opponent.
    """
    data = read_file(file, _LARGEST, "draw a curve from")
    try:
        run: Any = parse_json(data)
        points = run["curve"]
        unit = next(name for name in ("plies", "games", "positions") if name in points[0])
        return [CurvePoint(each[unit], each["seconds"], each["scores"][opponent]) for each in points], unit
    except (IndexError, KeyError, StopIteration, TypeError, ValueError):
        raise ValueError(f"{file!r} has no curve of scores against {opponent}") from None


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    with mistakes():
        found = {Path(file).stem: curve(file, args.opponent) for file in args.runs}
        units = {unit for _, unit in found.values()}
        if len(units) > 1:
            raise ValueError(f"the runs count different units: {', '.join(sorted(units))}")
        lines = {label: points for label, (points, _) in found.items()}
        title = f"Score against {args.opponent}"
        write_file(args.out, png(learning_chart(title, "likeliest moves, from random openings", lines, units.pop())))


if __name__ == "__main__":
    main()
