"""The functions over many positions, compared with the same work done one position at a time."""

import numpy as np
import pytest

from othello_env import Othello
from othello_env.games.batch.state import ILLEGAL, OUT_OF_RANGE, OVER
from othello_env.games.othello import loops as batch
from othello_env.games.othello.bitboard import BOARDS

pytestmark = pytest.mark.nojit


def random_states(size, count, seed):
    """Positions from all stages of random games, including finished games and positions with a forced pass."""
    rng = np.random.default_rng(seed)
    states, state = [], Othello(size)
    while len(states) < count:
        states.append(state)
        legal = state.legal_actions()
        state = state.play(int(rng.choice(legal))) if legal else Othello(size)
    return states


def columns(states):
    own = np.array([state.own for state in states], np.uint64)
    opponent = np.array([state.opponent for state in states], np.uint64)
    legal = np.array([state.legal_bits for state in states], np.uint64)
    return own, opponent, legal, np.array([state.is_over for state in states])


@pytest.mark.parametrize("size", [4, 6, 8])
def test_check_knows_what_is_wrong(size):
    states = random_states(size, 150, seed=1)
    _, _, legal, over = columns(states)
    for i, state in enumerate(states):
        for action in (-1, *range(size * size + 1), size * size + 1, 2**63 - 1, -(2**63)):
            found = batch.check(np.array([action]), legal[i : i + 1], over[i : i + 1], size)
            in_range = 0 <= action <= size * size
            assert bool(found & OUT_OF_RANGE) == (not in_range)
            assert bool(found & OVER) == state.is_over
            if in_range:
                assert bool(found & ILLEGAL) == (not state.is_over and action not in state.legal_actions())


@pytest.mark.parametrize("size", [4, 6, 8])
def test_place_plays_each_move(size):
    # `place` works on blocks of positions. The positions here do not fit into one block.
    states = [state for state in random_states(size, 700, seed=2) if not state.is_over]
    rng = np.random.default_rng(0)
    actions = np.array([rng.choice(state.legal_actions()) for state in states])
    own, opponent, legal, over = columns(states)
    batch.place(actions, own, opponent, legal, over, BOARDS[size], size)
    following = columns([state.play(int(action)) for state, action in zip(states, actions, strict=True)])
    for found, expected in zip((own, opponent, legal, over), following, strict=True):
        np.testing.assert_array_equal(found, expected)
