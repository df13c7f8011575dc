"""How these scripts measure speed: the units of work done over the time that passed, never the best single call.

A figure is the median over several windows, with the lowest and the highest window beside it. Every window is paired
with one of a yardstick that runs just before it, so that the ratio holds although the machine's speed drifts.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from othello_env.games.othello.bitboard import BOARDS, STARTS, perft

__all__ = ["Bench", "Figure", "Work", "machine", "perft_work", "rate", "timed"]

Work = Callable[[], tuple[float, float]]
"""Does a part of the work: returns how many units were done, and the seconds that they took."""

_BUSY = 0.5
"""A load average above this, before anything was measured, means that something else is running."""


@dataclass(frozen=True)
class Figure:
    """The windows of one measurement.

    Attributes:
        rates: units a second, one a window.
        ratios: each window's rate over the yardstick's rate beside it.
    """

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
    """Measures beside a yardstick.

    Attributes:
        yardstick: the work to compare with.
        windows: their number.
        seconds: of work in each window, at least.
    """

    yardstick: Work
    windows: int = 5
    seconds: float = 1.0

    def measure(self, work: Work) -> Figure:
        """The rates of some work, each window after one of the yardstick of a quarter of its length."""
        self.yardstick()  # compiles, and fills caches
        work()
        rates, ratios = [], []
        for _ in range(self.windows):
            limit = rate(self.yardstick, self.seconds / 4)
            rates.append(rate(work, self.seconds))
            ratios.append(rates[-1] / limit)
        return Figure(tuple(rates), tuple(ratios))


def rate(work: Work, seconds: float) -> float:
    """Units a second in one window: work is repeated until so many seconds have counted."""
    units = spent = 0.0
    while spent < seconds or not spent:
        more, took = work()
        units += more
        spent += took
    return units / spent


def timed(run: Callable[[], float]) -> Work:
    """Work of which all the time counts; `run` returns the units."""

    def work() -> tuple[float, float]:
        began = time.perf_counter()
        units = run()
        return units, time.perf_counter() - began

    return work


def perft_work(depth: int = 7) -> Work:
    """Perft from the start on one core; a unit is a leaf, each a position that is really made."""
    black, white = (np.uint64(discs) for discs in STARTS)
    return timed(lambda: float(perft(black, white, BOARDS[8], depth)))


def machine(packages: Sequence[str] = ("numba", "numpy", "gymnasium")) -> str:
    """What a figure has to name beside itself: date, cores, versions, and whether other work was going on."""
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    line = f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    if hasattr(os, "getloadavg"):
        load = os.getloadavg()[0]
        line += f", load {load:.1f} before"
        if load > _BUSY:
            line += "\nother work is going on here: these figures are too low; repeat them on a quiet machine"
    return line
