"""The book for 6x6: its scores are right, and a player who follows it gets at least the score of perfect play."""

import io
import json
import random
import re
import zipfile

import numpy as np
import pytest

from othello_agents.perfect import Book, Perfect
from othello_agents.perfect.book import FORMAT, shipped_book
from othello_agents.perfect.mirrors import mirrored
from othello_agents.perfect.solving import Solver
from othello_env import Othello
from othello_env.games.othello import symmetries

START = {"black": -4, "white": 4}
"""Each player's exact score on 6x6: White wins 20 to 16 (Joel Feinstein, 1993)."""


def empty(state):
    return 36 - sum(state.discs())


def states_of(book):
    return [Othello.from_bits(*key, 0, 6) for key in book.keys()]  # noqa: SIM118 - a book is no dict


def mirror(state, symmetry):
    bits = (int(mirrored(np.uint64(each), symmetry)) for each in (state.own, state.opponent))
    return Othello.from_bits(*bits, state.to_move, 6)


@pytest.fixture(scope="module")
def book():
    return shipped_book()


@pytest.fixture
def small_book():
    """A book of two late positions."""
    book, solver = Book(covers={"black": 7}), Solver(1)
    for key in range(2):
        state = random_state(key)
        book.add(state, *solver.solve(state))
    return book


def random_state(key):
    """A position after 24 random plies in which the player to move has a move."""
    rng = random.Random(key)
    while True:
        state = Othello(6)
        while not state.is_over and len(state.moves) < 24:
            state = state.play(rng.choice(state.legal_actions()))
        if not (state.is_over or state.must_pass):
            return state


def test_the_known_result_of_the_game(book):
    assert book.find(Othello(6))[0] == START["black"]
    first = Othello(6).play(Othello(6).legal_actions()[0])
    assert book.find(first)[0] == START["white"]
    # Black's scores after White's three replies.
    replies = {book.find(first.play(action))[0] for action in first.legal_actions()}
    assert replies == {-4, -2, 20}


def test_a_best_move_keeps_the_score(book):
    """The score of a position agrees with the book's scores of the positions after its moves."""
    solver = Solver(64)
    fewest = min(map(empty, states_of(book)))
    late = [state for state in states_of(book) if empty(state) == fewest]
    for state in random.Random(0).sample(late, 2):
        score, action = book.find(state)
        assert -solver.score(state.play(action), guess=-score) == score
        assert solver.solve(state)[0] == score
    for state in states_of(book):
        score, action = book.find(state)
        for other in state.legal_actions():
            after = state.play(other)
            sign = 1 if after.must_pass else -1
            known = book.find(after.play(after.pass_action) if after.must_pass else after)
            if known is not None:
                assert sign * known[0] <= score
                assert sign * known[0] == score or other != action


def test_mirror_images_are_answered_alike(book):
    for state in random.Random(1).sample(states_of(book), 50):
        score, action = book.find(state)
        for symmetry in range(symmetries.COUNT):
            other = mirror(state, symmetry)
            found, move = book.find(other)
            assert found == score
            # If a position is its own mirror image, several images of a move are equally good. Any of them is right.
            images = {mirror(state.play(action), k).own for k in range(symmetries.COUNT)}
            assert other.play(move).own in images


def follow(book, follower, key):
    """Play the book's moves for the player `follower` and random moves for the other player.

    The game goes on while the book covers the position. Return the last position, and the scores that the book gave.
    """
    rng, state, scores = random.Random(key), Othello(6), []
    while not state.is_over and empty(state) > book.covers[Othello.player_names[follower]]:
        if state.must_pass or state.to_move != follower:
            state = state.play(rng.choice(state.legal_actions()))
        else:
            score, action = book.find(state)
            scores.append(score)
            state = state.play(action)
    return state, scores


