"""Results of one training method over several seeds: means with their intervals.

A rating's own interval says how exactly one network was measured. It says nothing about the next run of the same
method. So a paper trains with several seeds, rates each run, and quotes the mean over the runs with the interval of
this mean. The runs are the independent units: the interval contains both the differences between runs and the errors of
measuring each of them. It takes the ratings of the ladder's opponents as exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from othello_env.arena.rating.benchmark import Benchmark
from othello_env.arena.rating.perfection import PerfectionBenchmark
from othello_env.arena.statistics import Mean, mean_interval

__all__ = ["SEEDS_COLUMNS", "mean_over_seeds", "seeds_json", "seeds_rows"]

SEEDS_COLUMNS = ("over the runs", "runs", "mean", "95% interval", "deviation")
"""The titles of the columns of `seeds_rows`."""
_SHARES = ("best endgame moves", "perfect moves")


def mean_over_seeds(runs: Sequence[Benchmark | PerfectionBenchmark]) -> dict[str, Mean | None]:
    """The mean of each number that the runs' results have in common.

    Args:
        runs: the results of `run_benchmark`, of `run_perfection` or of both for agents of one method, one agent a seed.

    Returns:
        A dict from the name of a number to its mean over the runs: ``Elo``, ``best endgame moves`` (a share) and
        ``discs lost a move`` from `run_benchmark`; ``perfect moves`` (a share), ``discs lost a move``, ``discs lost a
        game`` and ``exploitability`` (in discs) from `run_perfection`. None if a run has no such number, for example no
        rating because it won or lost all games: leaving the run out would change the mean.

    Raises:
        ValueError: there are no runs.
    """
    if not runs:
        raise ValueError("expected the results of at least one run")
    means: dict[str, Mean | None] = {}
    for kind in (Benchmark, PerfectionBenchmark):
        all_numbers = [_numbers(run) for run in runs if isinstance(run, kind)]
        for name in dict.fromkeys(name for numbers in all_numbers for name in numbers):
            values = [value for numbers in all_numbers if (value := numbers.get(name)) is not None]
            means[name] = mean_interval(values) if len(values) == len(all_numbers) else None
    return means


def _numbers(run: Benchmark | PerfectionBenchmark) -> dict[str, float | None]:
    numbers: dict[str, float | None] = {}
    if isinstance(run, Benchmark):
        if (place := run.placement) is not None:
            numbers["Elo"] = place.elo if place.open_end is None else None
        if run.endgame is not None:
            numbers |= {"best endgame moves": run.endgame.rate, "discs lost a move": run.endgame.loss}
        return numbers
    if run.regret is not None:
        numbers |= {"perfect moves": run.regret.rate, "discs lost a move": run.regret.loss}
    if run.games is not None:
        numbers["discs lost a game"] = run.games.loss
    if run.exploitability is not None:
        numbers["exploitability"] = run.exploitability.discs
    return numbers


def seeds_rows(runs: Sequence[Benchmark | PerfectionBenchmark]) -> list[tuple[str, ...]]:
    """A row of texts for each number; see `mean_over_seeds` and `SEEDS_COLUMNS`.

    An interval ends at 0 or 1 where the number, a share or a loss, cannot be beyond.
    """
    rows: list[tuple[str, ...]] = []
    for name, result in mean_over_seeds(runs).items():
        if result is None:
            rows.append((name, "-", "-", "a run has no number", "-"))
            continue
        form = ".0f" if name == "Elo" else ".1%" if name in _SHARES else ".3f"
        least, most = -math.inf if name == "Elo" else 0.0, 1.0 if name in _SHARES else math.inf
        ends = max(result.interval[0], least), min(result.interval[1], most)
        mean, low, high, deviation = (format(x, form) for x in (result.mean, *ends, result.deviation))
        is_known, n = math.isfinite(result.interval[0]), len(result.values)
        rows.append((name, str(n), mean, f"{low} to {high}" if is_known else "-", deviation if is_known else "-"))
    return rows


def seeds_json(runs: Sequence[Benchmark | PerfectionBenchmark]) -> dict[str, Any]:
    """The means over the runs as plain values, with the value of each run, in the order of the runs."""
    numbers: dict[str, Any] = {}
    for name, result in mean_over_seeds(runs).items():
        if result is not None:
            low, high = result.interval
            is_known = math.isfinite(low)
            numbers[name] = {
                "values": list(result.values),
                "mean": result.mean,
                "interval95": [low, high] if is_known else None,
                "deviation": result.deviation if is_known else None,
            }
        else:
            numbers[name] = None
    agents = list(dict.fromkeys(run.agent for run in runs))
    return {"format": "othello-env seeds 1", "agents": agents, "interval": "Student's t over the runs", **numbers}
