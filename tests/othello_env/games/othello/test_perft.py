"""Counts of sequences of moves, compared with published numbers and with the slow twin."""

import pytest
from load_script import load_script

from othello_env import Othello


@pytest.fixture(scope="module")
def script():
    return load_script("measure/perft")


@pytest.mark.parametrize("depth", range(1, 10))
def test_published_counts(depth, script):
    assert script.count(Othello(), depth) == script.published()[depth], script.divide(Othello(), depth)


def test_4x4_is_counted_to_the_last_game(script):
    # 60,060 complete games. The depth exceeds the longest game, so every sequence of moves is a finished game.
    assert script.count(Othello(4), 30) == script.count(Othello(4), 40) == 60_060
