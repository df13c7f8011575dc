"""The script that solves 6x6: it finds the positions that a file lacks, adds them, and keeps finished work."""

import random
import sys

import pytest
from load_script import SCRIPTS

from othello_agents.perfect import Book
from othello_agents.perfect.book import shipped_book
from othello_env import Othello

sys.path.append(str(SCRIPTS / "make"))  # the worker processes import the script, too
import solve_6x6

pytestmark = pytest.mark.slow


def test_the_packaged_file_lacks_nothing():
    book = shipped_book()
    assert solve_6x6.coverage(book) == book.covers
    assert set(book.covers) == {"black", "white"}
    assert max(book.covers.values()) <= 22  # from here on, a search usually takes less than a second
    for follower, name in enumerate(Othello.player_names):
        assert solve_6x6.Tree(book, book.covers[name]).tasks(Othello(6), follower, 0) == []


def test_a_file_is_continued(tmp_path):
    """A late position is left out of the packaged book, and the script finds it and adds it again."""
    whole, file = shipped_book(), tmp_path / "part.npz"
    states = [Othello.from_bits(*key, 0, 6) for key in whole.keys()]  # noqa: SIM118 - a book is no dict
    down_to = max(whole.covers.values())
    left_out = random.Random(4).choice([state for state in states if 36 - sum(state.discs()) == down_to + 1])
    book = Book(covers=whole.covers)
    for state in states:
        if state != left_out:
            book.add(state, *whole.find(state))
    book.save(file)
    solve_6x6.main(solve_6x6.Args(file, down_to, processes=1, megabytes=16))
    book = Book.load(file)
    assert book.covers == whole.covers
    assert book.find(left_out)[0] == whole.find(left_out)[0]
