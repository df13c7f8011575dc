"""Files in the format GGF: names, evaluations and times come back, and damaged games are named."""

import re

import numpy as np
import pytest
from comparing import GGF
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_env import Othello
from othello_env.data import Games, GamesError, random_games, read_games, write_games
from othello_env.data.formats import ggf


def test_the_example_of_ggf(tmp_path):
    path = tmp_path / "a.ggf"
    path.write_text(GGF)
    games = read_games(path)
    assert games.state(0) == Othello.from_moves("d3c5f6")
    np.testing.assert_array_equal(games.columns["scores"], np.array([[np.nan, -1.2, np.nan]], np.float32))
    np.testing.assert_array_equal(games.columns["times"], np.array([[0.01, 3.5, np.nan]], np.float32))
    assert {name: column[0] for name, column in games.columns.items() if column.ndim == 1} == {
        "black": "one",
        "white": "two",
        "place": "GGS/os",
        "date": "2003.12.15 13:24:03 MST",
        "result": "+4.00",
        "time": "05:00//02:00",
        "type": "8",
        "black_rating": 2197.01,
        "white_rating": 2199.72,
        "line": 1,
    }


@settings(max_examples=25)
@given(st.lists(st.text(max_size=20), min_size=2, max_size=2))
def test_any_name_comes_back_from_ggf(names):
    """Spaces at the beginning and the end of a name are removed, and line ends become spaces."""
    games = Games.from_states([Othello.from_moves("f5")] * 2, columns={"black": names})
    again, messages = ggf.load(ggf.dump(games))
    assert messages == []
    assert again.columns["black"].tolist() == [str(name).replace("\n", " ").strip() for name in games.columns["black"]]


def test_evaluations_and_times_come_back(tmp_path):
    games = random_games(20, seed=6)
    rng = np.random.default_rng(0)
    shape = games.actions.shape
    given = {
        "scores": rng.normal(0, 20, shape).astype(np.float32),
        "times": rng.exponential(0.001, shape).astype(np.float32),
    }
    for column in given.values():
        column[rng.random(shape) < 0.3] = np.nan
    games = Games(games.actions, games.lengths, columns=given)
    assert np.isnan(games.columns["times"][games.actions < 0]).all()
    text = ggf.dump(games)
    assert re.search(r"\[[A-H][1-8]\]", text)  # a move without a score and a time has no slashes
    assert re.search(r"\[[A-H][1-8]/-?[0-9.]+\]", text)
    assert re.search(r"\[[A-H][1-8]//[0-9.]+\]", text)
    short, _ = ggf.load(re.sub(r"[BW]\[PA[^]]*\]", "", text))  # passes may be left out, and then have no numbers
    assert (games.actions == 64).any()
    for name in given:
        np.testing.assert_array_equal(short.columns[name], np.where(games.actions == 64, np.nan, games.columns[name]))
    part = games[games.lengths <= 60]
    for ending in ("ggf", "npz"):
        for some in (games, part):
            write_games(tmp_path / f"a.{ending}", some)
            again = read_games(tmp_path / f"a.{ending}")
            for name in given:
                np.testing.assert_array_equal(again.columns[name], some.columns[name])
                assert again.columns[name].shape == again.actions.shape
    short, long = games[games.lengths <= 60], games[games.lengths > 60]
    joined = Games.joined([short, long])
    np.testing.assert_array_equal(
        joined.columns["scores"][len(short) :, : long.actions.shape[1]], long.columns["scores"]
    )
    assert joined.columns["scores"].shape == joined.actions.shape


def test_a_synchronised_pair_and_tags_in_any_order():
    one = "(;TY[s8]B[d3]PB[x \\] y]GM[othello]W[c3//2]RE[?];)"
    games, messages = ggf.load(f"\n2 {one}{one.replace('d3', 'F5').replace('c3', 'd6')}\n")
    assert messages == []
    assert games.columns["line"].tolist() == [2, 2]
    assert games.columns["black"].tolist() == ["x ] y", "x ] y"]
    assert [games.state(i) for i in (0, 1)] == [Othello.from_moves("d3c3"), Othello.from_moves("f5d6")]
    assert ggf.load("(;GM[Othello]TY[6]B[c2] ; )")[0].state(0) == Othello.from_moves("c2", 6)


@pytest.mark.parametrize(
    "text", ["(;GM[Othello]" + "(;" * 50_000, "(;" + "a" * 100_000, "(;GM[x" * 15_000, "(;" + " " * 100_000]
)
def test_ggf_is_read_in_linear_time(text):
    """The texts have about 100 KB. If the time were quadratic, reading them would take many minutes."""
    with pytest.raises(GamesError, match="expected a tag"):
        ggf.load(text)
