"""Parquet files: the package reads what it wrote, and pyarrow reads them as a table with a row for each game."""

import io

import numpy as np
import pytest

from othello_env.data import Games, GamesError, random_games, read_games, write_games

arrow = pytest.importorskip("pyarrow", reason="Parquet files need the optional package pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def test_games_come_back(tmp_path):
    games = random_games(50, seed=1)
    scores = np.random.default_rng(0).normal(size=games.actions.shape).astype(np.float32)
    scores[:, ::3] = np.nan
    columns = {"black": [f"p{i}" for i in range(50)], "elo": np.arange(50.0), "scores": scores}
    games = Games(games.actions, games.lengths, columns=columns)
    path = tmp_path / "a.parquet"
    write_games(path, games)
    again = read_games(path)
    for name, column in games.columns.items():
        np.testing.assert_array_equal(again.columns[name], column)
    assert again.columns["scores"].dtype == np.float32
    row = parquet.read_table(path).to_pylist()[7]
    assert row.pop("scores")[1] == scores[7, 1]
    assert row == {"actions": games.actions[7, : games.lengths[7]].tolist(), "black": "p7", "elo": 7.0}


def test_other_parquet_files_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    out = io.BytesIO()
    parquet.write_table(arrow.table({"x": [1]}), out)
    for data in (out.getvalue(), out.getvalue()[:-5], b"PAR1"):
        path.write_bytes(data)
        with pytest.raises(GamesError, match=r"no (file|Parquet file) of games, or it is damaged"):
            read_games(path)
    write_games(path, random_games(3))
    data = bytearray(path.read_bytes())
    footer = int.from_bytes(data[-8:-4], "little")
    data[-8 - footer : -8] = bytes([255]) * footer
    path.write_bytes(data)
    with pytest.raises(GamesError, match=r"a\.parquet: this is no Parquet file of games, or it is damaged"):
        read_games(path)
    with pytest.raises(ValueError, match="cannot have the name 'actions'"):
        write_games(path, Games([[37]], [1], columns={"actions": [1]}))
