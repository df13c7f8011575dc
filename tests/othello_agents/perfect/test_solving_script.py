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


def solve(file, down_to):
    solve_6x6.main(solve_6x6.Args(file, down_to, processes=1, megabytes=16))


def empty(state):
    return 36 - sum(state.discs())


@pytest.fixture
def without(tmp_path):
    """A function that leaves some late positions out of the packaged book.

    It returns the new file, these positions, and the number of empty squares above which the whole book is complete.
    """

    def make(count):
        whole = shipped_book()
        states = [Othello.from_bits(*key, 0, 6) for key in whole.keys()]  # noqa: SIM118 - a book is no dict
        down_to = max(whole.covers.values())
        late = [state for state in states if empty(state) == down_to + 1]
        left_out = random.Random(4).sample(late, count)
        book = Book(covers=whole.covers)
        for state in states:
            if state not in left_out:
                book.add(state, *whole.find(state))
        file = tmp_path / "part.npz"
        book.save(file)
        return file, left_out, down_to

    return make


def test_the_packaged_file_lacks_nothing():
    book = shipped_book()
    assert solve_6x6.coverage(book) == book.covers
    assert set(book.covers) == {"black", "white"}
    assert max(book.covers.values()) <= 22  # from here on, a search usually takes less than a second
    for follower, name in enumerate(Othello.player_names):
        assert solve_6x6.Tree(book, book.covers[name]).tasks(Othello(6), follower, 0) == []


def test_a_file_is_continued(without):
    file, left_out, down_to = without(1)
    solve(file, down_to)
    book, whole = Book.load(file), shipped_book()
    assert book.covers == whole.covers
    for state in left_out:
        assert book.find(state)[0] == whole.find(state)[0]
