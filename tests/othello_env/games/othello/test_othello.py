"""Othello in named examples: the start, passes, ends, and errors."""

import csv

import numpy as np
import pytest

from othello_env import IllegalActionError, Othello

pytestmark = pytest.mark.nojit

WIPE_OUT = "e6f4e3f6g5d6e7f5c5"
"""One of the shortest games. After nine moves, White has no disc left."""


def names(state):
    return [state.action_to_text(action) for action in state.legal_actions()]


@pytest.mark.parametrize(
    ("size", "first_moves"),
    [(8, ["d3", "c4", "f5", "e6"]), (6, ["c2", "b3", "e4", "d5"]), (4, ["b1", "a2", "d3", "c4"])],
)
def test_the_start(size, first_moves):
    start = Othello(size)
    assert start.player_names[start.to_move] == "black"
    assert names(start) == first_moves
    middle = size // 2
    owners = np.array(start.owners(), dtype=object).reshape(size, size)
    assert owners[middle - 1 : middle + 1, middle - 1 : middle + 1].tolist() == [[1, 0], [0, 1]]
    assert start.discs() == (2, 2)
    assert start.moves == ()
    assert start.num_actions == size * size + 1
    assert start.num_players == 2


def test_a_printed_board():
    assert str(Othello.from_moves("f5d6", 8)).splitlines() == [
        "  a b c d e f g h",
        "1 - - - - - - - -",
        "2 - - - - - - - -",
        "3 - - - - - - - -",
        "4 - - - O X - - -",
        "5 - - - O X X - -",
        "6 - - - O - - - -",
        "7 - - - - - - - -",
        "8 - - - - - - - -",
        "black (X) 3, white (O) 3, black to move",
    ]


def test_who_cannot_move_passes_and_only_then():
    state = Othello.from_text("XO--" + "----" * 3, to_move="O")
    assert state.must_pass
    assert state.legal_actions() == (16,)
    assert names(state) == ["pass"]
    assert state.action_mask().tolist() == [0] * 16 + [1]
    passed = state.play(16)
    assert passed.to_text() == state.to_text()
    assert passed.to_move == 0
    assert passed.moves == (16,)
    assert names(passed) == ["c1"]
    with pytest.raises(IllegalActionError, match=r"pass \(action 16\) is not legal for black; the legal .*: c1\n"):
        passed.play(16)


def test_two_passes_are_never_asked_for():
    # There are empty squares, but neither side can move. The game is over at once, no matter which side is to move.
    for to_move in "XO":
        state = Othello.from_text("XX------------OO", to_move)
        assert state.is_over
        assert state.legal_actions() == ()
        assert not state.must_pass
        assert state.action_mask().sum() == 0
        assert state.returns() == (0.0, 0.0)


def test_wipe_out_ends_the_game_and_counts_as_64():
    before, state = Othello.from_moves(WIPE_OUT[:-2]), Othello.from_moves(WIPE_OUT)
    assert not before.is_over
    assert state.is_over
    assert state.discs() == (13, 0)
    assert state.returns() == (1.0, -1.0)
    assert state.margins() == (64.0, -64.0)
    assert "game over" in str(state)
    assert len(state.moves) == 9
    with pytest.raises(IllegalActionError, match="the game is over"):
        state.play(0)
    with pytest.raises(IllegalActionError, match="the game is over"):
        state.play(64)


def test_a_tie_with_empty_squares_gives_them_to_nobody():
    state = Othello.from_text("XX------------OO")
    assert state.margins() == (0.0, 0.0)
    ahead = Othello.from_text("XX-------------O")
    assert ahead.discs() == (2, 1)
    assert ahead.empties == 13
    assert ahead.margins() == (14.0, -14.0)


def test_complete_games_end_with_their_discs(data_folder):
    with (data_folder / "games.csv").open(encoding="utf-8") as file:
        games = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert len(games) >= 5
    for game in games:
        state = Othello.from_moves(game["moves"])
        assert state.is_over, game["name"]
        assert state.discs() == (int(game["black_discs"]), int(game["white_discs"])), game["name"]
        assert state.transcript() == game["moves"], game["name"]
        actions = Othello().play_transcript(list(state.moves))
        assert actions == state


def test_games_with_passes_read_the_same_with_and_without_them():
    start = Othello(4)
    for key in range(100):
        state = start
        while not state.is_over:
            state = state.play(state.draw_action(key, state.placed))
        if start.pass_action in state.moves:
            break
    plies = state.moves
    assert start.pass_action in plies
    given = [start.action_to_text(action) for action in plies]
    left_out = [name for name in given if name != "pass"]
    for transcript in ("".join(given), "".join(left_out), " ".join(given), given, left_out, plies):
        replayed = start.play_transcript(transcript)
        assert replayed == state
        assert replayed.moves == plies
    numbered = " ".join(f"{1 + i // 2}. {name}" if i % 2 == 0 else name for i, name in enumerate(given))
    assert start.play_transcript(numbered) == state
