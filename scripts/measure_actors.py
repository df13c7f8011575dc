"""Measure how fast training is with actors on a Ray cluster, beside one process.

    python scripts/measure_actors.py
    python scripts/measure_actors.py --games 1024 --shares 64      # on a larger cluster

The script needs ``pip install 'othello-env[ray,torch]'``. It uses the cluster that a run with ``--ray`` would use. The
yardstick is this process, which plays the same shares one after the other. PyTorch computes with one thread. The
network has the default size of the recipe. For each recipe there are two figures: one for playing, and one for whole
iterations, which also contain the learning. The learning takes place in this process. So the last line says how much
faster an iteration could be if playing took no time.
"""

import sys
import time
from dataclasses import dataclass
from typing import Any

try:
    import torch
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[ray,torch]'")

import train_alphazero
import train_ppo
from _arguments import one_of, parse, whole
from _measure import Windows, Work, machine, report, timed
from _recipe import SIZES

from othello_env.support.cluster import connected


@dataclass(frozen=True)
class Arguments(Windows):
    """The command's arguments."""

    size: int = one_of(6, "size of the board: 4, 6 or 8", SIZES)
    games: int = whole(128, "games of an iteration")
    shares: int = whole(8, "parts into which these games are divided", least=2)


class Stopwatch:
    """Adds up the seconds in which the actors of a learner play."""

    def __init__(self, learner: Any) -> None:
        self.seconds = 0.0
        self._play = learner.actors.play
        learner.actors.play = self

    def __call__(self, *arguments: Any) -> Any:
        began = time.perf_counter()
        found = self._play(*arguments)
        self.seconds += time.perf_counter() - began
        return found


def iterating(learner: Any, *, on_cluster: bool) -> Work:
    """Work that makes a whole iteration. Its unit is a game or a ply."""

    def run() -> float:
        before = getattr(learner, learner.UNIT)
        learner.actors.on_cluster = on_cluster
        learner.iterate()
        return float(getattr(learner, learner.UNIT) - before)

    return timed(run)


def playing(learner: Any, watch: Stopwatch, *, on_cluster: bool) -> Work:
    """Work that makes an iteration, of which only the playing counts."""
    whole_iteration = iterating(learner, on_cluster=on_cluster)

    def work() -> tuple[float, float]:
        before = watch.seconds
        units, _ = whole_iteration()
        return units, watch.seconds - before

    return work


def main() -> None:
    args = parse(__doc__, Arguments)
    torch.set_num_threads(1)
    with connected():
        print(machine(("numpy", "torch", "ray")))
        for module in (train_alphazero, train_ppo):
            learner = module.Learner(module.Settings(size=args.size, games=args.games, shares=args.shares))
            name, watch = f"{learner.NAME}, {learner.UNIT}", Stopwatch(learner)
            bench = args.bench(playing(learner, watch, on_cluster=False))
            report(f"{name}, playing in one process", bench.measure(bench.yardstick))
            report(f"{name}, playing on the cluster", bench.measure(playing(learner, watch, on_cluster=True)))
            bench = args.bench(iterating(learner, on_cluster=False))
            report(f"{name}, iterations with the cluster", bench.measure(iterating(learner, on_cluster=True)))
            before = watch.seconds
            _, seconds = bench.yardstick()
            limit = seconds / (seconds - (watch.seconds - before))
            print(f"    {limit:.2f} times the speed of one process is the most that a cluster can give", flush=True)


if __name__ == "__main__":
    main()
