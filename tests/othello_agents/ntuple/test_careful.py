import numpy as np
import pytest

from othello_agents.ntuple import NTupleAgent, shipped_network
from othello_agents.ntuple.careful import _MOST_TURNED, careful_moves
from othello_env import Othello, make_agent
from othello_env.games.othello.bitboard import ACTION_SQUARES, BOARDS
from othello_env.games.othello.positions import OthelloPositions


def loses_all(state):
    """Whether the player to move has a move that leaves the opponent without discs."""
    return any(not all(state.play(action).discs()) for action in state.legal_actions())


def safe_actions(state):
    """The slow twin of `careful_moves`."""
    actions = state.legal_actions()
    safe = [action for action in actions if (after := state.play(action)).is_over or not loses_all(after)]
    return safe or list(actions)


@pytest.fixture(scope="module")
def boards():
    """Random boards of 6x6, on which the player to move has one to four discs and at least one move."""
    rng = np.random.default_rng(1)
    squares = [1 << square for square in ACTION_SQUARES[6]]
    states = []
    while len(states) < 1500:
        mine = rng.choice(36, rng.integers(1, 5), replace=False).tolist()
        other = [square for square in range(36) if square not in mine and rng.random() < 0.4]
        state = Othello.from_bits(*(sum(squares[k] for k in side) for side in (mine, other)), size=6)
        if state.legal_bits:
            states.append(state)
    return OthelloPositions.from_states(states)


def test_careful_moves_are_those_of_the_slow_twin(boards):
    dangerous = 0
    for k in range(len(boards)):
        state = boards.state(k)
        found = careful_moves(np.uint64(state.own), np.uint64(state.opponent), np.uint64(state.legal_bits), BOARDS[6])
        safe = safe_actions(state)
        assert int(found) == sum(state_bit(state, action) for action in safe), str(state)
        dangerous += len(safe) < len(state.legal_actions())
    assert dangerous > 20


def state_bit(state, action):
    after = state.play(action)
    return (after.own | after.opponent) & ~(state.own | state.opponent)


def test_a_careful_agent_plays_the_best_careful_move(boards):
    careful, plain = NTupleAgent(careful=True), NTupleAgent()
    chosen, usual = careful.act_batch(boards), plain.act_batch(boards)
    differences = 0
    for k in range(len(boards)):
        state = boards.state(k)
        safe = safe_actions(state)
        assert chosen[k] in safe
        assert chosen[k] == usual[k] or usual[k] not in safe
        differences += chosen[k] != usual[k]
    assert differences > 20


def test_with_many_discs_every_move_is_careful():
    """No move turns more than 19 discs. In each direction, at most the discs before the square at the edge can turn."""
    longest = 0
    for row in range(8):
        for column in range(8):
            turned = 0
            for y in (-1, 0, 1):
                for x in (-1, 0, 1):
                    reach = [k for k in range(1, 8) if 0 <= row + k * y < 8 and 0 <= column + k * x < 8]
                    turned += max(0, len(reach) - 1) if (x or y) else 0
            longest = max(longest, turned)
    assert longest == _MOST_TURNED


def test_the_spec_makes_a_careful_agent():
    agent = make_agent("ntuple:careful=true")
    assert repr(agent) == "ntuple:careful=true"
    assert repr(make_agent("ntuple:careful=false")) == "ntuple"
    start = Othello(8)
    assert agent.act(start) == make_agent("ntuple").act(start)


def test_the_packaged_agent_is_not_careful(boards):
    np.testing.assert_array_equal(
        make_agent("ntuple").act_batch(boards), NTupleAgent(shipped_network(6)).act_batch(boards)
    )
