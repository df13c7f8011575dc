"""``othello-env data``: makes, labels, converts and describes games."""

import numpy as np

from othello_env.data import Dataset, random_games, read_games


def test_the_command(run, tmp_path):
    status, out, _ = run(
        "data", "make", "random", "--games", "50", "--out", tmp_path / "d", "--size", "6", "--seed", "2"
    )
    assert (status, out) == (0, f"{tmp_path / 'd'}: 50 games\n")
    (part,) = Dataset(tmp_path / "d")
    assert (part.actions == random_games(50, size=6, seed=2).actions).all()
    status, out, _ = run("data", "info", tmp_path / "d")
    assert status == 0
    assert "50 of 50 games in parts of 100,000" in out
    assert "made by: make random, size 6, seed 2" in out
    status, out, _ = run(
        "data", "make", "match", "random", "--games", "4", "--out", tmp_path / "m", "--openings", "start"
    )
    assert status == 0
    status, out, _ = run("data", "label", tmp_path / "m", "--empties", "6")
    assert "exact-6-000000.npz: " in out
    status, out, _ = run("data", "label", tmp_path / "m", "--empties", "6")
    assert "exact-6-000000.npz: was labelled before" in out
    run("data", "make", "match", "random", "--games", "6", "--out", tmp_path / "m", "--openings", "start")
    status, out, _ = run("data", "label", tmp_path / "m", "--empties", "6")
    assert "was labelled before" not in out
    with np.load(tmp_path / "m" / "exact-6-000000.npz") as labels:
        assert labels["games"] == 6
        assert labels["game"].max() == 5
    status, out, _ = run("data", "convert", tmp_path / "m", tmp_path / "a.wtb")
    assert (status, out) == (0, f"{tmp_path / 'a.wtb'}: 6 games\n")
    status, out, _ = run("data", "convert", tmp_path / "a.wtb", tmp_path / "a.ggf", "--distinct")
    assert read_games(tmp_path / "a.ggf").state(0) == read_games(tmp_path / "m" / "games-000000.npz").state(0)
    status, out, _ = run("data", "info", tmp_path / "a.ggf")
    assert "6 games of othello, 1 different starts" in out
    assert "finished" in out
    assert "column result, such as " in out
    status, _, errors = run("data", "convert", tmp_path / "a.ggf", tmp_path / "a.xyz")
    assert status == 2
    assert errors.startswith("othello-env: expected a file name that ends in .npz")
