"""In long runs, the classic agents get the same scores as the agents of an independent program."""

import math

import numpy as np
import pytest

from othello_env.arena.match import play_match

EXPECTED = [
    # (first agent, second agent, the first agent's score, the number of games from which this score comes)
    ("maximizer:eval=count", "maximizer:eval=weighted", 0.171, 40_000),
    ("maximizer:eval=weighted", "maximizer:eval=modified", 0.414, 40_000),
    ("maximizer:eval=weighted", "random", 0.8365, 40_000),
    ("maximizer:eval=modified", "random", 0.9055, 40_000),
    ("alphabeta:depth=4,eval=count", "alphabeta:depth=4,eval=weighted", 0.212, 1_200),
    ("alphabeta:depth=4,eval=weighted", "alphabeta:depth=4,eval=modified", 0.445, 1_200),
]
"""Games begin after 10 random plies and are played with both colours. A draw is half a point."""


@pytest.mark.parametrize(("one", "other", "expected", "published_games"), EXPECTED)
def test_long_runs_score_as_published(one: str, other: str, expected: float, published_games: int) -> None:
    result = play_match(one, other, games=2_000 if one.startswith("maximizer") else 400, openings="random:10", seed=1)
    pairs = np.mean(result.points_by_opening(), axis=1)
    error = pairs.std() / math.sqrt(len(pairs))
    published_error = math.sqrt(expected * (1 - expected) / published_games)
    assert abs(result.score - expected) < 3 * math.hypot(error, published_error), (result.score, error)
