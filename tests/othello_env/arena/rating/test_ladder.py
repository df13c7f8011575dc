"""The packaged ladders and the script that rates them."""

import json
from importlib import resources
from itertools import pairwise

import pytest
from load_script import load_script

from othello_env import Othello, make_agent
from othello_env.arena.rating.elo import expected_score
from othello_env.arena.rating.ladder import LADDERS, Ladder, load_ladder
from othello_env.arena.tournament.playing import play_tournament

STRONGEST = {8: "engine:depth=10", 6: "perfect"}

pytestmark = pytest.mark.parametrize("size", LADDERS)


def written(size):
    """The contents of the JSON file of a packaged ladder."""
    file = resources.files("othello_env.arena.rating") / f"{LADDERS[size]}.json"
    return json.loads(file.read_text())


@pytest.fixture(scope="module")
def script():
    return load_script("make/rate_ladder")


def test_the_rungs_are_those_of_the_script_and_rise_from_random(script, size):
    ladder = load_ladder(size)
    assert (ladder.name, ladder.size, ladder.rungs[-1].spec) == (LADDERS[size], size, STRONGEST[size])
    assert {rung.spec for rung in ladder.rungs} == set(script.RUNGS[size])
    elo = [rung.elo for rung in ladder.rungs]
    assert elo == sorted(elo)
    assert (ladder.rungs[0].spec, elo[0]) == ("random", 0)
    for rung in ladder.rungs:
        low, high = rung.interval
        assert low <= rung.elo <= high
        assert rung.games >= 2 * written(size)["games"]
        make_agent(rung.spec).check_game(Othello(size))
        assert "ms=" not in rung.spec


def test_neighbours_are_near_enough_to_say_something_of_each_other(size):
    elo = [rung.elo for rung in load_ladder(size).rungs]
    for below, above in pairwise(elo):
        assert expected_score(below - above) > 0.15


def test_a_ladder_is_what_its_json_says(size):
    ladder = load_ladder(size)
    assert Ladder.from_json(json.loads(json.dumps(ladder.to_json()))) == ladder
    with pytest.raises(ValueError, match="othello-env ladder 1"):
        Ladder.from_json({"rungs": []})


def test_the_rungs_play_as_they_did_when_they_were_rated(script, size):
    """If this fails, a rung, its weights or the openings have changed. Then the ladder must be rated again."""
    plan = script.schedule(size, games=2, seed=written(size)["seed"])
    played = play_tournament({name: name for name in plan.agents}, plan)
    assert script.signature(played) == written(size)["signature"]


def test_the_script_goes_on_where_it_was_stopped(script, tmp_path, capsys, size):
    file, records = tmp_path / "ladder.json", tmp_path / "games.jsonl"
    openings = tmp_path / "openings.txt"
    openings.write_text({8: "# two\nf5d6c3\nf5f6e6\n", 6: "# two\ne4e5c2\nd5e3c2\n"}[size])
    arguments = {"file": file, "records": records, "size": size, "first": 3, "workers": 1, "openings": openings}
    script.main(script.Args(**arguments, games=2))
    first = json.loads(file.read_text())
    assert [rung["games"] for rung in first["rungs"]] == [4, 4, 4]
    assert (first["name"], first["size"]) == (LADDERS[size], size)
    assert first["openings"] == "openings.txt"
    before = records.read_text()
    script.main(script.Args(**arguments))
    assert records.read_text().startswith(before)
    second = json.loads(file.read_text())
    assert [rung["games"] for rung in second["rungs"]] == [8, 8, 8]
    assert second["signature"] == first["signature"]
    out = capsys.readouterr().out
    assert "in errors" in out
    assert all(rung.spec in out for rung in Ladder.from_json(second).rungs)


def test_other_sizes_have_no_ladder(size):
    with pytest.raises(ValueError, match=f"for boards of size 8 or 6, not {size + 1}"):
        load_ladder(size + 1)
