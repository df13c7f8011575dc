"""Compare reports: a leaderboard of agents, and the means over runs of one method with several seeds.

A number is known by its game and its name, so what was measured in different games is never one column.

A rating's own interval says how exactly one network was measured. It says nothing about the next run of the same
method. So a paper trains with several seeds, measures each run, and quotes the mean over the runs with the interval of
this mean. The runs are the independent units: the interval contains both the differences between runs and the errors of
measuring each of them. It takes the ratings of the ladder's opponents as exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from othello_env.arena.number import FORMS, Number
from othello_env.arena.report import Report, markdown_table
from othello_env.arena.statistics import Mean, mean_interval
from othello_env.drawing.charts import row_chart
from othello_env.support.numbers import check_each

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "SEEDS_COLUMNS",
    "leaderboard_chart",
    "leaderboard_page",
    "leaderboard_table",
    "mean_over_seeds",
    "seeds_json",
    "seeds_rows",
]

SEEDS_COLUMNS = ("over the runs", "runs", "mean", "95% interval", "range", "interquartile mean", "95% interval ")
"""The titles of the columns of `seeds_rows`."""
_UNKNOWN = "-"

_Key = tuple[str, str]
_Found = dict[_Key, Number]


def _by_agent(reports: Sequence[Report]) -> dict[str, _Found]:
    """The numbers of each agent by game and name, the best agent first.

    The order is that of the first number; agents with the same number, or of whom no rating limits the strength from
    below, are in the order of the next.
    """
    found: dict[str, _Found] = {}
    for report in check_each("reports", reports, Report):
        found.setdefault(report.agent, {}).update({(each.game, each.name): each for each in report.numbers})
    keys = _keys(list(found.values()))

    def order(item: tuple[str, _Found]) -> list[float]:
        numbers = [item[1].get(key) for key in keys]
        return [
            math.inf
            if number is None or number.value is None or number.low == -math.inf
            else -FORMS[number.form].better * number.value
            for number in numbers
        ]

    return dict(sorted(found.items(), key=order))


def _keys(found: Sequence[_Found]) -> list[_Key]:
    return list(dict.fromkeys(key for numbers in found for key in numbers))


def _titles(keys: Sequence[_Key]) -> list[str]:
    several = len({game for game, _ in keys}) > 1
    return [f"{name}, {game}" if several else name for game, name in keys]


def leaderboard_table(reports: Sequence[Report]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The titles of a leaderboard's columns, and a row of texts for each agent, the best first.

    There is a column for each number of each game, in the order of the reports. The agents are in the order of the
    first; agents that it cannot tell apart, such as those below every rated opponent, in the order of the next.
    """
    agents = _by_agent(reports)
    keys = _keys(list(agents.values()))
    rows = [
        (agent, *(numbers[key].brief if key in numbers else _UNKNOWN for key in keys))
        for agent, numbers in agents.items()
    ]
    return ("agent", *_titles(keys)), rows


def leaderboard_page(reports: Sequence[Report]) -> str:
    """The leaderboard as a Markdown page."""
    heads = [f"- {report.head(part)}" for report in reports for part in report.parts if part.numbers]
    return "\n".join(["# Leaderboard", "", *markdown_table(*leaderboard_table(reports)), "", *heads, ""])


def leaderboard_chart(reports: Sequence[Report]) -> Figure | None:
    """A chart of the agents' first number with its 95% intervals. None if there is none."""
    agents = _by_agent(reports)
    for key in _keys(list(agents.values()))[:1]:
        shown = [(agent, numbers[key]) for agent, numbers in agents.items() if key in numbers]
        if rows := [number.row(agent) for agent, number in shown if number.shown is not None]:
            return row_chart(key[1], f"{key[0]}, 95% intervals", rows, f"{key[1]} (95% intervals)")
    return None


def mean_over_seeds(reports: Sequence[Report]) -> dict[tuple[str, str], Mean | None]:
    """The mean of each number over the runs of one method.

    Args:
        reports: the results of `run_benchmark` for agents of one method, one agent a seed.

    Returns:
        A dict from the game and the name of a number, such as ``("othello", "Elo on ladder-v0")``, to its mean over the
        runs in which this game was measured. None if a run has no such number, for example no rating because it won or
        lost all games: leaving the run out would change the mean.

    Raises:
        ValueError: there are no reports.
    """
    if not reports:
        raise ValueError("expected the results of at least one run")
    means: dict[_Key, Mean | None] = {}
    for key, numbers in _over_runs(reports).items():
        values = [each.value for each in numbers if each is not None and not each.is_limit and each.value is not None]
        means[key] = mean_interval(values) if len(values) == len(numbers) else None
    return means


def _over_runs(reports: Sequence[Report]) -> dict[_Key, list[Number | None]]:
    """For each number, that of each run in its game."""
    found = [
        (report, {(each.game, each.name): each for each in report.numbers})
        for report in check_each("reports", reports, Report)
    ]
    return {
        key: [numbers.get(key) for report, numbers in found if report.game == key[0]]
        for key in _keys([numbers for _, numbers in found])
    }


def seeds_rows(reports: Sequence[Report]) -> list[tuple[str, ...]]:
    """A row of texts for each number; see `mean_over_seeds` and `SEEDS_COLUMNS`.

    An interval ends where the number, such as a share or a loss, cannot be beyond.
    """
    means, numbers = mean_over_seeds(reports), _over_runs(reports)
    rows: list[tuple[str, ...]] = []
    for title, (key, mean) in zip(_titles([*means]), means.items(), strict=True):
        form = next(FORMS[each.form] for each in numbers[key] if each is not None)
        if mean is None:
            rows.append((title, _UNKNOWN, _UNKNOWN, "a run has no number", _UNKNOWN, _UNKNOWN, _UNKNOWN))
            continue
        middle, of_middle = mean.interquartile
        intervals = [
            f"{form.text(max(low, form.least))} to {form.text(min(high, form.most))}"
            if len(mean.values) > 1
            else _UNKNOWN
            for low, high in (mean.interval, mean.range, of_middle)
        ]
        rows.append(
            (title, str(len(mean.values)), form.text(mean.mean), *intervals[:2], form.text(middle), intervals[2])
        )
    return rows


def seeds_json(reports: Sequence[Report]) -> dict[str, Any]:
    """The means over the runs as plain values, with the value of each run, in the order of the runs."""
    numbers = []
    for (game, name), mean in mean_over_seeds(reports).items():
        told: dict[str, Any] = {"game": game, "name": name, "mean": None}
        if mean is not None:
            is_known = len(mean.values) > 1
            middle, interval = mean.interquartile
            told |= {"values": [*mean.values], "mean": mean.mean}
            told |= {"interval95": [*mean.interval] if is_known else None}
            told |= {"deviation": mean.deviation if is_known else None}
            told |= {"interquartile mean": middle, "its interval95": [*interval] if is_known else None}
        numbers.append(told)
    agents = list(dict.fromkeys(report.agent for report in reports))
    return {
        "format": "othello-env seeds 3",
        "agents": agents,
        "interval": "Student's t over the runs; of the interquartile mean, the stratified bootstrap",
        "numbers": numbers,
    }
