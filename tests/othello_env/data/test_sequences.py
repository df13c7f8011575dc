"""Othello-GPT's tokens and labels: they are compared with games that are replayed by a simple version of the rules."""

import numpy as np

from othello_env import Othello
from othello_env.data import Games, board_labels, from_tokens, random_games, tokens


def square_there(action):
    """The number of a square in Othello-GPT's files: 8 * letter + digit, both counted from 0."""
    row, column = divmod(action, 8)
    return 8 * column + row


def token_there(action):
    """The token of a square: its rank, from 1, among the 60 squares without the four in the middle."""
    return 1 + [square for square in range(64) if square not in (27, 28, 35, 36)].index(square_there(action))


def test_tokens_are_the_squares_in_order():
    games = random_games(50, seed=7)
    found = tokens(games)
    assert found.shape == (50, 60)
    for i in range(50):
        moves = [token_there(a) for a in games.actions[i].tolist() if 0 <= a < 64]
        assert found[i].tolist() == moves + [0] * (60 - len(moves))
    assert (
        tokens(Games.of([Othello.from_moves("f5")]))[0, 0] == token_there(37) == 41
    )  # f5 is letter 5 and digit 4: 44. Four squares before it have no token, and tokens begin at 1: 44 - 4 + 1 = 41


def test_tokens_come_back_as_games():
    games = random_games(200, seed=8)
    again = from_tokens(tokens(games))
    assert (again.lengths == games.lengths).all()
    assert (again.actions == games.actions).all()
    assert (games.actions == 64).any()


def test_labels_of_the_boards(twin):
    games = random_games(30, seed=9)
    labels, k = board_labels(games), 0
    for i in range(30):
        slow, moves = twin.start(8), 0
        actions = games.actions[i, : games.lengths[i]].tolist()
        for action in actions:
            slow = slow.play(action)
            if action == 64:
                continue
            cells = slow.to_text()
            for a in range(64):
                there = square_there(a)
                assert labels.board[k, there] == {"O": 0, "-": 1, "X": 2}[cells[a]]
                mine = "XO"[slow.to_move]
                assert labels.relative[k, there] == {mine: 0, "-": 1}.get(cells[a], 2)
            next_squares = slow.squares(slow.to_move) or slow.squares(1 - slow.to_move)
            assert np.flatnonzero(labels.legal[k]).tolist() == sorted(map(square_there, next_squares))
            assert (labels.game[k], labels.move[k]) == (i, moves)
            moves += 1
            k += 1
    assert k == len(labels.board)
