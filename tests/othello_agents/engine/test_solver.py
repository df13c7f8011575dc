"""Exact scores, compared with published scores, with a full search and with known results; and the solver's parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_agents.engine import Engine, exact_scores, moves, solver
from othello_agents.engine.memory import (
    LIMIT,
    NO_LIMIT,
    clear,
    new_memory,
)
from othello_agents.engine.moves import stable_discs
from othello_env import Othello
from othello_env.games.hashing import draw
from othello_env.games.othello import bitboard
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.bitboard import BOARDS, flips, legal_moves, popcount
from othello_env.support.jit import kernel

_0 = np.uint64(0)


@kernel
def solve(own, opponent, alpha, beta, board, memory):
    """Call the solver. Python cannot call the solver directly, because it does not count references to arrays."""
    return solver.solve(own, opponent, alpha, beta, board, memory)


@kernel
def full_search(own, opponent, board):
    """The score from a search of every line of play, without bounds, a transposition table or sorted moves."""
    legal = legal_moves(own, opponent, board)
    if legal == _0:
        if legal_moves(opponent, own, board) == _0:
            mine, other = np.int64(popcount(own)), np.int64(popcount(opponent))
            empty = np.int64(popcount(board)) - mine - other
            return mine - other + (empty if mine > other else -empty if mine < other else 0)
        return -full_search(opponent, own, board)
    best = np.int64(-100)
    while legal != _0:
        disc = legal & (_0 - legal)
        legal ^= disc
        turned = flips(disc, own, opponent)
        best = max(best, -full_search(opponent ^ turned, own | turned | disc, board))
    return best


def sets(state):
    return np.uint64(state.own), np.uint64(state.opponent), BOARDS[state.size]


@pytest.fixture(scope="module")
def memory():
    memory = new_memory(1)
    memory.control[LIMIT] = NO_LIMIT
    clear(memory)
    return memory


@settings(max_examples=500, deadline=None)
@given(
    key=st.integers(0, 10_000),
    empty=st.integers(1, 8),
    size=st.sampled_from((4, 6, 8)),
    alpha=st.integers(-66, 64),
    width=st.integers(1, 130),
)
def test_a_window_gives_the_score_or_a_bound_on_its_side(key, empty, size, alpha, width, memory, random_position):
    own, opponent, board = sets(random_position(key, empty, size))
    score = full_search(own, opponent, board)
    assert solve(own, opponent, -64, 64, board, memory) == score  # what was stored before does no harm
    clear(memory)
    beta = alpha + width
    found = solve(own, opponent, alpha, beta, board, memory)
    if found <= alpha:
        assert score <= found
    elif found >= beta:
        assert score >= found
    else:
        assert score == found


def test_ffo_scores_and_best_moves(ffo):
    engine = Engine(eval="weighted")
    for endgame in ffo[:24]:
        analysis = engine.solve(endgame.state)
        assert (analysis.score, analysis.unit, analysis.exact) == (endgame.score, "discs", True), endgame.number
        assert analysis.best in endgame.best, endgame.number
        end = endgame.state
        for action in analysis.pv:
            end = end.play(action)
        assert end.is_over
        assert end.margins()[endgame.state.to_move] == endgame.score, "the principal variation ends elsewhere"


def test_signature(ffo):
    """The number of nodes of the deterministic solver may change only if the solver is meant to behave differently."""
    engine = Engine(eval="mobility")
    assert [engine.solve(endgame.state).nodes for endgame in ffo[:4]] == [76_481, 30_750, 127_658, 71_597]


def test_every_move_of_ffo_endgames(ffo):
    endgames = [endgame for endgame in ffo[:20] if endgame.moves]
    assert len(endgames) >= 15
    scores = exact_scores([endgame.state for endgame in endgames])
    for endgame, row in zip(endgames, scores, strict=True):
        assert {a: row[a] for a in np.flatnonzero(~np.isnan(row))} == endgame.moves, endgame.number


@pytest.mark.parametrize("size", [4, 6, 8])
def test_exact_scores_are_those_of_the_legal_actions(size, random_position):
    states = [random_position(key, 1 + key % 7, size) for key in range(60)]
    assert any(state.must_pass for state in states) or size != 6
    scores = exact_scores(states)
    assert scores.shape == (60, size**2 + 1)
    for state, row in zip(states, scores, strict=True):
        assert tuple(np.flatnonzero(~np.isnan(row))) == state.legal_actions()
        for action in state.legal_actions():
            after = state.play(action)
            assert row[action] == -full_search(*sets(after))
    np.testing.assert_array_equal(exact_scores(OthelloPositions.from_states(states)), scores)


@settings(max_examples=100, deadline=None)
@given(key=st.integers(0, 10_000), empty=st.integers(4, 30), size=st.sampled_from([4, 6, 8]))
def test_stable_discs_stay(key, empty, size, random_position):
    state = random_position(key, min(empty, size**2 - 6), size)
    own, opponent, board = sets(state)
    stable = [int(stable_discs(own, opponent, board)), int(stable_discs(opponent, own, board))]
    owners = [state.to_move, 1 - state.to_move]
    for game in range(5):
        end = state
        while not end.is_over:
            legal = end.legal_actions()
            end = end.play(legal[draw(game, len(end.moves), len(legal))])
            for discs, owner in zip(stable, owners, strict=True):
                held = end.own if end.to_move == owner else end.opponent
                assert discs & ~held == 0, f"{state}\n{end}"


@pytest.mark.nojit
def test_stable_discs_are_found():
    corner = Othello.from_text("XXX-----X-------" + "-" * 11 + "OX------XO" + "-" * 27)
    assert int(stable_discs(*sets(corner))) == 0b1_0000_0111
    full = Othello.from_text("X" * 32 + "O" * 32)
    assert int(stable_discs(*sets(full))) == full.own
    assert int(stable_discs(np.uint64(full.opponent), np.uint64(full.own), BOARDS[8])) == full.opponent


BOARD = st.integers(min_value=0, max_value=2**64 - 1)


@kernel
def plain_flips(disc, own, opponent):
    return bitboard.flips(disc, own, opponent)


def assert_same(square, own, opponent):
    disc = 1 << square
    position = [np.uint64(x) for x in (disc, own & ~disc, opponent & ~own & ~disc)]
    assert moves.flips(*position) == plain_flips(*position), (square, hex(own), hex(opponent))


@settings(max_examples=500)
@given(st.integers(0, 63), BOARD, BOARD, BOARD)
def test_any_boards(square, own, opponent, more):
    assert_same(square, own, opponent)
    assert_same(square, own & more, opponent | more)


def test_runs_of_every_length_from_every_square():
    for square in range(64):
        for end in set(range(64)) - {square}:
            assert_same(square, 1 << end, 2**64 - 1)
            assert_same(square, 0, 2**64 - 1 ^ 1 << end)  # an empty square ends the row of discs
