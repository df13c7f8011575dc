"""What the page shows of files: results, recorded games and leagues, with the numbers that Python gives."""

import json
import math

import pytest
import reports

from othello_env.arena.benchmark.ladder import LADDERS, load_ladder
from othello_env.arena.elo import rate_tournament
from othello_env.arena.number import Number
from othello_env.arena.report import Found, Report
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.records import read_records
from othello_env.arena.tournament.results import Tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.league import League
from othello_env.page.messages import PageGame
from othello_env.page.results import MOST_MEMBERS, Recorded, ladders_view, league_view, read_results


def test_a_rating_with_one_limit_stands_at_this_limit():
    read = read_results("a.json", reports.rated(1234.5, 1200.1, math.inf, seed=3).to_json())
    assert (read["title"], read["about"]) == ("a.npz", "othello, seed 3")
    assert read["parts"][0]["facts"] == [["Elo", "at least 1200, no upper limit found"]]
    rated = {"name": "a.npz", "file": "a.json", "elo": 1200.1, "interval": [1200.1, None], "ladder": "ladder-v0"}
    assert read["rated"] == rated | {"text": "1200", "range": "at least 1200"}
    for report, elo, interval, texts, ladder in (
        (reports.rated(1234.5, -math.inf, 1270.6), 1270.6, [None, 1270.6], ("1271", "at most 1271"), "ladder-v0"),
        (reports.rated(-0.25, game="othello:size=6"), -0.25, [-100.25, 99.75], ("0", "-100 to 100"), "ladder-6x6-v0"),
    ):
        expected = rated | {"elo": elo, "interval": interval, "ladder": ladder, "text": texts[0], "range": texts[1]}
        assert read_results("a.json", report.to_json())["rated"] == expected
    assert read_results("a.json", reports.rated(game="othello:size=4").to_json())["rated"] is None


def test_the_figures_of_a_language_model_are_as_the_command_prints_them():
    figures = (("legal answers", 0.9871, "share", 0.9702, 0.9949), ("tokens a move", 12.5, "count"))
    figures += (("s a move", 0.51234, "seconds"), ("cost", 1.23456, "cost"))
    part = Found("answers", tuple(Number(name, "othello", *more) for name, *more in figures), notes=("It said no.",))
    report = Report("a model", "othello", (part,))
    [told] = read_results("a.json", json.loads(json.dumps(report.to_json())))["parts"]
    assert report.head(part) == f"a model: {'; '.join(f'{name} {text}' for name, text in told['facts'])}"
    assert told["notes"] == ["It said no."]


def test_the_ladders_are_the_packaged_ones():
    for told, ladder in zip(ladders_view(), map(load_ladder, LADDERS), strict=True):
        assert told["name"] == ladder.name
        assert [(rung["name"], rung["elo"], tuple(rung["interval"])) for rung in told["rungs"]] == [
            (rung.spec, rung.elo, rung.interval) for rung in ladder.rungs
        ]


@pytest.mark.parametrize(
    "content",
    [
        {},
        [],
        {"agent": "a", "elo": 500.0},
        Report("a", "othello").to_json(),
        reports.rated().to_json() | {"parts": [3]},
    ],
)
def test_other_content_is_an_error(content):
    with pytest.raises(ValueError, match="has no results"):
        read_results("a.json", content)


AGENTS = ("random", "maximizer:eval=count", "maximizer:eval=weighted")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "t.jsonl"
    play_tournament({agent: agent for agent in AGENTS}, Schedule(AGENTS, 4, "random:6", 1), file=path)
    return path


def test_the_crosstable_is_that_of_the_tournament_and_each_game_can_be_replayed(file):
    result, recorded = Tournament.from_records(AGENTS, read_records(file)), Recorded.read(file)
    told = recorded.to_json(3)
    assert (told["recorded"], told["title"], len(told["games"])) == (3, "t.jsonl", 12)
    rows = {row["agent"]: row for row in told["standings"]}
    assert {*rows} == {*AGENTS}
    names = [*rows]
    for (a, b), match in result.scores().items():
        cell = rows[a]["against"][names.index(b)]
        assert (cell["score"], cell["games"], cell["margin"]) == (match.score, match.games, match.margin)
    ratings = rate_tournament(result)
    for agent, row in rows.items():
        assert row["against"][names.index(agent)] is None
        assert row["rating"] is None or row["rating"]["elo"] == pytest.approx(ratings.elo[agent])
    assert any(row["rating"] for row in rows.values())
    for number, listed in enumerate(told["games"]):
        game = recorded.game(number)
        final = PageGame.read(game["record"]).states()[-1]
        assert final.is_over
        assert list(final.scores()) == list(listed["scores"])
        assert list(game["record"]["agents"]) == [names[seat] for seat in listed["seats"]]
        assert game["opening"] == 6


def test_other_files_are_errors(file, tmp_path):
    other = tmp_path / "a.jsonl"
    other.write_text(file.read_text().replace('"scores": [', '"scores": [1, ', 1))
    assert Recorded.is_records(other)
    with pytest.raises(ValueError, match="line 1"):
        Recorded.read(other)
    other.write_text('{"results": []}')
    assert not Recorded.is_records(other)
    with pytest.raises(ValueError, match="1 to 20,000"):
        Recorded("a", [])


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


def test_without_games_there_are_no_ratings():
    told = league_view("new", League(["random", "maximizer"]).state())
    assert (told["ratings"], told["anchor"], told["total"]) == (None, None, 0)
    assert told["scores"] == [[None, None], [None, None]]
    assert league_view("empty", League().state())["names"] == []


def test_nothing_that_the_league_names_is_run(tmp_path):
    file, mark = tmp_path / "policy.py", tmp_path / "mark"
    file.write_text(f"open({str(mark)!r}, 'w')\n")
    text = json.dumps(League(["random"]).state()).replace('"spec": "random"', f'"spec": "{file}:policy"')
    assert str(file) in text
    assert league_view("mine", json.loads(text))["names"] == ["random"]
    assert not mark.exists()


def test_content_that_is_no_league_is_an_error(league):
    for content in ({}, [], league.state() | {"members": [3]}, league.state() | {"results": None}):
        with pytest.raises(ValueError, match=r".+"):
            league_view("bad", content)
    many = League([f"alphabeta:depth={depth}" for depth in range(1, MOST_MEMBERS + 1)] + ["random"])
    with pytest.raises(ValueError, match="at most 100"):
        league_view("large", many.state())
