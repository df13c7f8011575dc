"""What a user waits for: from the start of Python to the first `reset` and `step` of `othello_env/Othello-v0`.

    python scripts/measure_start.py

Three cases: the first process after an installation (no machine code cached), a later one, and eight that start at once
without a cache. Each is also given as a multiple of a later process, since absolute times belong to one machine.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from othello_env.arguments import whole

FIRST_STEP = """
import gymnasium, othello_env
env = gymnasium.make("othello_env/Othello-v0")
observation, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
"""
IMPORTS = "import gymnasium, numba, numpy, pettingzoo"


def seconds(program: str, cache: str, processes: int = 1) -> float:
    """How long it takes until the last of some processes that start at once has run a program."""
    env = os.environ | {"NUMBA_CACHE_DIR": cache}
    began = time.perf_counter()
    command = [sys.executable, "-c", program]
    running = [subprocess.Popen(command, env=env) for _ in range(processes)]  # noqa: S603 - the program is ours
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit("a process failed")
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=whole(1), default=5, help="each figure is the median of so many runs")
    args = parser.parse_args()
    cases = {
        "the imports alone (numpy, numba, gymnasium, pettingzoo)": (IMPORTS, True, 1),
        "a later process, to its first step": (FIRST_STEP, True, 1),
        "the first process, no machine code cached": (FIRST_STEP, False, 1),
        "eight at once, no machine code cached, until the last": (FIRST_STEP, False, 8),
    }
    times: dict[str, list[float]] = {name: [] for name in cases}
    with tempfile.TemporaryDirectory() as warm:
        seconds(FIRST_STEP, warm)
        for _ in range(args.repeats):
            for name, (program, is_warm, processes) in cases.items():
                with tempfile.TemporaryDirectory() as cold:
                    times[name].append(seconds(program, warm if is_warm else cold, processes))
    medians = {name: statistics.median(values) for name, values in times.items()}
    unit = medians["a later process, to its first step"]
    print(f"medians of {args.repeats} runs, {os.cpu_count()} cores, Python {sys.version.split()[0]}")
    for name, value in medians.items():
        print(f"{value:6.2f} s  {value / unit:5.2f} x  {name}")


if __name__ == "__main__":
    main()
