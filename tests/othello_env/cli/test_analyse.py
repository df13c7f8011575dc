"""The commands analyse and solve."""

import json
import re

import pytest

from othello_env import Othello, make_agent
from othello_env.data import Games, random_games, write_games
from othello_env.review import review_game, summarise

ENDGAME = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--"  # the first position of the FFO test suite


def test_analyse_prints_the_analysis_beside_the_board(run):
    status, out, err = run("analyse", "f5d6c3", "--agent", "engine:depth=4", "--scores")
    assert (status, err) == (0, "")
    state = Othello.from_moves("f5d6c3")
    found = make_agent("engine:depth=4").analyse(state)
    assert "white to move" in out
    assert f"score  {found.score:+.3f} mean of result and margin for white\n" in out
    assert f"discs  {found.discs:+.1f} expected discs for white\n" in out
    assert "depth  4" in out
    for action, discs in make_agent("engine:depth=4").action_values(state).items():
        assert re.search(rf"^{state.action_to_text(action)} +[-+]\.?\d\.?\d* +{re.escape(f'{discs:+.1f}')}$", out, re.M)


def test_solve_prints_the_exact_score(run):
    status, out, err = run("solve", ENDGAME, "--hash", "8")
    assert (status, err) == (0, "")
    assert "best   g8" in out
    assert "score  +18 discs for black" in out
    assert "depth  14, to the end of the game" in out
    assert "result black wins\n" in run("solve", ENDGAME, "--result", "--hash", "8")[1]
    assert "result white wins\n" in run("solve", "", "--result", "--game", "othello:size=4", "--hash", "1")[1]
    assert "score  -10 discs for black" in run("solve", "", "--game", "othello:size=4", "--hash", "1")[1]


GAMES = random_games(3, size=4, seed=4)


@pytest.fixture
def file(tmp_path):
    games = GAMES
    names = {"black": ["ann", "bob", "ann"], "white": ["bob", "ann", ""]}
    path = tmp_path / "games.ggf"
    write_games(path, Games(games.actions, games.lengths, games.game, columns=names))
    return path


QUICK = ("--agent", "engine:depth=1", "--exact", "5")


def test_each_moves_loss_the_summaries_and_the_blunders(run, file, tmp_path):
    status, out, err = run(
        "analyse", file, *QUICK, "--select", 2, "--select", 3, "--select", 9, "--out", tmp_path / "r.json"
    )
    assert (status, err) == (0, "")
    found = json.loads((tmp_path / "r.json").read_text())
    assert (found["source"], found["agent"], found["exact_empties"]) == (str(file), "engine:depth=1", 5)
    assert [(game["game"], game["players"]) for game in found["games"]] == [
        (2, {"black": "bob", "white": "ann"}),
        (3, {"black": "ann", "white": "white"}),
    ]
    ann, blunders = [], 0
    for game, side in zip(found["games"], (1, 0), strict=True):
        moves = list(review_game(GAMES.state(game["game"] - 1), "engine:depth=1", exact=5))
        ann += [move for move in moves if move.player == side]
        assert game["moves"] == [move.to_json() for move in moves]
        black = summarise([move for move in moves if move.player == 0])
        assert game["summary"]["black"] == black.to_json()
        for move in moves:
            if move.loss >= 6 and move.had_choice:
                blunders += 1
                text = move.state.action_to_text
                players = ("bob (black)", "ann (white)") if side == 1 else ("ann (black)", "white")
                assert f"ply {move.ply}, {players[move.player]} played {text(move.action)}; " in out
                assert f"{text(move.best)} is {'exactly' if move.exact else 'by depth 1 about'} {move.loss:.1f}" in out
    assert out.count("blunder: ") == blunders > 0
    assert "game 2: bob (black) against ann (white), " in out
    assert "game 1" not in out
    total = summarise(ann)
    (row,) = [line for line in out[out.index("all 2 games") :].splitlines() if line.startswith("ann")]
    told = [str(total.moves), f"{total.loss:.2f}", f"{total.exact_loss:.2f}", f"{total.best:.0%}"]
    assert row.split()[1:5] == told


def test_a_record_is_reviewed_from_the_first_move_of_the_agents_on(run, tmp_path):
    records = tmp_path / "games.jsonl"
    match = ("random", "perfect", "--games", "4", "--game", "othello:size=4", "--openings", "random:5", "--seed", "2")
    run("tournament", *match, "--out", records)
    _, out, _ = run("analyse", records, "--out", tmp_path / "r.json")
    found = json.loads((tmp_path / "r.json").read_text())["games"]
    assert [(game["first_ply"], game["moves"][0]["ply"]) for game in found] == [(6, 6)] * 4
    losses = [(game["players"][move["player"]], move["loss"]) for game in found for move in game["moves"]]
    assert not any(loss for name, loss in losses if name == "perfect")
    assert any(loss for name, loss in losses if name == "random")
    assert " random (black) played " in out
    assert " perfect (white) played " not in out


def test_a_dataset_and_a_file_of_transcripts(run, tmp_path):
    run("data", "make", "random", "--games", "3", "--size", "4", "--out", tmp_path / "d")
    assert "game 3: black (black) against white (white), " in run("analyse", tmp_path / "d", *QUICK)[1]
    (tmp_path / "a.txt").write_text("# a game\nb1\n")
    status, out, _ = run("analyse", tmp_path / "a.txt", "--game", "othello:size=4", *QUICK)
    assert status == 0
    assert "game 1" in out
    (tmp_path / "b.txt").write_text("f5d6\nf5f5\n")
    assert "line 2, ply 2" in run("analyse", tmp_path / "b.txt", *QUICK)[2]
    status, out, err = run("analyse", tmp_path / "b.txt", *QUICK, "--skip")
    assert (status, "1 damaged games were left out" in err) == (0, True)


def test_games_that_are_not_there_or_not_in_discs_are_refused(run, file, tmp_path):
    assert "has no such game" in run("analyse", file, *QUICK, "--select", "7")[2]
    (tmp_path / "a.txt").write_text("f5d6c3\n")
    told = run("analyse", tmp_path / "a.txt", "--agent", "engine:depth=1,eval=count")[2]
    assert "points have no meaning in discs" in told


def test_an_interrupt_keeps_the_games_before(run, file, tmp_path, monkeypatch):
    def interrupted(final, *rest, **named):
        if final == GAMES.state(1):
            raise KeyboardInterrupt
        return review_game(final, *rest, **named)

    monkeypatch.setattr("othello_env.cli.analyse.review_game", interrupted)
    status, _, err = run("analyse", file, *QUICK, "--out", tmp_path / "r.json")
    assert (status, err) == (130, "othello-env: interrupted\n")
    assert [game["game"] for game in json.loads((tmp_path / "r.json").read_text())["games"]] == [1]
