"""Draw a picture with the learning curves of several training runs: the scores against one opponent.

    python scripts/compare_curves.py --runs nothing.json tuned.json --out compare.png
    python scripts/compare_curves.py --runs ppo.json alphazero.json ntuple.json --perfect --out perfect.png

`train_ppo.py`, `train_alphazero.py` and `train_imitation.py` write these .json files beside their networks. With
``--perfect``, the picture shows the share of perfect moves on 6x6 or 4x4, and can also show runs of `train_ntuple.py`.
The picture has two plots: one over seconds, and one over the unit that the runs count (plies, games or positions). If
the runs count different units, only the plot over seconds is drawn. The name of a run is its file's name, or the given
path if two files have the same name. Bands are 95% intervals. Runs that differ only in their seed become one curve:
their mean, with a band from the lowest to the highest of them.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _arguments import flag, parse, path, text
from _recipe import LADDER, PERFECT, mistakes

from othello_env.arena.tournament.results import interval_of
from othello_env.drawing.charts import CurvePoint, learning_chart, mean_curve, png
from othello_env.support.files import parse_json, read_file, write_file

_LARGEST = 64 << 20
_MATCH = 100  # the default of --match, which a run's command may leave out


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


@dataclass(frozen=True)
class Run:
    """A run's curve.

    Attributes:
        points: the points of the curve.
        unit: what the run counts (``plies``, ``games`` or ``positions``).
        settings: the settings of the run without its seed, as text. It is empty if the file has no settings.
    """

    points: list[CurvePoint]
    unit: str
    settings: str


def read(file: str, opponent: str | None) -> Run:
    """Read a run's curve.

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
        unit = next(name for name in ("plies", "games", "positions") if name in run["curve"][0])
        match = re.search(r"--match[ =](\d+)", run.get("command", ""))
        points = []
        for each in run["curve"]:
            score = each[PERFECT] if opponent is None else each["scores"][opponent]
            ends: tuple[float, ...] = ()
            if opponent is None and f"{PERFECT} +-" in each:
                ends = (score - each[f"{PERFECT} +-"], score + each[f"{PERFECT} +-"])
            elif opponent is not None:
                ends = interval_of(int(match[1]) // 2 if match else _MATCH // 2, score, 0.0)
            points.append(CurvePoint(each[unit], each["seconds"], score, *ends))
        settings = {name: value for name, value in run.get("settings", {}).items() if name != "seed"}
    except (IndexError, KeyError, StopIteration, TypeError, ValueError):
        what = PERFECT if opponent is None else f"scores against {opponent}"
        raise ValueError(f"{file!r} has no curve of {what}") from None
    return Run(points, unit, json.dumps(settings, sort_keys=True) if settings else "")


def joined(runs: dict[str, Run]) -> dict[str, list[CurvePoint]]:
    """The curves to draw. Runs that differ only in their seed become one curve."""
    groups: dict[str, list[str]] = {}
    for name, run in runs.items():
        groups.setdefault(run.settings or name, []).append(name)
    curves = {}
    for names in groups.values():
        if len(names) == 1:
            curves[names[0]] = runs[names[0]].points
        else:
            label = re.sub(r"[_-]?(seed)?\d+$", "", Path(names[0]).stem)
            curves[f"{label}, mean of {len(names)} seeds"] = mean_curve([runs[name].points for name in names])
    return curves


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    with mistakes():
        runs = {
            name: read(file, None if args.perfect else args.opponent)
            for name, file in zip(args.names, args.runs, strict=True)
        }
        units = {run.unit for run in runs.values()}
        what = "share of perfect moves" if args.perfect else "score"
        title = "Share of perfect moves" if args.perfect else f"Score against {args.opponent}"
        curves = joined(runs)
        how = "in packaged positions" if args.perfect else "from random openings, each run as it was measured"
        how += "; bands: 95% intervals" + (
            "" if len(curves) == len(runs) else ", or from the lowest to the highest seed"
        )
        unit = units.pop() if len(units) == 1 else None
        write_file(args.out, png(learning_chart(title, how, curves, unit, what)))


if __name__ == "__main__":
    main()
