"""Labels from compiled code, compared with the engine's own search and solver, called from Python."""

import numpy as np
import pytest

from othello_agents.engine.agent import exact_scores
from othello_agents.engine.evaluator import LOGIT, ntuple_evaluator
from othello_agents.engine.labelling import Plan, labelled_games, share
from othello_agents.engine.memory import LIMIT, NO_LIMIT, clear, new_memory
from othello_agents.engine.midgame import FINAL
from othello_agents.engine.searcher import Searcher
from othello_agents.ntuple import shipped_network
from othello_env import Othello
from othello_env.support.threads import Threads

ALL, NONE = share(1.0), share(0.0)
DEPTH, EXACT = 2, 6


def plan(**changes):
    usual = Plan(DEPTH, EXACT, 12, share(0.2), share(0.3), share(0.2), share(0.2), share(0.5))
    return usual._replace(**changes)


@pytest.fixture(scope="module")
def network():
    return shipped_network(6)


@pytest.fixture(scope="module")
def labelled(network):
    return labelled_games(network, plan(), 1, 0, 40, Threads(1))


def state_of(own, opponent):
    """The position on 6x6 after a move of Black, who has the discs `own`."""
    return Othello.from_bits(int(opponent), int(own), to_move=1, size=6)


def outcome(score):
    return 0.5 * np.sign(score) + 0.5 * score / 36


def slow_label(state, evaluator, memory):
    """The label for Black, who has just moved.

    With few empty squares, it comes from `exact_scores`, otherwise from `Searcher`.
    """
    if state.is_over:
        return outcome(state.margins()[0])
    if 36 - sum(state.discs()) <= EXACT:
        return outcome(-np.nanmax(exact_scores([state])))
    depth, sign = DEPTH, -1
    if state.must_pass:  # `Searcher` cannot begin with a pass; the pass counts as one ply of the depth
        state, depth, sign = state.play(state.pass_action), depth - 1, 1
    clear(memory)
    value = sign * Searcher(state, evaluator, memory).value(depth)
    if abs(value) >= FINAL:
        return outcome(value - np.sign(value) * FINAL)
    return np.tanh(value / LOGIT)


def test_labels_are_those_of_the_solver_and_the_search(network, labelled):
    rows, _ = labelled
    evaluator, memory = ntuple_evaluator(network.tables), new_memory(1)
    memory.control[LIMIT] = NO_LIMIT
    states = [state_of(own, opponent) for own, opponent in zip(rows.own, rows.opponent, strict=True)]
    empty = np.array([36 - sum(state.discs()) for state in states])
    assert (empty <= EXACT).sum() > 50
    assert (empty > EXACT).sum() > 50
    expected = [slow_label(state, evaluator, memory) for state in states]
    np.testing.assert_allclose(rows.values, expected, atol=1e-6)


@pytest.mark.parametrize("first", [0, 17])
def test_a_game_depends_only_on_its_number_and_the_seed(network, labelled, first):
    (rows, games), count = labelled, 20
    again, numbers = labelled_games(network, plan(), 1, first, count, Threads(3))
    chosen = (games >= first) & (games < first + count)
    np.testing.assert_array_equal(numbers, games[chosen])
    for column, part in zip(rows, again, strict=True):
        np.testing.assert_array_equal(part, column[chosen])
    other, _ = labelled_games(network, plan(), 2, first, count, Threads(1))
    assert len(other.own) != len(again.own) or (other.own != again.own).any()
