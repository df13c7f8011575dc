"""Counts of sequences of moves, compared with published numbers and with the slow twin."""

from functools import cache

import pytest
from load_script import load_script

from othello_env import Othello


@pytest.fixture(scope="module")
def script():
    return load_script("measure/perft")


@pytest.mark.parametrize("depth", range(1, 10))
def test_published_counts(depth, script):
    assert script.count(Othello(), depth) == script.published()[depth], script.divide(Othello(), depth)


def slow_perft(twin):
    """Count sequences of moves with the twin. The count of each position and depth is cached to save time."""

    @cache
    def count(text, to_move, depth):
        size = round(len(text) ** 0.5)
        cells = [{"X": 0, "O": 1, "-": None}[cell] for cell in text]
        board = twin([cells[row * size : (row + 1) * size] for row in range(size)], to_move)
        actions = board.legal_actions()
        if depth == 0 or not actions:
            return 1
        return sum(count(after.to_text(), after.to_move, depth - 1) for after in map(board.play, actions))

    return count


@pytest.mark.parametrize(("size", "depths"), [(4, range(8)), (6, range(6)), (8, range(5))])
def test_every_size_counts_as_the_twin(size, depths, script, twin):
    slow = slow_perft(twin)
    for depth in depths:
        expected = slow(twin.start(size).to_text(), 0, depth)
        assert script.count(Othello(size), depth) == expected, script.divide(Othello(size), depth)


def test_4x4_is_counted_to_the_last_game(script):
    # 60,060 complete games. The depth exceeds the longest game, so every sequence of moves is a finished game.
    assert script.count(Othello(4), 30) == script.count(Othello(4), 40) == 60_060
