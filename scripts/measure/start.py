"""Measure the time from the start of Python to the first answer of an environment or an agent.

    python scripts/measure/start.py
    python scripts/measure/start.py --cases engine mcts --repeats 3

A case is an environment or an agent. Each case runs in new processes. A "first process" finds no machine code in the
cache, like the first process after an installation. A "later process" finds the code that another process stored in the
cache. Times are medians of several runs, with the shortest and the longest time. Absolute times depend on the machine.
So the time of every case is also divided by the time of one case: the environment with one game, in a later process.
The cases take turns. So all cases are affected in the same way if the machine becomes slower.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Literal

import tyro
from _bench import machine

ENVIRONMENT = """
import gymnasium, othello_env
env = gymnasium.make("othello_env/Othello-v0")
observation, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
"""
VECTOR = """
import gymnasium, othello_env
env = gymnasium.make_vec("othello_env/Othello-v0", num_envs=64, opponent={opponent!r})
observation, info = env.reset(seed=0)
env.step(info["action_mask"].argmax(axis=1))
"""
AGENT = """
import othello_env
othello_env.make_agent({spec!r}).act(othello_env.Othello())
"""
PROGRAMS = {
    "single": ENVIRONMENT,
    "vector": VECTOR.format(opponent=None),
    "opponent": VECTOR.format(opponent="random"),
    **{name: AGENT.format(spec=name) for name in ("alphabeta", "engine", "ntuple", "mcts")},
}
MEANINGS = {
    "single": "the environment: reset and step",
    "vector": "the vector environment, self-play",
    "opponent": "the vector environment against random",
}
IMPORTS = "import gymnasium, numba, numpy, pettingzoo"


Case = Literal["single", "vector", "opponent", "alphabeta", "engine", "ntuple", "mcts"]


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    repeats: int = 5  # number of runs; each figure is their median
    cases: tuple[Case, ...] = ("single", "vector", "opponent", "alphabeta", "engine", "ntuple", "mcts")
    """the cases to measure"""


def seconds(program: str, cache: str, processes: int = 1) -> float:
    """Start several processes with the same program at once. Return the seconds until all of them have ended."""
    env = os.environ | {"NUMBA_CACHE_DIR": cache, "XDG_CACHE_HOME": cache}
    began = time.perf_counter()
    command = [sys.executable, "-c", program]
    running = [subprocess.Popen(command, env=env) for _ in range(processes)]  # noqa: S603 - the program is ours
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit("a process failed")
    return time.perf_counter() - began


def cold(program: str, processes: int = 1) -> float:
    """Like `seconds`, but with an empty cache of machine code."""
    with tempfile.TemporaryDirectory() as cache:
        return seconds(program, cache, processes)


def row(name: str, times: list[float], unit: float) -> str:
    """A line of the table: the median, the shortest and the longest time, and the median as a multiple of `unit`."""
    value = statistics.median(times)
    return f"{value:6.2f} s ({min(times):.2f} to {max(times):.2f})  {value / unit:5.2f} x  {name}"


def main(args: Args) -> None:
    print(machine())
    later: dict[str, list[float]] = {name: [] for name in dict.fromkeys(["single", *args.cases])}
    first: dict[str, list[float]] = {name: [] for name in args.cases}
    imports: list[float] = []
    at_once: list[float] = []
    with tempfile.TemporaryDirectory() as warm:
        for name in later:
            seconds(PROGRAMS[name], warm)
        for _ in range(args.repeats):
            imports.append(seconds(IMPORTS, warm))
            for name, times in later.items():
                times.append(seconds(PROGRAMS[name], warm))
            for name, times in first.items():
                times.append(cold(PROGRAMS[name]))
            if "single" in args.cases:
                at_once.append(cold(ENVIRONMENT, 8))
    unit = statistics.median(later["single"])
    print(f"medians of {args.repeats} runs")
    print(row("only the imports (numpy, numba, gymnasium, pettingzoo)", imports, unit))
    for name in later:
        meaning = MEANINGS.get(name, f"{name}'s first move")
        print(row(f"{meaning}, a later process", later[name], unit))
        if name in first:
            print(row(f"{meaning}, the first process", first[name], unit))
    if at_once:
        print(row("the environment, eight first processes at once, until all have ended", at_once, unit))


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
