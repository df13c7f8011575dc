"""Sequences with labels, in both vocabularies, are compared with games that a simple version of the rules plays."""

import numpy as np
import pytest

from othello_env import Othello
from othello_env.data import Games, from_tokens, random_games, tokens
from othello_env.data.games import play_randomly
from othello_env.games.othello.tokens import VOCABULARIES, vocabulary_of
from othello_env.games.registry import GameSpec
from othello_env.sequences import SequenceStream, legal_tokens, sequences

MIDDLE = {8: (27, 28, 35, 36), 6: (14, 15, 20, 21), 4: (5, 6, 9, 10)}


def token_of(action, size, name):
    """The token of an action, from the description of the vocabulary; None for a pass that is left out."""
    if name == "metaothello":
        return action + 1
    if action == size * size:
        return None
    there = [size * (a % size) + a // size for a in range(size * size)]
    squares = sorted(there[a] for a in range(size * size) if a not in MIDDLE[size])
    return 1 + squares.index(there[action])


def place_of(action, size, name):
    """The place of a square in the labels."""
    return action if name == "metaothello" else size * (action % size) + action // size


def slow_rows(start, actions, name):
    """What the sequence of a game should have, one move at a time: the token, the board, the relative board, the legal
    tokens. `start` is a simple position of the tests."""
    state, size = start, start.size
    for action in actions:
        state = state.play(action)
        token = token_of(action, size, name)
        if token is None:
            continue
        cells, mine = state.to_text(), "XO"[state.to_move]
        board, relative = [None] * size**2, [None] * size**2
        for square, cell in enumerate(cells):
            place = place_of(square, size, name)
            board[place] = {"O": 0, "-": 1, "X": 2}[cell]
            relative[place] = 1 if cell == "-" else 0 if cell == mine else 2
        legal = state.legal_actions()
        if name == "othello-gpt" and legal == [size**2]:
            legal = state.play(size**2).legal_actions()
        yield token, board, relative, sorted(token_of(a, size, name) for a in legal)


def check(games, starts, name):
    """Compare the sequences of games with the slow ones. Returns the numbers of passes and of games with empty squares
    at the end."""
    found = sequences(games, name, boards=True, legal=True)
    size = starts.size
    length = size**2 - 4
    passes = wipeouts = 0
    for i in range(len(games)):
        actions = games.actions[i, : games.lengths[i]].tolist()
        rows = list(slow_rows(starts, actions, name))[:length]
        n = len(rows)
        assert found.tokens[i].tolist() == [row[0] for row in rows] + [0] * (length - n)
        assert found.board[i, :n].tolist() == [row[1] for row in rows]
        assert found.relative[i, :n].tolist() == [row[2] for row in rows]
        assert [np.flatnonzero(each).tolist() for each in found.legal[i, :n]] == [row[3] for row in rows]
        assert (found.board[i, n:] == -1).all()
        assert (found.relative[i, n:] == -1).all()
        assert not found.legal[i, n:].any()
        passes += size**2 in actions
        wipeouts += len(actions) - actions.count(size**2) < length
    np.testing.assert_array_equal(tokens(games, name), found.tokens)
    again = from_tokens(found.tokens, name, games.game)  # what is longer than a sequence is cut off
    shown = np.arange(again.actions.shape[1]) < again.lengths[:, None]
    assert (again.lengths == np.minimum(games.lengths, again.actions.shape[1])).all()
    np.testing.assert_array_equal(again.actions, np.where(shown, games.actions[:, : shown.shape[1]], -1))
    return passes, wipeouts


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.parametrize("size", [4, 6, 8])
def test_sequences_are_those_of_a_simple_version_of_the_rules(twin, size, name):
    passes, short = check(random_games(60, size=size, seed=5), twin.start(size), name)
    assert passes
    assert short or size == 8


def test_a_wipe_out_ends_a_sequence(twin):
    state = Othello.from_moves("e6f4e3f6g5d6e7f5c5")  # the shortest: Black has all discs
    assert state.is_over
    for name in VOCABULARIES:
        check(Games.from_states([state]), twin.start(8), name)


def test_a_variant_of_the_rules_has_sequences(twin, nomidflip):
    class Slow(twin):
        """Of each enclosed line, the first and the last disc turn over."""

        def flipped(self, row, column, player):
            lines = {}
            for r, c in super().flipped(row, column, player):  # the nearest discs come first
                lines.setdefault((np.sign(r - row), np.sign(c - column)), []).append((r, c))
            return [disc for line in lines.values() for disc in (line[0], line[-1])]

    game = GameSpec.parse("nomidflip")
    games = Games(*play_randomly(game, 1, 0, 40), game)
    for name in VOCABULARIES:
        check(games, Slow.start(8), name)
    assert (Games(games.actions, games.lengths).illegal() >= 0).any()  # by the usual rules, these are other games
    stream = SequenceStream(40, game="nomidflip", seed=1, vocabulary="metaothello")
    np.testing.assert_array_equal(stream.batch(0).tokens, tokens(games, "metaothello"))


def test_a_stream_has_the_random_games_and_repeats():
    stream = SequenceStream(8, game="othello:size=6", seed=3, count=3, boards=True, legal=True)
    batches = list(stream)
    games = random_games(24, size=6, seed=3)
    whole = sequences(games, boards=True, legal=True)
    for field, array in vars(whole).items():
        np.testing.assert_array_equal(np.concatenate([vars(batch)[field] for batch in batches]), array)
    for one, two in zip(batches, stream, strict=True):
        np.testing.assert_array_equal(one.tokens, two.tokens)
    later = list(SequenceStream(8, game="othello:size=6", seed=3, first=2, count=1))
    np.testing.assert_array_equal(later[0].tokens, batches[2].tokens)
    assert later[0].board is later[0].legal is None
    assert not np.array_equal(next(iter(SequenceStream(8, game="othello:size=6"))).tokens, batches[0].tokens)


def test_legal_tokens_end_at_an_illegal_move():
    rows = tokens(random_games(3, seed=1))
    expected = sequences(random_games(3, seed=1), legal=True).legal
    np.testing.assert_array_equal(legal_tokens(rows), expected)
    np.testing.assert_array_equal(legal_tokens(rows[:, :7]), expected[:, :7])
    rows[1, 10] = rows[1, 9]
    found = legal_tokens(rows)
    np.testing.assert_array_equal(found[1, :10], expected[1, :10])
    assert not found[1, 10:].any()
    np.testing.assert_array_equal(found[[0, 2]], expected[[0, 2]])


def test_vocabularies():
    assert [vocabulary_of("othello-gpt", size).count for size in (4, 6, 8)] == [13, 33, 61]
    assert [vocabulary_of("metaothello", size).count for size in (4, 6, 8)] == [18, 38, 66]
    assert vocabulary_of("metaothello").tokens[[0, 1, 8, 63, 64]].tolist() == [1, 2, 9, 64, 65]
