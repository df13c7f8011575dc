"""The commands analyse, solve and gtp."""

import io

import pytest

from othello_env import Othello

ENDGAME = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--"  # the first position of the FFO test suite


def test_analyse_prints_the_analysis_beside_the_board(run):
    status, out, err = run("analyse", "f5d6c3", "--agent", "engine:depth=4,eval=weighted", "--scores")
    assert (status, err) == (0, "")
    assert "white to move" in out
    assert "points for white" in out
    assert "depth  4" in out
    for action in Othello.from_moves("f5d6c3").legal_actions():
        assert Othello().action_to_text(action) in out


def test_solve_prints_the_exact_score(run):
    status, out, err = run("solve", ENDGAME, "--hash", "8")
    assert (status, err) == (0, "")
    assert "best   g8" in out
    assert "score  +18 discs for black" in out
    assert "depth  14, to the end of the game" in out
    assert "score  +1 wins for black" in run("solve", ENDGAME, "--result", "--hash", "8")[1]
    assert "score  -10 discs for black" in run("solve", "", "--game", "othello:size=4", "--hash", "1")[1]


def test_solve_says_that_it_may_not_end(run, monkeypatch):
    monkeypatch.setattr("othello_agents.engine.Engine.solve", lambda self, state, **_: self.analyse(state))
    position = Othello().to_text()
    assert "60 empty squares: this may take years; Ctrl-C ends it\n" in run("solve", position)[2]
    assert run("solve", ENDGAME)[2] == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("analyse", "f5f5"), "ply 2"),
        (("analyse", "XO-"), "16, 36 or 64"),
        (("analyse", "f5", "--agent", "random"), "random does not analyse"),
        (("analyse", "", "--game", "checkers"), "--game: expected othello, perhaps with a size, got checkers"),
        (("solve", "f5", "--game", "tribolo"), "--game: expected othello, perhaps with a size, got tribolo"),
        (("solve", "X" * 64), "the game is over\n"),
        (("analyse", "X" * 64), "the game is over\n"),
    ],
)
def test_errors_are_one_line(run, arguments, message):
    status, _, err = run(*arguments)
    assert status == 2
    assert message in err
    assert len(err.splitlines()) == 1


def test_gtp_repeats_its_game_by_the_seed(run, monkeypatch):
    games = []
    for seed in (1, 1, 2):
        monkeypatch.setattr("sys.stdin", io.StringIO("genmove black\ngenmove white\n" * 8))
        _, out, _ = run("gtp", "--agent", "random", "--seed", str(seed))
        games.append(out)
    assert games[0] == games[1] != games[2]


def test_gtp_does_not_read_a_line_without_end(run, monkeypatch):
    text = io.StringIO("name\n" + "y" * 10_000_000)
    monkeypatch.setattr("sys.stdin", text)
    status, out, error = run("gtp", "--agent", "random")
    assert (status, out, error) == (
        2,
        "= othello-env random\n\n",
        "othello-env: a command has at most 65,535 characters\n",
    )
    assert text.tell() < 100_000


def test_gtp_answers_until_quit(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("name\n1 play black f5\ngenmove white\nquit\nname\n"))
    status, out, _ = run("gtp", "--agent", "maximizer:eval=count")
    assert status == 0
    answers = out.split("\n\n")
    assert answers[:2] == ["= othello-env maximizer:eval=count", "=1"]
    assert answers[2].startswith("= ")
    assert answers[3:] == ["=", ""]
