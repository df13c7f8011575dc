"""Measure how fast training is with actors on a Ray cluster, compared with training in one process.

    python scripts/measure_actors.py
    python scripts/measure_actors.py --games 1024 --shares 64      # on a larger cluster

The script needs ``pip install 'othello-env[ray,torch]'``. It measures two recipes (training scripts), AlphaZero and
PPO, on the cluster that a run with ``--ray`` would use. All speeds are compared with a run in one process. In that run,
the games are not divided into shares, and PyTorch has its usual number of threads (``OMP_NUM_THREADS`` changes this
number). The network has the default size of the recipe.

There are four lines for each recipe. The first has the speed of playing in one process, and the second has the speed of
playing on the cluster. The third has the speed of whole iterations with the cluster. An iteration contains playing and
learning. A cluster makes only the playing faster, because the learning always takes place in this process. So there is
a limit to the gain. The fourth line has this limit: the speed of an iteration in which playing took no time, divided by
the speed of an iteration in one process.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

try:
    import torch
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[ray,torch]'")

import train_alphazero
import train_ppo
from _actors import check_shares
from _arguments import one_of, parse, whole
from _measure import Windows, machine, report, timed
from _networks import RESIDUAL
from _recipe import SIZES, mistakes

from othello_env.support.cluster import connected
from othello_env.support.extras import import_extra


@dataclass(frozen=True)
class Arguments(Windows):
    """The command's arguments."""

    size: int = one_of(6, "size of the board: 4, 6 or 8", SIZES)
    games: int = whole(128, "games of an iteration")
    shares: int = whole(8, "parts into which these games are divided", least=2)

    def check(self) -> None:
        """Check that the games can be divided into the shares (see `shares`), and that Ray is installed."""
        check_shares(self)
        import_extra("ray", "ray")


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


class Training:
    """A learner whose iterations are measured.

    Args:
        module: the recipe.
        settings: the settings that differ from the recipe's defaults.
        on_cluster: whether the actors play on the cluster.
    """

    def __init__(self, module: Any, settings: dict[str, Any], *, on_cluster: bool) -> None:
        self.learner = module.Learner(module.Settings(**settings))
        self.learner.actors.on_cluster = on_cluster
        self.watch = Stopwatch(self.learner)

    def iterate(self) -> float:
        """Make an iteration. Return the number of games or plies."""
        before = getattr(self.learner, self.learner.UNIT)
        self.learner.iterate()
        return float(getattr(self.learner, self.learner.UNIT) - before)

    def play(self) -> tuple[float, float]:
        """Make an iteration. Return the number of games or plies, and the seconds of the playing alone."""
        before = self.watch.seconds
        units = self.iterate()
        return units, self.watch.seconds - before


def main() -> None:
    args = parse(__doc__, Arguments)
    with mistakes():
        print(machine(("numpy", "torch", "ray")) + f", {torch.get_num_threads()} threads of PyTorch")
        with connected():
            compare(args)


def compare(args: Arguments) -> None:
    """Measure both recipes, in one process and on the cluster."""
    for module in (train_alphazero, train_ppo):
        settings = {"size": args.size, "games": args.games, "network": RESIDUAL}
        here = Training(module, settings, on_cluster=False)
        there = Training(module, settings | {"shares": args.shares}, on_cluster=True)
        name = f"{here.learner.NAME}, {here.learner.UNIT}"
        bench = args.bench(here.play)
        report(f"{name}, playing in one process", bench.measure(here.play))
        report(f"{name}, playing on the cluster", bench.measure(there.play))
        bench = args.bench(timed(here.iterate))
        report(f"{name}, iterations with the cluster", bench.measure(timed(there.iterate)))
        limit = median(most(here, bench.yardstick) for _ in range(args.windows))
        print(f"    {limit:.2f} times the speed of one process is the most that a cluster can give", flush=True)


def most(here: Training, iterate: Callable[[], tuple[float, float]]) -> float:
    """The speed that an iteration would have if its games took no time, divided by its real speed."""
    before = here.watch.seconds
    _, seconds = iterate()
    return seconds / (seconds - (here.watch.seconds - before))


if __name__ == "__main__":
    main()
