"""Measure how fast games of Othello are made, read from files, and converted to training data.

    python scripts/measure_data.py

Each rate is the median of several windows of time on one core, and is divided by the speed of perft on one core. The
lowest and the highest ratio are shown, too. Perft counts all move sequences of a given length. Files are written to a
temporary folder and read from there.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

from _arguments import parse
from _measure import Windows, machine, report, timed
from _works import perft_work

from othello_env.data import (
    Dataset,
    Games,
    board_labels,
    board_sets,
    examples,
    random_games,
    read_games,
    tokens,
    write_games,
)

GAMES = 50_000
"""The number of games in a measurement. Slow measurements use fewer games."""


def works(folder: Path) -> dict[str, Callable[[], float]]:
    """The measured functions, a dictionary with their titles as keys.

    Each function does some work, and returns the number of units of work.
    """
    games = random_games(GAMES, seed=1)
    paths = {ending: folder / f"games.{ending}" for ending in ("npz", "wtb", "ggf", "txt")}
    few = games[: GAMES // 50]
    for ending, path in paths.items():
        write_games(path, games if ending in ("npz", "wtb") else few)
    count = 0

    def make_dataset() -> int:
        nonlocal count
        count += 1

        def part(first: int, number: int) -> Games:
            return random_games(number, seed=count, first=first)

        Dataset.make(folder / str(count), {"seed": count}, GAMES, GAMES, part)
        return GAMES

    return {
        "random games, in memory, games": lambda: len(random_games(GAMES, seed=2)),
        "random games, as a dataset on disk, games": make_dataset,
        "reading WTHOR, every move checked, games": lambda: len(read_games(paths["wtb"])),
        "reading .npz, games": lambda: len(read_games(paths["npz"])),
        "reading GGF, games": lambda: len(read_games(paths["ggf"])),
        "reading transcripts, games": lambda: len(read_games(paths["txt"])),
        "examples, observations and masks, positions": lambda: sum(map(len, examples(games))),
        "tokens of Othello-GPT, games": lambda: len(tokens(games)),
        "board labels, moves": lambda: len(board_labels(games[: GAMES // 5]).board),
        "board labels as sets of squares, moves": lambda: len(board_sets(games)),
    }


def main() -> None:
    args = parse(__doc__, Windows)
    print(machine())
    bench = args.bench(perft_work())
    with tempfile.TemporaryDirectory() as folder:
        for title, work in works(Path(folder)).items():
            report(title, bench.measure(timed(work)))


if __name__ == "__main__":
    main()
