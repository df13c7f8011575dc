"""The command league, and a match with ``--sprt``, which ends when the test has decided."""

import re

import pytest

from othello_env.league import League
from othello_env.support.files import in_one_process

GAME = ("--game", "othello:size=4", "--openings", "random:2")


@pytest.fixture
def folder(tmp_path):
    league = League(["random", "maximizer:eval=count"], seed=1)
    league.add("alphabeta:depth=2", played=1000)
    league.add("minimax:depth=3", played=2000)
    league.save(tmp_path / "league")
    return tmp_path / "league"


def test_a_league_is_played_and_shown(run, folder, tmp_path):
    status, out, err = run("league", folder, "--games", 4, *GAME, "--matrix", tmp_path / "m.png")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "4 members: 6 of 6 pairs have met, 24 games:"
    assert lines[1].split("  ")[0] == "member"
    rows = {line.split()[0]: line for line in lines[3:5] + lines[5:7]}
    assert set(rows) == {"random", "maximizer:eval=count", "snapshot"}
    assert len(lines) == 7
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")
    assert run("league", folder) == (0, out, "")  # the games were saved
    assert run("league", folder, "--games", 4, *GAME) == (0, out, "")
    assert "36 games" in run("league", folder, "--games", 6, *GAME)[1]
    status, _, err = run("league", folder, "--games", 6)
    assert status == 2
    assert err.endswith(
        "this league were played with the game othello:size=4 and the openings random:2, not with the game othello and "
        "the openings random:10\n"
    )


def test_the_anchor_is_checked_before_any_game(run, folder):
    status, _, err = run("league", folder, "--games", 4, *GAME, "--anchor", "nobody")
    assert (status, err.count("\n")) == (2, 1)
    assert "the anchor 'nobody' is not a member; expected one of random, maximizer:eval=count, snapshot 1, " in err
    assert League.load(folder).results.all_pairs == 0


def test_an_interrupt_keeps_the_games_of_a_league(run, folder, monkeypatch):
    def interrupted(league, *_, **__):
        league.results.add_pair(0, 1, 1.5)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(League, "complete", interrupted)
        assert run("league", folder, "--games", 4, *GAME)[0] == 130
    assert League.load(folder).results.all_pairs == 1


def test_two_processes_do_not_play_games_of_one_league(run, folder):
    with in_one_process(folder / "games.lock", OSError()):
        status, out, err = run("league", folder, "--games", 4, *GAME)
    assert (status, out) == (2, "")
    assert err == f"othello-env: another process plays games in {folder}\n"
    assert run("league", folder, "--games", 4, *GAME)[0] == 0
    assert not (folder / "games.lock").exists()


def test_a_league_that_cannot_be_read_or_rated_is_named(run, folder, tmp_path):
    status, _, err = run("league", folder)
    assert (status, err.count("\n")) == (2, 1)
    assert "no games lead from maximizer:eval=count to random" in err
    (tmp_path / "empty").mkdir()
    status, _, err = run("league", tmp_path / "empty")
    assert status == 2
    assert "league.json" in err


def test_a_match_ends_when_the_answer_is_known(run):
    status, out, err = run("match", "maximizer:eval=weighted", "random", "--sprt", "0,200")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    games = int(re.search(r" (\d+) games,", lines[0])[1])
    assert games < 200
    pairs, *each, draws = re.fullmatch(
        r"(\d+) pairs of games \(one opening, both colours\): "
        r"0 points in (\d+), .5 in (\d+), 1 in (\d+), 1.5 in (\d+), 2 in (\d+); draws (.+) %",
        lines[-2],
    ).groups()
    assert sum(map(int, each)) == int(pairs) == games // 2
    assert 0 <= float(draws) <= 100
    assert re.fullmatch(r"SPRT of 0 against 200 Elo: 200 Elo accepted, LLR \d\.\d\d \(-2\.94 to 2\.94\)", lines[-1])
    _, out, _ = run("match", "random", "random", "--sprt", "-1,1", "--games", 4)
    assert out.splitlines()[-1].startswith("SPRT of -1 against 1 Elo: undecided, LLR ")
