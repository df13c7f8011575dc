"""The results of a tournament as the rows of tables, and as a chart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from othello_env.arena.elo import Ratings, find_anchor, rate_tournament
from othello_env.arena.number import score_text
from othello_env.arena.tournament.results import Tournament, overall
from othello_env.drawing.charts import matrix_chart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ELO_COLUMNS", "cross_table", "elo_rows", "ordered", "tournament_chart"]

ELO_COLUMNS = ("agent", "Elo", "95% interval", "better than next")
"""The columns of `elo_rows`."""


def ordered(result: Tournament, anchor: str | None = None) -> tuple[list[str], Ratings | None]:
    """The agents in the order in which tables and charts number them: the best first.

    Without ratings (see `rate_tournament`), which are then None, they stay in the order in which they were given.
    """
    try:
        ratings = rate_tournament(result, anchor)
    except ValueError:
        return [*result.agents], None
    return ratings.order, ratings


def cross_table(result: Tournament, anchor: str | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Each agent's score (0 to 1) against every other agent, its total score and its mean margin: a head and rows."""
    scores, (agents, _) = result.scores(), ordered(result, anchor)
    head = ("agent", *map(str, range(1, len(agents) + 1)), "games", "score", "margin")
    rows = []
    for number, agent in enumerate(agents, start=1):
        against = [scores.get((agent, other)) for other in agents]
        games, total, margin = overall([score for score in against if score is not None])
        cells = ["-" if score is None else score_text(score.score) for score in against]
        rows.append((f"{number} {agent}", *cells, str(games), score_text(total), f"{margin:+.1f}"))
    return head, rows


def elo_rows(result: Tournament, anchor: str | None = None) -> list[tuple[str, ...]]:
    """Rows of the ratings, the best first, with 95% intervals.

    The last column is the likelihood that the agent is better than the agent in the next row.

    Raises:
        ValueError: there are no ratings; see `rate_tournament`.
    """
    ratings = rate_tournament(result, anchor)
    order = ratings.order
    rows: list[tuple[str, ...]] = []
    for place, agent in enumerate(order):
        following = order[place + 1 : place + 2]
        better = ratings.superiority(agent, following[0]) if following else math.nan
        number = ratings.number(agent)
        rows.append((agent, number.value_text, number.interval_text, "" if math.isnan(better) else score_text(better)))
    return rows


def tournament_chart(result: Tournament, anchor: str | None = None) -> Figure:
    """A heat map of the scores between the agents, numbered as in `cross_table`, with their Elo ratings."""
    agents, ratings = ordered(result, anchor)
    labels, what = agents, "without ratings"
    if ratings is not None:
        labels = [f"{agent}   {ratings.number(agent).value_text}" for agent in agents]
        what = f"with Elo ratings, {find_anchor(anchor, result.agents)} = 0"
    scores = result.scores()
    cells = [[scores[a, b].score if (a, b) in scores else math.nan for b in agents] for a in agents]
    games = f"{len(result.records):,} games"
    return matrix_chart("Tournament", f"score of each row against each column, {games}, {what}", labels, cells)
