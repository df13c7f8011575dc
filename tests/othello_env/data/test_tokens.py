"""Othello-GPT's tokens, and files of them."""

import numpy as np
import pytest

from othello_env import Othello
from othello_env.data import (
    Games,
    GamesError,
    from_tokens,
    random_games,
    read_games,
    tokens,
    write_games,
)


def square_there(action):
    """The number of a square in Othello-GPT's files: 8 * letter + digit, both counted from 0."""
    row, column = divmod(action, 8)
    return 8 * column + row


def token_there(action):
    """The token of a square: its rank, from 1, among the 60 squares without the four in the middle."""
    return 1 + [square for square in range(64) if square not in (27, 28, 35, 36)].index(square_there(action))


def test_tokens_are_the_squares_in_order_and_come_back_as_games():
    games = random_games(50, seed=7)
    found = tokens(games)
    assert found.shape == (50, 60)
    for i in range(50):
        moves = [token_there(a) for a in games.actions[i].tolist() if 0 <= a < 64]
        assert found[i].tolist() == moves + [0] * (60 - len(moves))
    # f5 is letter 5 and digit 4: 44. Four squares before it have no token, and tokens begin at 1: 44 - 4 + 1 = 41
    assert tokens(Games.from_states([Othello.from_moves("f5")]))[0, 0] == token_there(37) == 41
    again = from_tokens(found)
    assert (games.actions == 64).any()
    assert (again.lengths == games.lengths).all()
    assert (again.actions == games.actions).all()


def test_a_file_of_tokens_comes_back_as_games(tmp_path):
    games, path = random_games(50, seed=8), tmp_path / "games.npy"
    write_games(path, games)
    stored = np.load(path, allow_pickle=False)
    assert stored.dtype == np.int8
    np.testing.assert_array_equal(stored, tokens(games))
    np.testing.assert_array_equal(read_games(path).actions, games.actions)
    np.save(path, stored[:, :59].astype(">i8"))  # other integers, and sequences that end earlier
    np.testing.assert_array_equal(read_games(path).actions[:, :50], games.actions[:, :50])


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(60, np.int8), r"expected integers \(N, L\)"),
        (np.zeros((2, 60)), "expected integers"),
        (np.full((2, 60), 61), "tokens must be 0 to 60"),
        (np.zeros((60, 2), np.int8).T, "in C order"),
        (np.array([[None]]), "in C order"),
    ],
)
def test_other_arrays_are_no_tokens(tmp_path, array, message):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(GamesError, match=f"no file of Othello-GPT's tokens, or it is damaged: .*{message}"):
        read_games(tmp_path / "a.npy")


def test_only_standard_games_have_tokens(tmp_path):
    with pytest.raises(ValueError, match="sequences are for games of othello on 8x8 from the usual start"):
        write_games(tmp_path / "a.npy", random_games(2, size=6))
    assert not (tmp_path / "a.npy").exists()
