"""Draw the learning curves of training runs in one picture, and print when they reached some marks.

    python scripts/measure/curves.py --runs nothing.json tuned.json --out compare.png
    python scripts/measure/curves.py --runs ppo.json alphazero.json ntuple.json --perfect --out perfect.png

The recipes of ``scripts/train`` write these .json files beside their networks. The curves are the scores against one
opponent. The left plot is over seconds, and the right plot over the unit that the runs count (plies, games or
positions). If they count different units, there is only the left plot. The bands are 95% intervals. Runs that differ
only in their seed become one curve: their mean, with a band from the lowest to the highest of them. With ``--perfect``,
the curves are the shares of perfect moves on 6x6 or 4x4.

If the points have ratings or shares of perfect moves, a line for each run says after how many minutes of training the
first point was as high as each mark.
"""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tyro
from matplotlib.figure import Figure

from othello_env.arena.number import elo_text

PERFECT = "perfect moves"
MARKS = {"elo": (1000, 1200, 1500), PERFECT: (0.6, 0.75, 0.9)}
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    runs: tuple[Path, ...]  # the runs' .json files
    out: Path = Path("compare.png")  # the picture, a .png file
    opponent: str = "alphabeta:depth=2,eval=weighted"  # draw the scores against this opponent
    perfect: bool = False  # draw the share of perfect moves


@dataclass(frozen=True)
class Run:
    """A run's curve of P points."""

    unit: str  # what the run counts
    settings: str  # the run's settings without its seed; empty if the file has none
    x: dict[str, Floats]  # (P,) by axis: the seconds, and the counted units
    score: Floats  # (P,)
    error: Floats  # (P,), half the length of the 95% interval
    reached: str = ""  # when it reached the marks


def reached(points: list[dict[str, Any]]) -> str:
    """The minutes to each mark, and the last point, as a text; empty if the points have no such numbers."""
    texts = {"elo": lambda number: f"{elo_text(number)} Elo", PERFECT: lambda share: f"{100 * share:.3g} %"}
    for kind, text in texts.items():
        if kind in points[-1]:
            cells = []
            for mark in MARKS[kind]:
                minutes = (f"{point['seconds'] / 60:.1f}" for point in points if point.get(kind, -np.inf) >= mark)
                cells.append(f"{text(mark)} {next(minutes, '-')}")
            return ", ".join([*cells, f"last {text(points[-1][kind])} after {points[-1]['seconds'] / 60:.1f}"])
    return ""


def read(file: Path, opponent: str | None) -> Run:
    """Read a run's scores against an opponent, or its shares of perfect moves if `opponent` is None."""
    try:
        run: Any = json.loads(file.read_text(encoding="utf-8"))
        points = run["curve"]
        unit = next(name for name in ("plies", "games", "positions") if name in points[0])
        if opponent is None:
            score = np.array([point[PERFECT] for point in points])
            error = np.array([point[f"{PERFECT} +-"] for point in points])
        else:
            score = np.array([point["scores"][opponent] for point in points])
            games = int((re.search(r"--match (\d+)", run["command"]) or [0, 100])[1])  # of a point of the curve
            error = 1.96 * np.sqrt(score * (1 - score) / games)
        x = {name: np.array([point[name] for point in points], float) for name in ("seconds", unit)}
        settings = {name: value for name, value in run.get("settings", {}).items() if name != "seed"}
    except (OSError, IndexError, KeyError, StopIteration, TypeError, ValueError):
        what = PERFECT if opponent is None else f"scores against {opponent}"
        sys.exit(f"expected a curve of {what} in {str(file)!r}")
    return Run(unit, json.dumps(settings) if settings else "", x, score, error, reached(points))


def joined(runs: list[Run], axis: str) -> tuple[Floats, Floats, Floats, Floats]:
    """The curve of runs with different seeds: its points on an axis, the scores, and the ends of the band."""
    if len(runs) == 1:
        (run,) = runs
        return run.x[axis], run.score, run.score - run.error, run.score + run.error
    shortest = min(runs, key=lambda run: run.x[axis][-1])
    x = shortest.x[axis]
    scores = np.stack([np.interp(x, run.x[axis], run.score) for run in runs])
    return x, scores.mean(0), scores.min(0), scores.max(0)


def main(args: Args) -> None:
    groups: dict[str, list[Run]] = {}
    names: dict[str, list[Path]] = {}
    for file in args.runs:
        run = read(file, None if args.perfect else args.opponent)
        groups.setdefault(run.settings or str(file), []).append(run)
        names.setdefault(run.settings or str(file), []).append(file)
        print(*filter(None, (str(file), run.reached)), sep=": ")
    units = {run.unit for runs in groups.values() for run in runs}
    axes_of = ["seconds", *(units if len(units) == 1 else ())]
    figure = Figure(figsize=(6.0 if len(axes_of) == 1 else 8.4, 4.0), dpi=150, layout="constrained")
    figure.suptitle("Share of perfect moves" if args.perfect else f"Score against {args.opponent}")
    for axes, axis in zip(figure.subplots(1, len(axes_of), sharey=True, squeeze=False)[0], axes_of, strict=True):
        for group, runs in groups.items():
            x, score, low, high = joined(runs, axis)
            label = str(names[group][0].with_suffix(""))
            if len(runs) > 1:
                label = re.sub(r"_seed\d+$", "", label) + f", mean of {len(runs)} seeds"
            axes.plot(x, score, label=label)
            axes.fill_between(x, low, high, alpha=0.2)
        axes.set_xlabel(axis)
        axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(args.out)
    print(f"written to {args.out}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
