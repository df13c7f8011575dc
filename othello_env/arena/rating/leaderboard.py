"""A leaderboard: several agents that were measured alike, from the strongest to the weakest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from othello_env.arena.rating.benchmark import Benchmark, markdown_table
from othello_env.arena.rating.perfection import PerfectionBenchmark
from othello_env.drawing.charts import row_chart
from othello_env.support.words import elo_interval_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLUMNS", "leaderboard_chart", "leaderboard_page", "leaderboard_rows"]

COLUMNS = (
    "agent",
    "Elo",
    "95% interval",
    "games",
    "legal answers",
    "discs lost a move",
    "tokens a move",
    "s a move",
    "cost",
)
"""The titles of the columns of `leaderboard_rows`."""
_UNKNOWN = "-"

_Runs = Sequence[Benchmark | PerfectionBenchmark]


def leaderboard_rows(runs: _Runs) -> list[tuple[str, ...]]:
    """A row of texts for each agent, the strongest first; see `COLUMNS`.

    Agents that the ladder cannot tell apart, such as those below every opponent, are in the order of their legal
    answers, then of the discs that they lose. The discs are those in the packaged positions.

    Args:
        runs: the results of `run_benchmark`, of `run_perfection`, or of both, of each agent.
    """
    return [_row(name, *results) for name, results in _by_agent(runs)]


def leaderboard_page(runs: _Runs) -> str:
    """The leaderboard as a Markdown page."""
    heads = [f"- {run.head()}" for run in runs]
    return "\n".join(["# Leaderboard", "", *markdown_table(COLUMNS, leaderboard_rows(runs)), "", *heads, ""])


def leaderboard_chart(runs: _Runs) -> Figure | None:
    """A chart of the agents' ratings with their 95% intervals. None if no agent has played on a ladder."""
    placed = [
        (name, run.placement)
        for name, (run, _) in _by_agent(runs)
        if run is not None and run.placement is not None and run.placement.games
    ]
    if not placed:
        return None
    games = sorted({placement.games for _, placement in placed})
    subtitle = f"{' to '.join(str(count) for count in dict.fromkeys((games[0], games[-1])))} games each; random = 0"
    rows = [placement.row(name) for name, placement in placed]
    return row_chart(f"Elo on {placed[0][1].ladder.name}", subtitle, rows, "Elo (95% intervals)")


_Found = tuple[Benchmark | None, PerfectionBenchmark | None]


def _by_agent(runs: _Runs) -> list[tuple[str, _Found]]:
    """The results of each agent, the strongest first."""
    results: dict[str, _Found] = {}
    for run in runs:
        rated, perfect = results.get(run.agent, (None, None))
        results[run.agent] = (run, perfect) if isinstance(run, Benchmark) else (rated, run)
    return sorted(results.items(), key=lambda item: _order(*item[1]))


def _order(rated: Benchmark | None, perfect: PerfectionBenchmark | None) -> tuple[float, ...]:
    placement = None if rated is None else rated.placement
    elo = -math.inf
    if placement is not None and placement.games and placement.elo is not None and placement.beyond != "below":
        elo = placement.elo
    legal = (rated.answers or {}).get("legal_rate") if rated is not None else None
    loss = _loss(rated, perfect)
    return -elo, -(1.0 if legal is None else legal), math.inf if loss is None else loss


def _loss(rated: Benchmark | None, perfect: PerfectionBenchmark | None) -> float | None:
    if perfect is not None and perfect.regret is not None:
        return perfect.regret.loss
    return rated.endgame.loss if rated is not None and rated.endgame is not None else None


def _row(name: str, rated: Benchmark | None, perfect: PerfectionBenchmark | None) -> tuple[str, ...]:
    elo = interval = games = _UNKNOWN
    if rated is not None and (placement := rated.placement) is not None and placement.games:
        elo, games = placement.row(name).text, str(placement.games)
        if placement.open_end is None:
            interval = elo_interval_text(*placement.interval)
    answers, loss = (rated.answers if rated is not None else None) or {}, _loss(rated, perfect)
    legal = _UNKNOWN
    if answers.get("legal_rate") is not None:
        low, high = answers["legal_rate_interval95"]
        legal = f"{answers['legal_rate']:.1%} ({low:.1%} to {high:.1%})"
    numbers = loss, answers.get("tokens_a_move"), answers.get("seconds_a_move"), answers.get("cost")
    forms = "{:.2f}", "{:,.0f}", "{:.3g}", "{:.4g}"
    shown = [_UNKNOWN if x is None else form.format(x) for x, form in zip(numbers, forms, strict=True)]
    return name, elo, interval, games, legal, *shown
