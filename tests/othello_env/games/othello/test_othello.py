"""Othello in named examples: the start, passes, ends, and errors."""

import csv

import numpy as np
import pytest

from othello_env import Othello

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
