"""How the page shows the recorded games of a tournament."""

import pytest

from othello_env.arena.rating.elo import rate_tournament
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.records import read_records
from othello_env.arena.tournament.results import Tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.page.messages import PageGame
from othello_env.page.recorded import Recorded

AGENTS = ("random", "maximizer:eval=count", "maximizer:eval=weighted")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "t.jsonl"
    schedule = Schedule(AGENTS, 4, "random:6", 1)
    play_tournament({agent: agent for agent in AGENTS}, schedule, file=path)
    return path


def test_the_crosstable_is_that_of_the_tournament(file):
    result = Tournament.of(AGENTS, read_records(file))
    told = Recorded.read(file).to_json(3)
    assert (told["recorded"], told["title"], len(told["games"])) == (3, "t.jsonl", 12)
    rows = {row["agent"]: row for row in told["standings"]}
    assert {*rows} == {*AGENTS}
    names = [row["agent"] for row in told["standings"]]
    ratings = rate_tournament(result)
    for (a, b), match in result.scores().items():
        cell = rows[a]["against"][names.index(b)]
        assert (cell["score"], cell["games"], cell["margin"]) == (match.score, match.games, match.margin)
    for agent, row in rows.items():
        assert row["against"][names.index(agent)] is None
        if row["elo"] is not None:
            assert row["elo"] == pytest.approx(ratings.elo[agent])


def test_each_game_can_be_replayed(file):
    recorded = Recorded.read(file)
    told = recorded.to_json(0)
    names = [row["agent"] for row in told["standings"]]
    for number, listed in enumerate(told["games"]):
        game = recorded.game(number)
        final = PageGame.read(game["record"]).states()[-1]
        assert final.is_over
        assert list(final.scores()) == list(listed["scores"])
        assert list(game["agents"]) == [names[seat] for seat in listed["seats"]]


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
