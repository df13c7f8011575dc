"""Functions with which the scripts measure speeds.

A measurement has several windows. In each window, the work is repeated for some time, and the rate is the units of work
divided by this time. The result is the median rate of the windows.

The result has a second number, the median ratio. Just before each window of the work, there is a window of other work,
the yardstick. The ratio of a window is its rate divided by the rate in the yardstick's window just before. If the
machine becomes slower during a measurement, both rates fall, and the ratio stays about the same.
"""

from __future__ import annotations

import csv
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from _arguments import real, whole

__all__ = [
    "Bench",
    "Figure",
    "Windows",
    "Work",
    "machine",
    "rate",
    "report",
    "spread",
    "timed",
    "truth",
]

Work = Callable[[], tuple[float, float]]
"""A function that does some work. It returns the number of units of work and the time in seconds."""

_BUSY = 0.5
"""If the machine's load average is above this value, `machine` warns that other programs are running."""


@dataclass(frozen=True)
class Figure:
    """The result of one measurement: the rates of its windows.

    Attributes:
        rates: the rate of each window, in units a second.
        ratios: the rate of each window, divided by the rate in the yardstick's window just before.
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
    """Measures how fast work is, compared with a yardstick.

    Attributes:
        yardstick: the work to compare with.
        windows: the number of windows.
        seconds: the shortest time of a window, in seconds.
    """

    yardstick: Work
    windows: int = 5
    seconds: float = 1.0

    def measure(self, work: Work) -> Figure:
        """Measure some work. The yardstick's windows take a quarter of the time that the windows of the work take."""
        self.yardstick()  # not measured: the first calls compile code and fill caches
        work()
        rates, ratios = [], []
        for _ in range(self.windows):
            limit = rate(self.yardstick, self.seconds / 4)
            rates.append(rate(work, self.seconds))
            ratios.append(rates[-1] / limit)
        return Figure(tuple(rates), tuple(ratios))


@dataclass(frozen=True)
class Windows:
    """The command-line arguments about windows: their length and their number."""

    seconds: float = real(1.0, "seconds of work in each window", least=1e-3)
    windows: int = whole(5, "windows for each figure")

    def bench(self, yardstick: Work) -> Bench:
        """A bench that measures with these windows."""
        return Bench(yardstick, self.windows, self.seconds)


def rate(work: Work, seconds: float) -> float:
    """The number of units a second in one window. The work is repeated for at least `seconds`."""
    units = spent = 0.0
    while spent < seconds or not spent:
        more, took = work()
        units += more
        spent += took
    return units / spent


def timed(run: Callable[[], float]) -> Work:
    """Make a `Work` of the function `run`, which does some work and returns the number of units of work.

    The whole time of `run` counts.
    """

    def work() -> tuple[float, float]:
        began = time.perf_counter()
        units = run()
        return units, time.perf_counter() - began

    return work


def report(name: str, figure: Figure) -> Figure:
    """Print the name of a figure and the figure. Return the figure."""
    print(f"{name:52}{figure}", flush=True)
    return figure


def spread(values: Iterable[float]) -> str:
    """The median, the lowest and the highest of some values, as a text."""
    values = sorted(values)
    return f"{statistics.median(values):.2f} ({values[0]:.2f} to {values[-1]:.2f})"


def truth(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file in ``tests/data``. Each row is a dict, whose keys are the names of the columns."""
    with (Path(__file__).parents[1] / "tests" / "data" / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def machine(packages: Sequence[str] = ("numba", "numpy", "gymnasium")) -> str:
    """A text about the conditions of a measurement: date, cores, versions, and whether other work was running."""
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    line = f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    if hasattr(os, "getloadavg"):
        load = os.getloadavg()[0]
        line += f", load {load:.1f} before"
        if load > _BUSY:
            line += "\nother programs are running: these figures are too low; measure again on an idle machine"
    return line
