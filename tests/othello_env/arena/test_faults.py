"""The texts that show results, and the warnings about agents that fail."""

import math
import re
import warnings

import numpy as np
import pytest
import reports

from othello_env import Agent, AgentError
from othello_env.arena import FaultWarning
from othello_env.arena.benchmark.ladder import load_ladder
from othello_env.arena.benchmark.positions import measure_positions
from othello_env.arena.elo import Comparison, rate, rate_tournament
from othello_env.arena.match import play_match
from othello_env.arena.tables import elo_rows
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.cli import main

NUMBER = r"-?\d+"


def broken(observations, masks):
    raise ZeroDivisionError("oops")


def test_a_match_warns_of_each_agent_that_fails():
    with pytest.warns(FaultWarning, match="oops") as seen:
        result = play_match("random", broken, games=4)
    assert [str(warning.message).partition(" in Othello")[0] for warning in seen] == [
        "broken failed in 4 of 4 games; the first: agent broken failed"
    ]
    assert seen[0].filename == __file__
    assert repr(result).endswith(", the second forfeited 4>")
    record = rf"<GameRecord of othello, random - second: {NUMBER} - {NUMBER}, opening 0, forfeited by second>"
    assert re.fullmatch(record, repr(result.records[0]))


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
    assert repr(result) == "<Tournament of 2 agents: 4 games, 4 forfeited>"
    with pytest.warns(FaultWarning, match=r"broken failed in 500 of 500 answers; the first: .*oops"):
        result = measure_positions(broken)
    shown = r"<Accuracy in othello, 500 positions: a best move in 0\.0%, \d+\.\d\d discs lost a move, 500 failed>"
    assert re.fullmatch(shown, repr(result))


def test_who_forfeits_every_game_has_no_rating():
    agents = {"random": "random", "bad": broken, "maximizer": "maximizer"}
    with pytest.warns(FaultWarning):
        result = play_tournament(agents, Schedule(tuple(agents), 6))
    ratings = rate_tournament(result)
    assert math.isnan(ratings.elo["bad"])
    assert math.isfinite(ratings.elo["maximizer"])
    assert ratings.order[-1] == "bad"
    assert ratings.interval("bad") == (-math.inf, math.inf)
    assert "bad no limit found" in repr(ratings)
    assert elo_rows(result)[-1] == ("bad", "-", "no limit found", "")


def test_the_command_prints_it_once_above_its_table_and_warns_of_nothing(tmp_path, capsys):
    policy = tmp_path / "policy.py"
    policy.write_text("def broken(observations, masks):\n    raise ZeroDivisionError\n")
    for name in ("match", "tournament"):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with pytest.raises(SystemExit) as stopped:
                main([name, f"{policy}:broken", "random", "--games", "4"])
        assert stopped.value.code == 1
        assert not seen
        out, err = capsys.readouterr()
        assert out.startswith(f"{policy}:broken forfeited 4 of 4 games; the first: agent broken failed in Othello.from")
        assert (out.count("ZeroDivisionError"), err) == (1, "")
    row = next(line for line in out.splitlines()[6:] if line.startswith(f"{policy}"))
    assert re.search(r":broken +- +no limit found$", row), "an agent that forfeited all games has no number"


def test_the_command_leaves_the_board_out(tmp_path, capsys):
    """Who loses only some games so does not end the command with an error."""
    policy = tmp_path / "policy.py"
    policy.write_text("import numpy as np\ndef a1(observations, masks):\n    return np.zeros(len(masks), int)\n")
    with pytest.raises(SystemExit) as stopped:
        main(["match", f"{policy}:a1", f"{policy}:a1", "--games", "4"])
    assert stopped.value.code == 0
    told, _, head, *_ = capsys.readouterr().out.splitlines()
    assert f"{policy}:a1 forfeited 2 of 4 games; the first: " in told
    assert told.endswith("the legal moves are: d3 f3 g4 c5 f6 d7 f7")
    assert head.startswith(f"{policy}:a1, 4 games")


@pytest.mark.parametrize(
    "answer", [lambda masks: masks * np.ones(65), lambda masks: masks @ np.ones((65, 1)), lambda masks: masks]
)
def test_who_computes_for_another_board_is_told_the_number_of_actions(answer):
    with pytest.warns(FaultWarning, match="; this board has 37 actions"):
        play_match(lambda observations, masks: answer(masks), "random", games=2, game="othello:size=6")


def test_results_are_shown_in_a_line():
    units = [Comparison("a", "b", 1.5) for _ in range(20)] + [Comparison("c", "b", 0.0) for _ in range(4)]
    shown = rf"<Ratings a {NUMBER} \({NUMBER} to {NUMBER}\), b 0 \(0 to 0\), c at most {NUMBER}>"
    assert re.fullmatch(shown, repr(rate(units, {"b": 0.0})))
    many = rate([Comparison(str(n), str(n + 1), 1.0) for n in range(100)], {"0": 0.0})
    assert repr(many).count("(") == 8
    assert repr(many).endswith(", ...>")
    schedule = Schedule(("a", "b"), 4, seed=3)
    assert repr(schedule) == "<Schedule of 4 games of othello: 2 agents, openings random:10, seed 3>"
    assert "openings 2 given" in repr(Schedule(("a", "b"), 4, ("f5d6", "f5f6")))
    assert re.fullmatch(r"<Ladder ladder-v0 of \d+ rungs: random 0 to engine\S* \d+>", repr(load_ladder()))
    assert repr(reports.rated(1228.5)) == "<Report on a.npz in othello: Elo 1229, 95% interval 1129 to 1329>"
