"""The packaged ladder and the script that rates it."""

import json
import runpy
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest

from othello_env import make_agent
from othello_env.arena.rating.elo import expected_score
from othello_env.arena.rating.ladder import LADDER, Ladder, load_ladder
from othello_env.arena.tournament.playing import play_tournament

FILE = resources.files("othello_env.arena.rating") / f"{LADDER}.json"


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(Path(__file__).parents[4] / "scripts" / "rate_ladder.py"))


def test_the_rungs_are_those_of_the_script_and_rise_from_random(script):
    ladder = load_ladder()
    assert {rung.spec for rung in ladder.rungs} == set(script["RUNGS"])
    elo = [rung.elo for rung in ladder.rungs]
    assert elo == sorted(elo)
    assert (ladder.rungs[0].spec, elo[0]) == ("random", 0)
    for rung in ladder.rungs:
        low, high = rung.interval
        assert low <= rung.elo <= high
        assert rung.games >= 2 * json.loads(FILE.read_text())["games"]
        make_agent(rung.spec)
        assert "ms=" not in rung.spec


def test_neighbours_are_near_enough_to_say_something_of_each_other():
    elo = [rung.elo for rung in load_ladder().rungs]
    for below, above in pairwise(elo):
        assert expected_score(below - above) > 0.15


def test_a_ladder_is_what_its_json_says():
    ladder = load_ladder()
    assert Ladder.from_json(json.loads(json.dumps(ladder.to_json()))) == ladder
    with pytest.raises(ValueError, match="othello-env ladder 1"):
        Ladder.from_json({"rungs": []})


def test_the_rungs_play_as_they_did_when_they_were_rated(script):
    """If this fails, a rung, its weights or the openings have changed. Then the ladder must be rated again."""
    written = json.loads(FILE.read_text())
    plan = script["schedule"](script["RUNGS"], 2, seed=written["seed"])
    played = play_tournament({name: name for name in plan.agents}, plan)
    assert script["signature"](played) == written["signature"]


def test_the_script_goes_on_where_it_was_stopped(script, tmp_path, capsys):
    file, records = tmp_path / "ladder.json", tmp_path / "games.jsonl"
    openings = tmp_path / "openings.txt"
    openings.write_text("# two\nf5d6c3\nf5f6e6\n")
    arguments = [str(file), "--records", str(records), "--first", "3", "--openings", str(openings), "--workers", "1"]
    script["main"]([*arguments, "--games", "2"])
    first = json.loads(file.read_text())
    assert [rung["games"] for rung in first["rungs"]] == [4, 4, 4]
    assert first["openings"] == "openings.txt"
    before = records.read_text()
    script["main"]([*arguments, "--games", "4"])
    assert records.read_text().startswith(before)
    second = json.loads(file.read_text())
    assert [rung["games"] for rung in second["rungs"]] == [8, 8, 8]
    assert second["signature"] == first["signature"]
    out = capsys.readouterr().out
    assert "in errors" in out
    assert all(rung.spec in out for rung in Ladder.from_json(second).rungs)
