"""The texts that show results, and the warnings about agents that fail."""

import math
import re
import warnings

import numpy as np
import pytest

from othello_env import Agent, AgentError
from othello_env.arena import FaultWarning
from othello_env.arena.benchmark.positions import measure_positions
from othello_env.arena.elo import rate_tournament
from othello_env.arena.match import play_match
from othello_env.arena.tables import elo_rows
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule


def broken(observations, masks):
    raise ZeroDivisionError("oops")


def test_a_match_warns_of_each_agent_that_fails():
    with pytest.warns(FaultWarning, match="oops") as seen:
        play_match("random", broken, games=4)
    assert [str(warning.message).partition(" in Othello")[0] for warning in seen] == [
        "broken failed in 4 of 4 games; the first: agent broken failed"
    ]
    assert seen[0].filename == __file__


class UnspeakableError(Exception):
    def __str__(self):
        raise ZeroDivisionError


class Failing(Agent):
    def __init__(self, error):
        self.error = error

    def __repr__(self):
        return "failing"

    def act(self, state, *, seconds_left=None):
        raise self.error


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (Failing(UnspeakableError()), r"UnspeakableError: <UnspeakableError whose text raised ZeroDivisionError>"),
        (Failing(AgentError("x" * 1_000_000)), "xxx"),
        (Failing(ValueError("\x1b[2J\ud800" * 1_000_000)), r"ValueError: \?\[2J\?\?\[2J"),
        (Failing(ValueError(" \n\t")), r"ValueError \(test_faults"),
    ],
    ids=["no text", "long", "control characters", "white space"],
)
def test_an_error_with_an_odd_text_forfeits_the_game(agent, reason):
    with pytest.warns(FaultWarning):
        result = play_match("random", agent, games=2)
    for record in result.records:
        player, told = record.fault
        assert record.agents[player] != "random"
        assert record.result[player] == -1
        assert re.search(reason, told)
        assert len(told) < 5000
        assert all(each.isprintable() or each == "\n" for each in told)


def test_tournaments_and_endgames_warn_too():
    agents = {"mine": broken, "random": "random"}
    with pytest.warns(FaultWarning, match=r"mine failed in 4 of 4 games; the first: .*oops"):
        result = play_tournament(agents, Schedule(tuple(agents), 4))
    assert len(result.records) == 4
    with pytest.warns(FaultWarning, match=r"broken failed in 500 of 500 answers; the first: .*oops"):
        result = measure_positions(broken)
    assert result.rate == 0


def test_who_forfeits_every_game_has_no_rating():
    agents = {"random": "random", "bad": broken, "maximizer": "maximizer"}
    with pytest.warns(FaultWarning):
        result = play_tournament(agents, Schedule(tuple(agents), 6))
    ratings = rate_tournament(result)
    assert math.isnan(ratings.elo["bad"])
    assert math.isfinite(ratings.elo["maximizer"])
    assert ratings.order[-1] == "bad"
    assert ratings.interval("bad") == (-math.inf, math.inf)
    assert elo_rows(result)[-1] == ("bad", "-", "no limit found", "")


@pytest.mark.parametrize(
    ("command", "against", "answer", "status", "lost"),
    [
        ("match", "random", "raise ZeroDivisionError", 1, 4),
        ("tournament", "random", "raise ZeroDivisionError", 1, 4),
        ("match", "policy.py:f", "return masks.argmax(axis=1) * 0", 0, 2),  # loses only some games
    ],
)
def test_the_command_prints_it_once_above_its_table(run, tmp_path, monkeypatch, command, against, answer, status, lost):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.py").write_text(f"def f(observations, masks):\n    {answer}\n")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found, out, err = run(command, "policy.py:f", against, "--games", "4")
    assert (found, err, seen) == (status, "", [])
    assert out.startswith(f"policy.py:f forfeited {lost} of 4 games; the first: ")
    told = "ZeroDivisionError" if status else "the legal moves are: d3 f3 g4 c5 f6 d7 f7\n"
    assert out.count(told) == (1 if status else 2)
    if command == "tournament":  # an agent that forfeited all games has no number
        assert re.search(r"^policy\.py:f +- +no limit found$", out, re.MULTILINE)


def test_who_computes_for_another_board_is_told_the_number_of_actions():
    with pytest.warns(FaultWarning, match="; this board has 37 actions"):
        play_match(lambda observations, masks: masks * np.ones(65), "random", games=2, game="othello:size=6")
