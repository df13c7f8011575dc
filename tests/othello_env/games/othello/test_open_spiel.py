"""Agreement with OpenSpiel's Othello, an independent implementation, in every position of random games.

Actions, the pass (64), the order of players, the end and the results agree. The conventions differ in two ways.
OpenSpiel's observation begins with one more plane, for the empty squares. And OpenSpiel has no reward by disc margin.
"""

import random

import numpy as np
import pyspiel
import pytest

from othello_env import Othello


@pytest.fixture(scope="module")
def game():
    return pyspiel.load_game("othello")


def board(theirs):
    """The board in the package's text form, made from OpenSpiel's text (x black, o white, rank 1 on top)."""
    rows = [line.split()[1:9] for line in str(theirs).splitlines() if line[:1].isdigit()]
    return "".join(cell.upper() for row in rows for cell in row)


def same_position(ours, theirs):
    assert ours.is_over == theirs.is_terminal()
    assert ours.to_text() == board(theirs)
    assert list(ours.returns()) == theirs.returns()
    if not ours.is_over:
        assert ours.to_move == theirs.current_player()
        assert list(ours.legal_actions()) == theirs.legal_actions()
        assert ours.action_mask().tolist() == theirs.legal_actions_mask()
        planes = np.array(theirs.observation_tensor(ours.to_move)).reshape(3, 8, 8)
        assert (ours.observation(ours.to_move) == planes[1:]).all()


def test_three_hundred_random_games(game):
    rng = random.Random(2024)
    passes = early_ends = 0
    for _ in range(300):
        ours, theirs = Othello(), game.new_initial_state()
        same_position(ours, theirs)
        while not theirs.is_terminal():
            action = rng.choice(theirs.legal_actions())
            passes += action == ours.pass_action
            ours = ours.play(action)
            theirs.apply_action(action)
            same_position(ours, theirs)
        early_ends += sum(ours.discs()) < 64
    # The games included rare events: passes, and ends with empty squares.
    assert passes > 50
    assert early_ends > 0
