"""Print how many minutes of training a run needed to 1,000, 1,200 and 1,500 Elo, or to 60, 75 and 90 % perfect moves.

    python scripts/measure/speedrun.py --runs runs/ppo.json runs/alphazero.json

The recipes of ``scripts/train`` write these .json files beside their agents. On 8x8 the points of a curve have ratings
on the ladder, and on 6x6 the share of perfect moves. A mark counts as reached at the first point that is as high.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from othello_env.arena.number import elo_text

MARKS = {"elo": (1000.0, 1200.0, 1500.0), "perfect moves": (0.6, 0.75, 0.9)}


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    runs: tuple[Path, ...]  # the runs' .json files


def text(kind: str, number: float) -> str:
    """A rating or a share as it is printed."""
    return f"{elo_text(number)} Elo" if kind == "elo" else f"{100 * number:.3g} %"


def minutes_to(points: list[dict[str, Any]], kind: str, mark: float) -> float | None:
    """The minutes of training at the first point of a curve that reaches a mark; None if no point does."""
    return next((point["seconds"] / 60 for point in points if point.get(kind, -float("inf")) >= mark), None)


def row(file: Path) -> str:
    """What one run reached, and when.

    Raises:
        ValueError: the file has no learning curve with ratings or shares of perfect moves.
    """
    try:
        points = json.loads(file.read_text(encoding="utf-8"))["curve"]
        kind = next(kind for kind in MARKS if kind in points[-1])
        cells = []
        for mark in MARKS[kind]:
            minutes = minutes_to(points, kind, mark)
            cells.append(f"{text(kind, mark)} {'-' if minutes is None else f'{minutes:.1f}'}")
        last = f"last {text(kind, points[-1][kind])} after {points[-1]['seconds'] / 60:.1f}"
    except (KeyError, TypeError, StopIteration, IndexError, ValueError):
        raise ValueError(f"{file} is not a learning curve with ratings or shares of perfect moves") from None
    return f"{file}: {', '.join([*cells, last])}"


def main(args: Args) -> None:
    try:
        for file in args.runs:
            print(row(file))
    except (OSError, ValueError) as error:
        sys.exit(f"speedrun.py: {error}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