@pytest.mark.parametrize("follower", [0, 1])
def test_it_answers_every_random_opponent_and_its_score_never_falls(book, follower):
    name = Othello.player_names[follower]
    assert name in book.covers
    for key in range(200):
        _, scores = follow(book, follower, key)
        assert scores[0] == START[name]
        assert scores == sorted(scores)  # the other player's errors can only raise the score


@pytest.mark.parametrize("follower", [0, 1])
def test_no_random_opponent_scores_above_the_game(book, follower):
    """Play whole games: first by the book, then by the search."""
    agent, rng = Perfect(), random.Random(5)
    for key in range(2):
        state, scores = follow(book, follower, key)
        while not state.is_over:
            state = state.play(agent.act(state) if state.to_move == follower else rng.choice(state.legal_actions()))
        assert state.margins()[follower] >= scores[-1] >= START[Othello.player_names[follower]]


def test_perfect_play_against_itself_gives_the_score():
    agent, state = Perfect(), Othello(6)
    while not state.is_over:
        state = state.play(agent.act(state))
    assert state.margins() == (-4.0, 4.0)
    assert state.discs() == (16, 20)


def test_a_book_is_read_as_it_was_written(small_book, tmp_path):
    file = tmp_path / "a.npz"
    small_book.save(file)
    again = Book.load(file)
    assert (again.keys(), again.covers) == (small_book.keys(), {"black": 7})
    for state in states_of(small_book):
        assert again.find(state) == small_book.find(state)
    assert Book.load(file).find(Othello(6)) is None
    assert again.find(Othello(4)) is None
    Book().save(file)
    assert len(Book.load(file)) == 0


def changed(book, tmp_path, **arrays):
    """The file of a book in which some arrays are replaced. An array that is None is left out."""
    file = tmp_path / "a.npz"
    book.save(file)
    with np.load(file) as archive:
        all_arrays = {name: archive[name] for name in archive.files} | arrays
    np.savez_compressed(file, **{name: array for name, array in all_arrays.items() if array is not None})
    return file


CARD = {"format": FORMAT, "size": 6, "covers": {}}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"own": None}, "has no"),
        ({"card": None}, "has no"),
        ({"own": np.zeros(2, np.int64)}, "own of shape (2,) and dtype uint64"),
        ({"score": np.zeros(3, np.int8)}, "score of shape (2,)"),
        ({"own": np.zeros((2, 1), np.uint64)}, "at most 262144 positions"),
        ({"own": np.array([1, 2], np.uint64)}, "not on the board"),
        ({"action": np.array([14, 14], np.uint8)}, "actions are not all legal"),
        ({"action": np.array([36, 255], np.uint8)}, "actions are not all legal"),
        ({"score": np.array([3, 2], np.int8)}, "even numbers from -36 to 36"),
        ({"score": np.array([38, 2], np.int8)}, "even numbers from -36 to 36"),
        ({"score": np.array([-128, 2], np.int8)}, "even numbers from -36 to 36"),
        ({"card": np.array("{")}, "holds no perfect play"),
        ({"card": np.array(3.5)}, "card is not a short text"),
        ({"card": np.array(json.dumps(CARD | {"size": 8}))}, "card does not say"),
        ({"card": np.array(json.dumps(CARD | {"covers": {"red": 1}}))}, "in its card are missing or wrong"),
        ({"card": np.array(json.dumps(CARD | {"covers": {"black": True}}))}, "in its card are missing or wrong"),
    ],
)
def test_bad_files_are_refused(small_book, tmp_path, arrays, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        Book.load(changed(small_book, tmp_path, **arrays))
    assert "a.npz" in str(caught.value)


def test_damaged_files_are_refused(small_book, tmp_path):
    file = tmp_path / "a.npz"
    small_book.save(file)
    data = file.read_bytes()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("own.npy", b"no array")
    for bad in (b"", data[: len(data) // 2], b"x" * 100, out.getvalue()):
        file.write_bytes(bad)
        with pytest.raises(ValueError, match=re.escape("a.npz")):
            Book.load(file)
    with pytest.raises(FileNotFoundError):
        Book.load(tmp_path / "none.npz")
