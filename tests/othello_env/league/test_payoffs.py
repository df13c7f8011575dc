"""The scores of members against each other, and the statistics of these scores."""

import numpy as np
import pytest

from othello_env.arena import Schedule, play_tournament, rate_tournament
from othello_env.arena.tournament.results import score_interval
from othello_env.games.registry import GameSpec
from othello_env.league import League, payoff_chart
from othello_env.league.payoffs import Payoffs

OPTIONS = {"game": "othello:size=4", "openings": "random:2"}


@pytest.fixture
def league(ranked):
    league = League(["random", ranked(3)], seed=4)
    for k in range(4, 7):
        league.add(ranked(k), played=100 * k)
    return league


def tournament(league, games):
    agents = {member.name: member.player for member in league}
    schedule = Schedule(tuple(agents), games, "random:2", league.settings.seed, GameSpec.parse("othello:size=4"))
    return play_tournament(agents, schedule)


def same(payoffs, played):
    """Whether the payoffs equal the results of a tournament."""
    for (a, b), match in played.scores().items():
        i, j = payoffs.names.index(a), payoffs.names.index(b)
        assert payoffs.games[i, j] == match.games
        assert payoffs.scores[i, j] == match.score
        assert tuple(payoffs.pairs[i, j]) == match.pairs
        assert payoffs.intervals[i, j] == pytest.approx(match.interval)


def test_the_matches_are_those_of_a_tournament(league):
    assert league.complete(6, **OPTIONS) == 10 * 6
    same(league.payoffs(), tournament(league, 6))
    assert league.complete(6, **OPTIONS) == 0
    assert league.complete(8, **OPTIONS) == 10 * 2
    same(league.payoffs(), tournament(league, 8))
    league.add("random", "more")
    assert league.complete(8, **OPTIONS) == 5 * 8
    same(league.payoffs(), tournament(league, 8))
    with pytest.raises(ValueError, match="with the game othello:size=4 and the openings random:2, not with the"):
        league.complete(8, game="othello:size=4")


def test_an_interrupt_keeps_the_pairs_that_are_complete(league):
    seen = []

    def stop(record):
        seen.append(record)
        if len(seen) == 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        league.complete(6, progress=stop, **OPTIONS)
    kept = sum(sum(meeting.pairs) for meeting in league.results.meetings.values())
    assert kept == 12  # 25 games are 12 complete pairs and one more game
    assert league.complete(6, **OPTIONS) == 60 - 24
    same(league.payoffs(), tournament(league, 6))


def test_ratings_are_those_of_the_tournament(league):
    league.complete(10, **OPTIONS)
    found, expected = league.payoffs().ratings(), rate_tournament(tournament(league, 10))
    for name, elo in expected.elo.items():
        assert found.elo[name] == pytest.approx(elo)
        assert found.interval(name) == pytest.approx(expected.interval(name))
    assert league.payoffs().ratings("snapshot 1").elo["snapshot 1"] == 0


def test_games_of_training_belong_to_the_snapshot_that_they_made(ranked):
    league = League([ranked(1)])
    league.add(ranked(2), played=10)
    for points in (1.0, 0.5, 0.0, 1.0):
        league.record_game("snapshot 1", points)
    assert league.payoffs().games.sum() == 0
    league.add(ranked(3), played=20)
    payoffs = league.payoffs()
    assert payoffs.training[2, 1].tolist() == [1, 1, 2]
    assert payoffs.training[1, 2].tolist() == [2, 1, 1]
    assert payoffs.scores[2, 1] == 0.625
    assert payoffs.intervals[2, 1] == pytest.approx(score_interval([0.0, 0.5, 1.0, 1.0]))
    assert np.isnan(payoffs.scores[0]).all()
    assert payoffs.intervals[0, 1].tolist() == [0, 1]
    assert payoffs.played == (None, 10, 20)
    # In `games`, matches replace games of training. `training` still has the games of training.
    league.complete(4, **OPTIONS)
    assert league.payoffs().games[1, 2] == 4
    assert league.payoffs().training[2, 1].tolist() == [1, 1, 2]


def test_the_weakness_of_a_member():
    """Of a, who beats b and loses to c in four of five games."""
    training = np.zeros((3, 3, 3), np.int64)
    training[0, 1] = training[2, 0] = (20, 0, 80)
    training[1, 0] = training[0, 2] = (80, 0, 20)
    worst = Payoffs(("a", "b", "c"), (None,) * 3, np.zeros((3, 3, 5), np.int64), training).worst("a")
    assert (worst.opponent, worst.score) == ("c", 0.2)
    assert worst.interval == pytest.approx(score_interval([1.0] * 20 + [0.0] * 80))


def test_a_picture_shows_the_scores(league):
    league.complete(4, **OPTIONS)
    payoffs = league.payoffs()
    shown = payoff_chart(payoffs).axes[0].images[0].get_array().filled(np.nan)
    assert shown == pytest.approx(payoffs.scores, nan_ok=True)
