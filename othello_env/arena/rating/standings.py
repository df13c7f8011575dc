"""The ratings of the agents that played a tournament."""

from __future__ import annotations

from othello_env.arena.rating.elo import Comparison, Ratings, find_anchor, rate
from othello_env.arena.tournament.results import MatchResult, Tournament

__all__ = ["comparisons", "rate_tournament"]


def comparisons(match: MatchResult) -> list[Comparison]:
    """The results of two agents, as a list with one `Comparison` for each opening."""
    return [Comparison(*match.agents, sum(points), len(points)) for points in match.points_by_opening()]


def rate_tournament(result: Tournament, anchor: str | None = None) -> Ratings:
    """Elo ratings of the agents of a tournament. One agent, called the anchor, has the rating 0.

    The rating of an agent that forfeited all its games is NaN. If this agent is the anchor, all ratings are NaN.

    Args:
        result: the tournament.
        anchor: the name of the anchor; by default ``random`` if it plays, otherwise the first agent.

    Raises:
        ValueError: the anchor does not play, the ratings do not converge, or no chain of games leads from an agent to
            the anchor.
    """
    anchor = find_anchor(anchor, result.agents)
    scores = result.scores()
    place = {name: i for i, name in enumerate(result.agents)}
    played = {
        agent
        for record in result.records
        for player, agent in enumerate(record.agents)
        if record.fault is None or record.fault[0] != player
    }
    units = [unit for (a, b), match in scores.items() if place[a] < place[b] for unit in comparisons(match)]
    without = {*result.agents} - played
    return rate(units, {anchor: 0.0}).without({*result.agents} if anchor in without else without)
