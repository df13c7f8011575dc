"""Measure how fast games of Othello are made, read from files, and converted to training data.

    python scripts/measure/data.py

Each rate is the median of several windows of time on one core, and is divided by the speed of perft on one core. The
lowest and the highest ratio are shown, too. Perft counts all move sequences of a given length. Files are written to a
temporary folder and read from there.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tyro
from _bench import Bench, machine, perft_work, timed

from othello_env.data import (
    Dataset,
    Games,
    examples,
    random_games,
    read_games,
    tokens,
    write_games,
)
from othello_env.sequences import SequenceStream


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    games: int = 50_000  # number of games in a measurement; slow measurements use fewer
    seconds: float = 1.0  # seconds of work in each window
    windows: int = 5  # windows for each figure


def works(folder: Path, count: int) -> dict[str, Callable[[], float]]:
    """The measured functions by title. Each does some work, and returns its number of units."""
    games = random_games(count, seed=1)
    paths = {ending: folder / f"games.{ending}" for ending in ("npz", "wtb", "ggf", "txt")}
    few = games[: count // 50]
    for ending, path in paths.items():
        write_games(path, games if ending in ("npz", "wtb") else few)
    made = 0

    def make_dataset() -> int:
        nonlocal made
        made += 1

        def part(first: int, number: int) -> Games:
            return random_games(number, seed=made, first=first)

        Dataset.make(folder / str(made), {"seed": made}, count, count, part)
        return count

    return {
        "random games, in memory, games": lambda: len(random_games(count, seed=2)),
        "random games, as a dataset on disk, games": make_dataset,
        "reading WTHOR, every move checked, games": lambda: len(read_games(paths["wtb"])),
        "reading .npz, games": lambda: len(read_games(paths["npz"])),
        "reading GGF, games": lambda: len(read_games(paths["ggf"])),
        "reading transcripts, games": lambda: len(read_games(paths["txt"])),
        "examples, observations and masks, positions": lambda: sum(map(len, examples(games))),
        "a stream of tokens, games": lambda: len(SequenceStream(count).batch(0)),
        "a stream of tokens with legal tokens, games": lambda: len(SequenceStream(count // 5, legal=True).batch(0)),
        "a stream of tokens with boards, games": lambda: len(SequenceStream(count // 5, boards=True).batch(0)),
        "tokens of Othello-GPT, games": lambda: len(tokens(games)),
    }


def main(args: Args) -> None:
    print(machine())
    bench = Bench(perft_work(), args.windows, args.seconds)
    with tempfile.TemporaryDirectory() as folder:
        for title, work in works(Path(folder), args.games).items():
            bench.report(title, timed(work))


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
