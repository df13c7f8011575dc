"""How the page shows a league: with the numbers that Python gives, and without running files that the league names."""

import json

import pytest

from othello_env.league import League
from othello_env.page.leagues import MOST_MEMBERS, league_view, read_league_folder


@pytest.fixture(scope="module")
def league():
    """A league of two fixed members and two snapshots that have played matches."""
    made = League(["random", "maximizer:eval=weighted"], seed=3)
    for depth in (1, 2):
        made.add(f"alphabeta:depth={depth}", played=1000 * depth)
    made.complete(4, openings="random:10")
    return made


def test_the_numbers_are_those_of_the_payoffs(league):
    payoffs, told = league.payoffs(), league_view("mine", json.loads(json.dumps(league.state())))
    assert {key: told[key] for key in payoffs.to_json()} == payoffs.to_json()
    assert (told["name"], told["total"], told["anchor"]) == ("mine", 4 * 6, "random")
    assert told["fromMatches"][0] == [False, True, True, True]
    ratings = payoffs.ratings()
    for name, rated in zip(payoffs.names, told["ratings"], strict=True):
        assert rated["elo"] == ratings.elo[name]
        ends = ratings.interval(name)
        assert rated["interval"] == [end if abs(end) < float("inf") else None for end in ends]
    assert told["unexplained"] == payoffs.transitivity().unexplained


def test_without_games_there_are_no_ratings():
    told = league_view("new", League(["random", "maximizer"]).state())
    assert (told["ratings"], told["anchor"], told["total"]) == (None, None, 0)
    assert told["scores"] == [[None, None], [None, None]]
    assert league_view("empty", League().state())["names"] == []


def test_nothing_that_the_league_names_is_run(tmp_path):
    made = League(["random"])
    made.save(tmp_path)
    file, mark = tmp_path / "policy.py", tmp_path / "mark"
    file.write_text(f"open({str(mark)!r}, 'w')\n")
    text = (tmp_path / "league.json").read_text().replace('"spec": "random"', f'"spec": "{file}:policy"')
    (tmp_path / "league.json").write_text(text)
    assert read_league_folder(tmp_path)["names"] == ["random"]
    assert str(file) in text
    assert not mark.exists()


def test_other_content_is_an_error(league, tmp_path):
    with pytest.raises(FileNotFoundError):
        read_league_folder(tmp_path)
    for content in ({}, [], league.state() | {"members": [3]}, league.state() | {"results": None}):
        with pytest.raises(ValueError, match=r".+"):
            league_view("bad", content)
    many = League([f"alphabeta:depth={depth}" for depth in range(1, MOST_MEMBERS + 1)] + ["random"])
    with pytest.raises(ValueError, match="at most 100"):
        league_view("large", many.state())
