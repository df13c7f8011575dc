"""Damaged files of a league are refused, and the error says what is wrong."""

import copy
import json

import pytest
from league_games import first

from othello_env.league import League


@pytest.fixture
def state(weights):
    league = League(["random"], keep=2, seed=3)
    for k in (1, 2):
        league.add(weights(k))
        league.record_game("random", 0.5)
    league.complete(2, game="othello:size=4", openings="random:2")
    return league.state()


DAMAGE = [
    ((), None, "expected the state of a league"),
    (("format",), "x", "expected the state of a league"),
    (("more",), 1, "expected a state with format, settings"),
    (("added",), 1, "each below the state's count of added members"),
    (("added",), 10**30, "expected a count of added"),
    (("drawn",), -1, "expected a count of drawn"),
    (("drawn",), 1.0, "expected a count of drawn"),
    (("settings",), {}, "expected the settings matchmaking"),
    (("settings", "keep"), "2", "keep must be a whole number"),
    (("settings", "half_life"), 1e308, "half_life must be"),
    (("matches",), {"game": 1, "openings": None}, "expected the game and the openings"),
    (("members",), {}, "expected members with numbers"),
    (("members", 0), 5, "expected members with numbers"),
    (("members", 1, "number"), 2, "ascending numbers"),
    (("members", 1, "number"), True, "expected members with numbers"),
    (("members", 1, "name"), "random", "different names"),
    (("members", 1, "name"), "nobody", "no policy for the member 'nobody'"),
    (("members", 1, "name"), ["x"], "different names"),
    (("members", 1, "points"), 1e9, "contradicts itself"),
    (("members", 1, "games"), None, "a wrong games: None"),
    (("members", 1, "played"), -1, "a wrong played: -1"),
    (("members", 0, "frozen"), False, "contradicts itself"),
    (("members", 0, "frozen"), 1, "a wrong frozen: 1"),
    (("results",), [], "expected meetings as a list"),
    (("results", "meetings", 0, 0), 9, "expected two members"),
    (("results", "meetings", 0, 2), [1, 2], "expected 3 counts"),
    (("results", "meetings", 0, 3, 0), -1, "expected 5 counts"),
    (("results", "meetings", 0, 3, 0), 2**60, "expected 5 counts"),
    (("results", "learner", 0, 0), [0], "expected a member"),
    (("results", "learner", 0, 0), 7, "expected a member"),
]


@pytest.mark.parametrize(("path", "value", "text"), DAMAGE, ids=str)
def test_a_damaged_state_is_refused(state, path, value, text):
    damaged = {"": copy.deepcopy(state)}
    inner, name = damaged, ""
    for step in path:
        inner, name = inner[name], step
    inner[name] = value
    policies = {member["name"]: first for member in state["members"]}
    assert len(League.from_state(state, policies)) == 3
    with pytest.raises(ValueError, match=text):
        League.from_state(damaged[""], policies)


@pytest.mark.parametrize("file", ["../0001.npz", "/etc/passwd", "0001.npz/../../x.npz", "0001", "", 3])
def test_a_member_is_in_the_leagues_folder(state, tmp_path, file):
    state["members"][1]["source"] = {"file": file, "options": ""}
    (tmp_path / "league.json").write_text(json.dumps(state))
    with pytest.raises(ValueError, match=r"has no league that can be read: the member 'snapshot 1' has no policy"):
        League.load(tmp_path)


def test_a_folder_without_a_league_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"league\.json"):
        League.load(tmp_path)
    (tmp_path / "league.json").write_text("[")
    with pytest.raises(ValueError, match=r"league\.json' is not the file of a league"):
        League.load(tmp_path)
