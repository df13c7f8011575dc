"""The script that solves 6x6: it finds the positions that a file lacks, adds them, and keeps finished work."""

import gc
import multiprocessing
import random
import sys

import pytest
from load_script import SCRIPTS

from othello_agents.perfect import Book
from othello_agents.perfect.book import shipped_book
from othello_env import Othello

sys.path.append(str(SCRIPTS / "make"))  # the worker processes import the script, too
import solve_6x6


def solve(file, down_to=22, processes=2):
    solve_6x6.main(solve_6x6.Args(file, down_to, processes, megabytes=16))


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


def test_what_a_file_lacks_is_found(without):
    file, left_out, down_to = without(3)
    book = Book.load(file)
    found = {
        book.key(task.state)
        for follower in (0, 1)
        for task in solve_6x6.Tree(book, down_to).tasks(Othello(6), follower, 0)
    }
    assert {book.key(state) for state in left_out} == found
    assert max(solve_6x6.coverage(book).values()) == down_to + 1


def test_positions_that_follow_from_others_need_no_search():
    """The scores of the start and of White's first position follow from the three scores after White's replies."""
    whole, book, start = shipped_book(), Book(), Othello(6)
    first = start.play(start.legal_actions()[0])
    for action in first.legal_actions():
        book.add(first.play(action), *whole.find(first.play(action)))
    tree = solve_6x6.Tree(book, 30)
    tree.tasks(start, 1, 0)
    tree.seen.clear()
    tree.tasks(start, 0, 0)
    assert [book.find(state)[0] for state in (start, first)] == [-4, 4]


def test_a_file_is_continued(without):
    file, left_out, down_to = without(2)
    solve(file, down_to, processes=2)
    book, whole = Book.load(file), shipped_book()
    assert book.covers == whole.covers
    for state in left_out:
        assert book.find(state)[0] == whole.find(state)[0]


def test_an_interrupt_keeps_what_was_solved(without, monkeypatch):
    file, left_out, down_to = without(3)
    take, taken = solve_6x6.Run.take, []

    def interrupted(run, *arguments):
        take(run, *arguments)
        taken.append(arguments[0].state)
        raise KeyboardInterrupt

    monkeypatch.setattr(solve_6x6.Run, "take", interrupted)
    with pytest.raises(SystemExit) as stop:
        solve(file, down_to, processes=1)
    assert stop.value.code == 130
    book = Book.load(file)
    assert book.find(taken[0]) is not None
    assert sum(book.find(state) is None for state in left_out) == 2


def test_the_script_ends_if_a_process_ends(without, monkeypatch):
    begin = solve_6x6.Run.begin

    def begin_without_process(*arguments, **options):
        for process in multiprocessing.active_children():
            process.kill()
            process.join()
        begin(*arguments, **options)

    file, _, down_to = without(1)
    monkeypatch.setattr(solve_6x6.Run, "begin", begin_without_process)
    with pytest.raises(SystemExit, match="a process ended early, perhaps for lack of memory"):
        solve(file, down_to, processes=1)
    gc.collect()  # pytest fails the test if an object cannot be freed


def test_a_file_that_is_no_book_is_left_alone(tmp_path):
    file = tmp_path / "a.npz"
    file.write_bytes(b"something else")
    with pytest.raises(SystemExit, match="holds no perfect play"):
        solve(file)
    assert file.read_bytes() == b"something else"
