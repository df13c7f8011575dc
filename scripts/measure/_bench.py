"""What the scripts of this folder share: how a speed is measured, and two kinds of work.

A measurement has several windows of time. In each window the work is repeated; its rate is the units of work done over
the time that passed. Just before each window there is a window of other work, the yardstick. The ratio of a window is
its rate over the yardstick's. If the machine becomes slower, both rates fall and the ratio stays about the same.
"""

import csv
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import gymnasium
import numpy as np

from othello_env import sample_legal
from othello_env.games.othello.bitboard import BOARDS, STARTS, perft

Work = Callable[[], tuple[float, float]]
"""A function that does some work. It returns the number of units of work and the time in seconds."""


@dataclass(frozen=True)
class Figure:
    """A measurement: for each window its rate, in units a second, and its ratio to the yardstick."""

    rates: tuple[float, ...]
    ratios: tuple[float, ...]

    @property
    def rate(self) -> float:
        """The median rate, in units a second."""
        return statistics.median(self.rates)

    @property
    def ratio(self) -> float:
        """The median ratio to the yardstick."""
        return statistics.median(self.ratios)

    @property
    def spread(self) -> str:
        """The lowest and the highest ratio."""
        return f"{min(self.ratios):.4g} to {max(self.ratios):.4g}"

    def __str__(self) -> str:
        return f"{self.rate:14,.0f} a second {self.ratio:10.4g} ({self.spread})"


@dataclass(frozen=True)
class Bench:
    """Measures work in windows of at least `seconds`, beside a yardstick."""

    yardstick: Work
    windows: int = 5
    seconds: float = 1.0

    def measure(self, work: Work) -> Figure:
        """Measure some work. The yardstick's windows take a quarter of the time."""
        self.yardstick()  # not measured: the first calls compile code and fill caches
        work()
        rates, ratios = [], []
        for _ in range(self.windows):
            limit = rate(self.yardstick, self.seconds / 4)
            rates.append(rate(work, self.seconds))
            ratios.append(rates[-1] / limit)
        return Figure(tuple(rates), tuple(ratios))

    def report(self, name: str, work: Work) -> Figure:
        """Measure some work and print a line about it."""
        figure = self.measure(work)
        print(f"{name:52}{figure}", flush=True)
        return figure


def rate(work: Work, seconds: float) -> float:
    """The number of units a second in one window. The work is repeated for at least `seconds`."""
    units = spent = 0.0
    while spent < seconds or not spent:
        more, took = work()
        units += more
        spent += took
    return units / spent


def timed(run: Callable[[], float]) -> Work:
    """Make a `Work` of a function that returns its number of units. The whole time of the function counts."""

    def work() -> tuple[float, float]:
        began = time.perf_counter()
        units = run()
        return units, time.perf_counter() - began

    return work


def perft_work(depth: int = 7) -> Work:
    """Perft from the start on one core: all move sequences of a given length. A unit of work is a sequence's end.

    It plays all plies of every sequence. Other perfts only count the legal moves for the last ply, which is faster.
    """
    black, white = (np.uint64(discs) for discs in STARTS)
    return timed(lambda: float(perft(black, white, BOARDS[8], depth)))


class VectorWork:
    """Steps of N games at once in a vector environment. A unit of work is a step of one game.

    Each step returns an observation and a mask. The time to choose random actions does not count.

    Args:
        n: the number of games.
        opponent: the opponent's spec, or None for self-play.
        threads: the number of threads.
        game: ``Othello``, or the name of another game that has a vector environment.
        options: options of the environment, such as ``size``.
    """

    STAGES = 60
    """A game on 8x8 has about this number of plies. The games of a batch begin at different plies, spread evenly.

    On a smaller board, these plies are only those of the first half of a game, because many random games end early.
    """
    STEPS = 8

    def __init__(
        self, n: int, opponent: str | None = None, threads: int = 1, game: str = "Othello", **options: int
    ) -> None:
        name = f"othello_env/{game}-v0"
        self.env = gymnasium.make_vec(name, num_envs=n, opponent=opponent, copy=False, num_threads=threads, **options)
        self.rng = np.random.default_rng(0)
        self.masks = self.env.reset(seed=0)[0]["action_mask"]
        size = options.get("size", 8)
        stages = self.STAGES if size == 8 else size**2 // 2 - 2
        for stage in range(min(n, stages)):
            those = np.arange(n) % stages == stage
            self.env.reset(options={"reset_mask": those, "random_plies": stage})
        for _ in range(self.STAGES):
            self.env.step(sample_legal(self.masks, self.rng))

    def __call__(self) -> tuple[float, float]:
        spent = 0.0
        for _ in range(self.STEPS):
            actions = sample_legal(self.masks, self.rng)
            began = time.perf_counter()
            self.env.step(actions)
            spent += time.perf_counter() - began
        return self.STEPS * len(self.masks), spent


def truth(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file in ``tests/data``, each as a dict by column."""
    with (Path(__file__).parents[2] / "tests" / "data" / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def machine(packages: Sequence[str] = ("numba", "numpy", "gymnasium")) -> str:
    """A text about the conditions of a measurement: date, cores, versions, and whether other work was running."""
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    line = f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    if hasattr(os, "getloadavg"):
        load = os.getloadavg()[0]
        line += f", load {load:.1f} before"
        if load > 0.5:
            line += "\nother programs are running: these figures are too low; measure again on an idle machine"
    return line
