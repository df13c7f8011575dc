"""Results: the score of a match and its interval."""

import math
from dataclasses import replace

import numpy as np
import pytest

from othello_env.arena import play_match, rate
from othello_env.arena.elo import comparisons
from othello_env.arena.play.records import GameRecord
from othello_env.arena.tournament.results import MatchResult, score_interval
from othello_env.arena.tournament.schedule import Schedule


def test_a_match_counts_from_the_first_agents_side():
    games = Schedule(("a", "b"), 4, None)
    results = [(1.0, -1.0), (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)]
    margins = [(10.0, -10.0), (6.0, -6.0), (0.0, 0.0), (-64.0, 64.0)]
    records = [
        replace(GameRecord.from_state(game, game.start), result=r, margins=m)
        for game, r, m in zip(games, results, margins, strict=True)
    ]
    match = MatchResult(("a", "b"), tuple(records))
    # The first agent is Black, White, Black, White.
    assert (match.wins, match.draws, match.losses) == (2, 1, 1)
    assert match.score == 0.625
    assert match.margin == (10 - 6 + 0 + 64) / 4
    interval = " to ".join(f"{end:.3f}".removeprefix("0") for end in match.interval)
    assert repr(match) == (f"<MatchResult 4 games: 2 wins, 1 draws, 1 losses, score .625 ({interval}), margin +17.0>")


def test_a_match_that_is_won_or_lost_throughout_has_an_interval():
    for winner, shown in (("a", "+1.000 (-0.315 to +1.000)"), ("b", "-1.000 (-1.000 to +0.315)")):
        games = [GameRecord.from_state(game, game.start) for game in Schedule(("a", "b"), 4, "random:4")]
        records = [replace(game, result=tuple(2.0 * (a == winner) - 1 for a in game.agents)) for game in games]
        test = MatchResult(("a", "b"), tuple(records)).paired_test()
        assert str(test) == f"{shown}, p = 0.5 (exact sign-flip test, 2 pairs)"


@pytest.mark.parametrize("probability", [0.5, 0.8, 0.97])
@pytest.mark.parametrize("paired", [False, True])
def test_the_interval_covers_the_true_score(probability, paired):
    """The 95% interval is right in two cases: a pair's games are independent, or they always have equal results."""
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(1000):
        first = rng.random(60) < probability
        second = first if paired else rng.random(60) < probability
        low, high = score_interval(((first + second.astype(float)) / 2).tolist())
        covered += low <= probability <= high
    assert 925 <= covered <= 1000


def test_pairs_that_are_shared_are_worth_two_games_each():
    """Without random moves, an agent and its copy each win one game of a pair.

    If one pair has another result, the interval changes little.
    """
    low, high = score_interval([0.5] * 100)
    half = 1.96 * 0.5 / math.sqrt(200 + 1.96**2)
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-4)
    assert score_interval([0.5] * 99 + [1.0]) == pytest.approx((low, high), abs=0.01)


def test_games_that_repeat_others_move_by_move_count_once():
    """Agents without random choices play the same games when their list of openings begins again."""
    a, b, openings = "alphabeta:depth=2", "maximizer:eval=weighted", ["f5d6", "f5f6", "f5d6c3"]
    once, often = (play_match(a, b, games=games, openings=openings) for games in (6, 60))
    assert (often.score, often.interval) == (once.score, once.interval)
    assert (often.paired_test(), len(often.points_by_opening())) == (once.paired_test(), 30)
    assert rate(comparisons([often]), {b: 0.0}).interval(a) == rate(comparisons([once]), {b: 0.0}).interval(a)
    drawn = play_match("random", "random", games=60, openings=openings)
    assert len(drawn.independent_points()) == 30
    same = play_match(a, b, games=60, openings="random:1")  # drawn, not a list
    assert len(same.independent_points()) == 30
