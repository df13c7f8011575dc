"""Hugging Face's `datasets` can read the Parquet files that this package writes."""

import numpy as np
import pytest

from othello_env.data import Games, random_games, write_games

datasets = pytest.importorskip("datasets", reason="this reader is an optional package")
pytest.importorskip("pyarrow", reason="Parquet files need the optional package pyarrow")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with two files of games, such as a user would upload."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    games = random_games(30, seed=3)
    names = {"black": [f"p{i}" for i in range(30)], "elo": np.arange(30.0)}
    scores = np.random.default_rng(1).normal(size=games.actions.shape).astype(np.float32)
    games = Games(games.actions, games.lengths, columns=names | {"scores": scores})
    for number, part in enumerate((games[:20], games[20:])):
        write_games(tmp_path / "set" / f"games-{number:06d}.parquet", part)
    return tmp_path / "set", games


def rows(games):
    return [row[:length].tolist() for row, length in zip(games.actions, games.lengths, strict=True)]


def test_it_reads_and_streams_what_was_written(folder, tmp_path):
    path, games = folder
    found = datasets.load_dataset(str(path), split="train", cache_dir=str(tmp_path / "cache"))
    assert found.num_rows == 30
    assert found["actions"][:] == rows(games)
    assert found["black"][:] == games.columns["black"].tolist()
    assert found[7]["elo"] == 7.0
    scores = games.columns["scores"][7, : games.lengths[7]]
    np.testing.assert_array_equal(np.array(found[7]["scores"], np.float32), scores)
    found = datasets.load_dataset("parquet", data_files=f"{path}/*.parquet", split="train", streaming=True)
    assert [row["actions"] for row in found] == rows(games)
