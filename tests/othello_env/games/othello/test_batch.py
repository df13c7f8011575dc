"""The passes over many positions against the same things done one at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_env import Othello
from othello_env.games.hashing import SIDE, mix_int
from othello_env.games.openings import Openings
from othello_env.games.othello.batch import passes as batch
from othello_env.games.othello.batch.arrays import SIDE_DRAWN, Ends, StartTable, new_games
from othello_env.games.othello.batch.play import NO_OPENING, begin_all, step
from othello_env.games.othello.bitboard import BOARDS, STARTS

pytestmark = pytest.mark.nojit


def random_states(size, count, seed):
    """Positions from all stages of random games, also finished ones and such with a pass."""
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
            assert bool(found & batch.OUT_OF_RANGE) == (not in_range)
            assert bool(found & batch.OVER) == state.is_over
            if in_range:
                assert bool(found & batch.ILLEGAL) == (not state.is_over and action not in state.legal_actions())


@pytest.mark.parametrize("size", [4, 6, 8])
def test_place_plays_each_move(size):
    states = [state for state in random_states(size, 700, seed=2) if not state.is_over]  # more than a block
    rng = np.random.default_rng(0)
    actions = np.array([rng.choice(state.legal_actions()) for state in states])
    own, opponent, legal, over = columns(states)
    batch.place(actions, own, opponent, legal, over, BOARDS[size], size)
    following = columns([state.play(int(action)) for state, action in zip(states, actions, strict=True)])
    for found, expected in zip((own, opponent, legal, over), following, strict=True):
        np.testing.assert_array_equal(found, expected)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.booleans(), max_size=1100))
def test_true_places(flags):
    assert batch.true_places(np.array(flags, np.bool_)).tolist() == [i for i, flag in enumerate(flags) if flag]


@pytest.mark.parametrize("size", [4, 6, 8])
def test_encodings_are_those_of_the_states(size):
    states = random_states(size, 600, seed=3)
    n, squares = len(states), size * size
    planes = np.full((n, 2, size, size), 7, np.int8)
    masks = np.full((n, squares + 1), 7, np.int8)
    if size == 8:
        words = np.ndarray((n, 8), np.uint64, masks, strides=(65, 8))
        batch.encode_8x8(*columns(states), planes.reshape(-1).view(np.uint64), masks, words, batch.EXPAND)
    else:
        batch.encode_small(*columns(states), planes.reshape(n, 2, squares), masks, size)
    np.testing.assert_array_equal(planes, [state.observation(state.to_move) for state in states])
    np.testing.assert_array_equal(masks, [state.action_mask() for state in states])


def table(size, random_plies, side=SIDE_DRAWN, attempts=1000):
    black, white = STARTS
    return StartTable(
        own=np.array([black], np.uint64),
        opponent=np.array([white], np.uint64),
        to_move=np.zeros(1, np.int8),
        plies=np.zeros(1, np.int16),
        moves=np.zeros((1, 2 * size * size), np.int8),
        random_plies=random_plies,
        attempts=attempts,
        redraws=1,
        side=side,
        pool=np.array([2**32], np.uint64),
        first=0,
    )


@pytest.mark.parametrize(("size", "plies"), [(8, 0), (8, 12), (8, 45), (6, 10), (4, 9)])
def test_games_begin_as_the_openings_say(size, plies):
    n = 40
    games = new_games(n, size)
    games.env_key[:] = np.arange(n) * 977
    games.number[:] = np.arange(n) % 3
    assert begin_all(np.arange(n), 0, games, table(size, plies), BOARDS[size], size) == 0
    for i in range(n):
        key = mix_int(i * 977, i % 3)
        state = Openings.random(Othello(size), plies, key)
        assert (games.own[i], games.opponent[i], games.to_move[i]) == (state.own, state.opponent, state.to_move)
        assert (games.legal[i], games.over[i]) == (state.legal_bits, False)
        assert tuple(games.moves[i, : games.plies[i]]) == state.moves
        assert games.learner[i] == mix_int(key, SIDE) % 2


def test_openings_that_cannot_be_are_told():
    games = new_games(2, 4)
    assert begin_all(np.arange(2), 0, games, table(4, 30, attempts=3), BOARDS[4], 4) == NO_OPENING


def test_ends_are_read_as_they_were_written():
    """Until every game has ended once, what a step tells of an end is what replaying its moves gives."""
    n, size = 60, 6
    games, starts = new_games(n, size), table(size, 0, side=-1)
    games.env_key[:] = np.arange(n)
    begin_all(np.arange(n), 0, games, starts, BOARDS[size], size)
    reward, terminated, reward_to = np.empty(n), np.empty(n, np.bool_), np.empty(n, np.int8)
    rng = np.random.default_rng(0)
    ended = set()
    while len(ended) < n:
        actions = np.zeros(n, np.int64)
        for i in range(n):
            legal = Othello.from_bits(int(games.own[i]), int(games.opponent[i]), 0, size).legal_actions()
            actions[i] = rng.choice(legal)
        rows, failed = step(
            actions, 0, tuple(games), reward, terminated, reward_to, tuple(starts), True, True, BOARDS[size], size
        )
        assert failed == 0
        ends = Ends.read(rows)
        assert ends.game.tolist() == np.flatnonzero(terminated).tolist()
        for k, i in enumerate(ends.game.tolist()):
            state = Othello.from_moves(ends.moves[k, : ends.plies[k]].tolist(), size)
            assert state.is_over
            assert (ends.own[k], ends.opponent[k], ends.viewer[k]) == (state.own, state.opponent, state.to_move)
            assert ends.illegal[k] == -1
            assert reward[i] == state.margins()[reward_to[i]]
            ended.add(i)
