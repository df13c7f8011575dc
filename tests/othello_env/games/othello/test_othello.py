"""Othello in named examples: the start, passes, ends, and errors."""

import csv

import pytest

from othello_env import Othello

pytestmark = pytest.mark.nojit

"""One of the shortest games. After nine moves, White has no disc left."""


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
