"""Measure tournaments: games a second, and what they cost beyond the agents' own time.

    python scripts/measure_arena.py
    python scripts/measure_arena.py --games 200 --workers 1 2 4
    python scripts/measure_arena.py --ray

Each line is a round robin of agents of one strength, all games recorded in a file. The agents' own time is taken
around their answers in the same run; the rest is openings, rules, records and the file. Read the ratios, since absolute
times hang on the machine. The last part plays one tournament on several numbers of worker processes, their start
included, and checks that all play the same games; with ``--ray`` also as tasks of a Ray cluster on this machine, that
runs already (the extra ``ray``).
"""

import argparse
import tempfile
import time
from itertools import product
from pathlib import Path

from othello_env import make_agent
from othello_env.arena.clocks import TimeControl
from othello_env.arena.schedule import Schedule
from othello_env.arena.timed import Timed
from othello_env.arena.tournament import Tournament, play_tournament
from othello_env.extras import import_extra

ONE_PLY = ("random", "maximizer:eval=weighted", "maximizer:eval=mobility", "maximizer:eval=count")
ALPHA_BETA_4 = ("alphabeta:depth=4,eval=weighted", "alphabeta:depth=4,eval=mobility")


def play(
    names: tuple[str, ...],
    games: int,
    folder: Path,
    workers: int = 1,
    clock: TimeControl | None = None,
    ray: bool = False,
) -> Tournament:
    """A tournament, recorded in a new file."""
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".jsonl") as file:
        agents = {name: name for name in names}
        schedule = Schedule(names, games)
        return play_tournament(agents, schedule, file=file.name, workers=workers, clock=clock, ray=ray)


def measure(title: str, names: tuple[str, ...], games: int, folder: Path) -> None:
    agents = {name: Timed(make_agent(name, 0)) for name in names}
    play_tournament(agents, Schedule(names, 2))  # compiles
    for agent in agents.values():
        agent.seconds = 0.0
    began = time.perf_counter()
    result = play_tournament(agents, Schedule(names, games), file=folder / f"{title}.jsonl")
    seconds = time.perf_counter() - began
    own = sum(agent.seconds for agent in agents.values())
    n = len(result.records)
    print(
        f"{title:16}{n:7,} games{n / seconds:10,.0f} a second{1e3 * seconds / n:9.3f} ms a game"
        f"{1e3 * own / n:9.3f} ms in the agents{seconds / own:8.2f} times their time"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="of each pair of 1-ply agents")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2], help="numbers of processes to compare")
    parser.add_argument("--ray", action="store_true", help="compare with as many tasks of a Ray cluster")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure("1 ply", ONE_PLY, args.games, folder)
        measure("alpha-beta 4", ALPHA_BETA_4, args.games, folder)

        if args.ray:
            import_extra("ray", "ray").init(
                num_cpus=max(args.workers, default=1), log_to_driver=False, logging_level="ERROR"
            )
        first = None
        for workers, ray in product(args.workers, (False, True) if args.ray else (False,)):
            began = time.perf_counter()
            result = play(ALPHA_BETA_4, 4 * args.games, folder, workers, ray=ray)
            seconds = time.perf_counter() - began
            first = first or (result, seconds)
            assert result == first[0], "the number of workers must not matter"
            n = len(result.records)
            times = first[1] / seconds
            title = f"{workers} worker{'s' * (workers > 1)}{', Ray' * ray}"
            print(f"{title:16}{n / seconds:10,.0f} games a second, {times:.2f} times")

        few = max(args.games // 50, 2) // 2 * 2
        began = time.perf_counter()
        play(ONE_PLY[:2], few, folder, clock=TimeControl(60))
        once = time.perf_counter() - began
        began = time.perf_counter()
        play(ONE_PLY[:2], 11 * few, folder, clock=TimeControl(60))
        each = (time.perf_counter() - began - once) / (10 * few)
        print(f"with a clock, 1 ply: {1e3 * each:.2f} ms a game, each move told to the process that watches")


if __name__ == "__main__":
    main()
