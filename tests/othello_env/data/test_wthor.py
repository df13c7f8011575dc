"""Files in the format WTHOR: they are compared with a second reader, and damaged games are named."""

import struct
from datetime import date

import numpy as np
import pytest

from othello_env.data import Games, GamesError, random_games, read_games, read_names, write_games
from othello_env.data.formats import wthor


def read_wthor(data):
    """A second reader, written from the format's description, for comparison with the package's reader.

    It returns (tournament, black, white, score, theoretical, moves) for each game.
    """
    century, year, month, day, n1, n2, played, size, _, depth, _ = struct.unpack_from("<4BIHH4B", data)
    assert len(data) == 16 + 68 * n1
    rows = [struct.unpack_from("<HHHBB60B", data, 16 + 68 * i) for i in range(n1)]
    return (100 * century + year, month, day, n2, played, size, depth), [(*row[:5], row[5:]) for row in rows]


def names_file(names, length):
    """The bytes of a file of names, as the format's description says."""
    head = struct.pack("<4BIHH4B", 20, 26, 11, 22, 0, len(names), *[0] * 5)
    return head + b"".join(name.encode("latin-1").ljust(length, b"\0") for name in names)


def test_wthor_as_a_reader_from_its_description_sees_it(twin):
    games = random_games(100, seed=5)
    columns = {"black": np.arange(100), "white": np.arange(100) + 7, "tournament": [3] * 100, "year": [1999] * 100}
    games = Games(games.actions, games.lengths, columns=columns)
    before = date.today()
    header, rows = read_wthor(wthor.dump(games))
    assert before <= date(*header[:3]) <= date.today()
    assert header[3:] == (0, 1999, 8, 0)
    for i, (tournament, black, white, score, _, moves) in enumerate(rows):
        assert (tournament, black, white) == (3, i, i + 7)
        slow = twin.start(8)
        for move in moves:
            if move == 0:
                continue
            row, column = divmod(move, 10)
            if not slow.squares(slow.to_move):
                slow = slow.play(64)
            slow = slow.play(8 * (row - 1) + column - 1)
        assert slow.is_over()
        assert score == 32 + slow.margin() // 2
        assert list(moves) == sorted(moves, key=lambda move: move == 0)


def test_wthor_with_names(tmp_path):
    games = random_games(3, seed=1)
    games = Games(
        games.actions, games.lengths, columns={"black": [0, 1, 9], "white": [1, 0, 2], "tournament": [0, 0, 0]}
    )
    write_games(tmp_path / "a.wtb", games)
    (tmp_path / "WTHOR.JOU").write_bytes(names_file(["Müller", "Ono", "???"], 20))
    (tmp_path / "WTHOR.TRN").write_bytes(names_file(["Cup"], 26))
    players, tournaments = read_names(tmp_path / "WTHOR.JOU"), read_names(tmp_path / "WTHOR.TRN")
    assert wthor.load_names(names_file([], 20)) == []
    assert (players, tournaments) == (["Müller", "Ono", "???"], ["Cup"])
    again = read_games(tmp_path / "a.wtb", players=players, tournaments=tournaments)
    assert again.columns["black"].tolist() == ["Müller", "Ono", "?"]
    assert again.columns["white"].tolist() == ["Ono", "Müller", "???"]
    assert again.columns["tournament"].tolist() == ["Cup"] * 3
    with pytest.raises(GamesError, match=r"expected 1 names of 20 bytes \(players\) or 26 bytes"):
        wthor.load_names(names_file(["x"], 21))
