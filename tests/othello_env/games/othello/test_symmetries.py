"""The eight symmetries of the board."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env import Othello
from othello_env.games.othello import symmetries

pytestmark = pytest.mark.nojit

EIGHT = range(symmetries.COUNT)


def transformed(state, symmetry):
    """The position after a symmetry of the board, made from the transformed planes."""
    black, white = symmetries.transform_observation(state.observation(0), symmetry)
    text = "".join("X" if b else "O" if w else "-" for b, w in zip(black.ravel(), white.ravel(), strict=True))
    return Othello.from_text(text, state.to_move)


@given(data=st.data())
def test_the_rules_commute_with_every_symmetry(data, positions):
    state = data.draw(positions())
    size = state.size
    for symmetry in EIGHT:
        image = transformed(state, symmetry)
        moved = symmetries.transform_actions(state.legal_actions(), symmetry, size)
        assert image.legal_actions() == tuple(sorted(moved.tolist()))
        assert (symmetries.transform_policy(state.action_mask(), symmetry) == image.action_mask()).all()
        assert image.returns() == state.returns()
        for action, there in zip(state.legal_actions(), moved.tolist(), strict=True):
            assert transformed(state.play(action), symmetry) == image.play(there)


def test_named_corners_and_edges():
    # The squares to which each symmetry moves a1 and b1 on 8x8. The docstring of `symmetries` defines the symmetries.
    a1_b1 = {0: "a1 b1", 1: "h1 g1", 2: "a8 b8", 3: "h8 g8", 4: "a1 a2", 5: "h1 h2", 6: "a8 a7", 7: "h8 h7"}
    board = Othello()
    for symmetry, expected in a1_b1.items():
        there = symmetries.transform_actions([0, 1], symmetry)
        assert " ".join(map(board.action_to_text, there.tolist())) == expected


@pytest.mark.parametrize("symmetry", EIGHT)
def test_observations_policies_and_actions_move_alike(symmetry):
    rng = np.random.default_rng(3)
    squares = rng.random((3, 2, 8, 8))
    policy = np.concatenate([squares[:, 0].reshape(3, 64), rng.random((3, 1))], axis=1)
    moved = symmetries.transform_policy(policy, symmetry)
    assert (moved[:, :64].reshape(3, 8, 8) == symmetries.transform_observation(squares, symmetry)[:, 0]).all()
    assert (moved[:, 64] == policy[:, 64]).all()
    actions = np.arange(65).reshape(5, 13)
    there = symmetries.transform_actions(actions, symmetry)
    assert there.shape == (5, 13)
    assert there.dtype == np.int64
    assert (moved[:, there] == policy[:, actions]).all()
    back = symmetries.inverse(symmetry)
    assert (symmetries.transform_policy(moved, back) == policy).all()
    twice = symmetries.transform_observation(symmetries.transform_observation(squares, symmetry), back)
    assert (twice == squares).all()
