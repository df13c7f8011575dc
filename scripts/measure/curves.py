"""Draw the learning curves of several training runs in one picture: their scores against one opponent.

    python scripts/measure/curves.py --runs nothing.json tuned.json --out compare.png
    python scripts/measure/curves.py --runs ppo.json alphazero.json ntuple.json --perfect --out perfect.png

The recipes ppo, alphazero, imitation and ntuple of ``scripts/train`` write these .json files beside their networks. The
left plot is over seconds, and the right plot over the unit that the runs count (plies, games or positions). If they
count different units, there is only the left plot. The bands are 95% intervals. With ``--perfect``, the curves are the
shares of perfect moves on 6x6 or 4x4.
"""

import json
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from matplotlib.figure import Figure

PERFECT = "perfect moves"


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    runs: tuple[Path, ...]  # the runs' .json files
    out: Path = Path("compare.png")  # the picture, a .png file
    opponent: str = "alphabeta:depth=2,eval=weighted"  # draw the scores against this opponent
    perfect: bool = False  # draw the share of perfect moves


def curve(file: Path, opponent: str | None) -> tuple[str, dict[str, list[float]]]:
    """The unit that a run counts, and its curve: the columns unit, seconds, score and error.

    Args:
        file: the run's .json file.
        opponent: the opponent of the scores, or None for the shares of perfect moves.
    """
    try:
        run: Any = json.loads(file.read_text(encoding="utf-8"))
        points = run["curve"]
        unit = next(name for name in ("plies", "games", "positions") if name in points[0])
        if opponent is None:
            scores = [point[PERFECT] for point in points]
            errors = [point.get(f"{PERFECT} +-", 0) for point in points]
        else:
            scores = [point["scores"][opponent] for point in points]
            games = int((re.search(r"--match (\d+)", run["command"]) or [0, 100])[1])  # of a point of the curve
            errors = [1.96 * math.sqrt(score * (1 - score) / games) for score in scores]
        found = {name: [point[name] for point in points] for name in (unit, "seconds")}
    except (OSError, IndexError, KeyError, StopIteration, TypeError, ValueError):
        what = PERFECT if opponent is None else f"scores against {opponent}"
        sys.exit(f"expected a curve of {what} in {str(file)!r}")
    return unit, found | {"score": scores, "error": errors}


def main(args: Args) -> None:
    found = [curve(file, None if args.perfect else args.opponent) for file in args.runs]
    stems = [file.stem for file in args.runs]
    names = stems if len({*stems}) == len(stems) else [str(file) for file in args.runs]
    units = {unit for unit, _ in found}
    axes_of = ["seconds", *(units if len(units) == 1 else ())]
    figure = Figure(figsize=(7.2 if len(axes_of) == 1 else 10.8, 4.5), dpi=150, layout="constrained")
    figure.suptitle("Share of perfect moves" if args.perfect else f"Score against {args.opponent}")
    for axes, unit in zip(figure.subplots(1, len(axes_of), sharey=True, squeeze=False)[0], axes_of, strict=True):
        for name, (_, run) in zip(names, found, strict=True):
            axes.plot(run[unit], run["score"], label=name)
            low = [score - error for score, error in zip(run["score"], run["error"], strict=True)]
            high = [score + error for score, error in zip(run["score"], run["error"], strict=True)]
            axes.fill_between(run[unit], low, high, alpha=0.2)
        axes.set_xlabel(unit)
        axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(args.out)
    print(f"written to {args.out}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
