"""Measure tournaments: the games a second, and the time of a tournament compared with the time of its agents.

    python scripts/measure_arena.py
    python scripts/measure_arena.py --games 200 --workers 1 2 4
    python scripts/measure_arena.py --ray

The first two tournaments have one line each. In each of them, all agents play each other. In the first tournament, the
agents look at most one ply ahead. In the second tournament, they are alpha-beta agents of depth 4. A tournament is
played several times, and the figures are medians. Each line has the time of the tournament divided by the time of its
agents' answers. The rest of the tournament's time is needed for openings, rules, and a file in which all games are
recorded. Compare the ratios, because absolute times depend on the machine. The lowest and the highest ratio are shown,
too.

The next lines are about another tournament. It is played several times, with a different number of worker processes
each time. The script checks that the games are the same. The times include the start of the processes. With ``--ray``
the tournament is also played on a Ray cluster on this machine, which needs the extra ``ray``. The last line has the
time of a game with a clock.
"""

import tempfile
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median

from _arguments import even, flag, parse, whole
from _measure import machine, spread

from othello_env import make_agent
from othello_env.arena.play.clocks import TimeControl, Timed
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.results import Tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.support.extras import import_extra

ONE_PLY = ("random", "maximizer:eval=weighted", "maximizer:eval=mobility", "maximizer:eval=count")
ALPHA_BETA_4 = ("alphabeta:depth=4,eval=weighted", "alphabeta:depth=4,eval=mobility")


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    games: int = even(1000, "games of each pair of 1-ply agents")
    workers: tuple[int, ...] = whole((1, 2), "numbers of processes to compare", most=1024, nargs="*")
    windows: int = whole(3, "windows for each figure")
    ray: bool = flag("also play with a Ray cluster, with one task for each process")


def play(
    names: tuple[str, ...],
    games: int,
    folder: Path,
    workers: int = 1,
    clock: TimeControl | None = None,
    ray: bool = False,
) -> Tournament:
    """Play a tournament and record it in a new file. Return its results."""
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".jsonl") as file:
        agents = {name: name for name in names}
        schedule = Schedule(names, games)
        return play_tournament(agents, schedule, file=file.name, workers=workers, clock=clock, ray=ray)


def measure(title: str, names: tuple[str, ...], games: int, windows: int, folder: Path) -> None:
    """Play a tournament several times in this process, and compare its time with the time of its agents."""
    agents = {name: Timed(make_agent(name, 0)) for name in names}
    play_tournament(agents, Schedule(names, 2))  # not measured: the first games compile code
    taken, own, n = [], [], 0
    for window in range(windows):
        for agent in agents.values():
            agent.seconds = 0.0
        began = time.perf_counter()
        result = play_tournament(agents, Schedule(names, games), file=folder / f"{title}-{window}.jsonl")
        taken.append(time.perf_counter() - began)
        own.append(sum(agent.seconds for agent in agents.values()))
        n = len(result.records)
    print(
        f"{title:16}{n:7,} games{n / median(taken):10,.0f} a second{1e3 * median(taken) / n:9.3f} ms a game"
        f"{1e3 * median(own) / n:9.3f} ms in the agents   "
        f"{spread([all_of_it / theirs for all_of_it, theirs in zip(taken, own, strict=True)])} times their time"
    )


def measure_workers(args: Arguments, folder: Path) -> None:
    """Play one tournament several times, with each number of workers. Print how many games a second were played."""
    if args.ray:
        import_extra("ray", "ray").init(num_cpus=max(args.workers), log_to_driver=False, logging_level="ERROR")
    kinds = list(product(args.workers, (False, True) if args.ray else (False,)))
    taken: dict[tuple[int, bool], list[float]] = {kind: [] for kind in kinds}
    first = None
    for _ in range(args.windows):
        for workers, on_ray in kinds:
            began = time.perf_counter()
            result = play(ALPHA_BETA_4, 4 * args.games, folder, workers, ray=on_ray)
            taken[workers, on_ray].append(time.perf_counter() - began)
            first = first or result
            assert result == first, "the number of workers must not matter"
    assert first is not None
    for (workers, on_ray), seconds in taken.items():
        times = [base / here for base, here in zip(taken[kinds[0]], seconds, strict=True)]
        title = f"{workers} worker{'s' * (workers > 1)}{', Ray' * on_ray}"
        print(f"{title:16}{len(first.records) / median(seconds):10,.0f} games a second, {spread(times)} times")


def measure_clock(games: int, windows: int, folder: Path) -> None:
    """Print the time that a game with a clock takes. The start of the worker process does not count."""
    few, each = max(games // 50, 2) // 2 * 2, []
    for _ in range(windows):
        times = []
        for count in (few, 11 * few):
            began = time.perf_counter()
            play(ONE_PLY[:2], count, folder, clock=TimeControl(60))
            times.append(time.perf_counter() - began)
        each.append(1e3 * (times[1] - times[0]) / (10 * few))
    print(f"with a clock, 1 ply: {spread(each)} ms a game, while another process watches each move")


def main() -> None:
    args = parse(__doc__, Arguments)
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure("1 ply", ONE_PLY, args.games, args.windows, folder)
        measure("alpha-beta 4", ALPHA_BETA_4, args.games, args.windows, folder)
        if args.workers:
            measure_workers(args, folder)
        measure_clock(args.games, args.windows, folder)


if __name__ == "__main__":
    main()
