"""Reports with given numbers, and what a benchmark writes of them."""

from othello_env.arena.number import Number
from othello_env.arena.report import Found, Report


def rated(elo=500.0, low=None, high=None, *, agent="a.npz", game="othello", **settings):
    """A report with a rating, and perhaps its 95% interval."""
    low, high = elo - 100 if low is None else low, elo + 100 if high is None else high
    return Report(agent, game, (Found("ladder", (Number("Elo", game, elo, "elo", low, high),)),), settings)
