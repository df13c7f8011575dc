"""Games and labels from compiled code, compared with the rules, the engine's own search and the solver."""

from itertools import pairwise

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

DEPTH, EXACT, LEAST, MOST = 3, 6, 4, 7
PLAN = Plan(DEPTH, EXACT, LEAST, MOST, share(0.2), share(0.3))
GAMES = 40


@pytest.fixture(scope="module")
def network():
    return shipped_network(6)


@pytest.fixture(scope="module")
def played(network):
    return labelled_games(network, PLAN, 1, 0, GAMES, Threads(1))


def states_of(games, number):
    """The positions of one game on 6x6, in their order. The player to move is Black in the game's first position."""
    rows = np.flatnonzero(games.episodes == number)
    pairs = [(int(games.opponent[row]), int(games.own[row])) for row in rows]
    return rows, [Othello.from_bits(own, other, to_move=k % 2, size=6) for k, (own, other) in enumerate(pairs)]


def outcome(score):
    return 0.5 * np.sign(score) + 0.5 * score / 36


def test_each_position_follows_from_the_one_before(played):
    for number in range(GAMES):
        _, states = states_of(played, number)
        discs = sum(states[0].discs())
        assert 4 + LEAST <= discs <= 4 + MOST
        for before, after in pairwise(states):
            following = [before.play(action) for action in before.legal_actions()]
            assert (after.own, after.opponent) in {(state.own, state.opponent) for state in following}
        assert any(states[-1].play(action).is_over for action in states[-1].legal_actions())


def test_labels_are_outcomes_and_near_the_end_exact_ones(played):
    early = late = 0
    for number in range(GAMES):
        rows, states = states_of(played, number)
        labels = played.values[rows]
        solved = [state.empties <= EXACT for state in states]
        for label, state in zip(labels[solved], np.array(states, object)[solved], strict=True):
            assert label == pytest.approx(outcome(-np.nanmax(exact_scores([state]))), abs=1e-6)
            late += 1
        if any(solved):  # the first exact outcome is the label of all positions before, with the sign of the player
            first = solved.index(True)
            signs = (-1.0) ** (np.arange(first) - first)
            np.testing.assert_array_equal(labels[:first], signs * labels[first])
            early += first
    assert early > 100
    assert late > 100


def test_the_searched_values_are_those_of_the_search(network, played):
    evaluator, memory = ntuple_evaluator(network.tables), new_memory(1)
    memory.control[LIMIT] = NO_LIMIT
    compared = missing = 0
    for number in range(GAMES):
        rows, states = states_of(played, number)
        for row, state in zip(rows, states, strict=True):
            if played.searched[row] == played.values[row]:
                missing += state.empties > EXACT
                continue
            clear(memory)
            value = Searcher(state, evaluator, memory).value(DEPTH)
            expected = outcome(value - np.sign(value) * FINAL) if abs(value) >= FINAL else np.tanh(value / LOGIT)
            assert played.searched[row] == pytest.approx(-expected, abs=1e-6)
            compared += 1
    assert 0.1 < missing / (compared + missing) < 0.35  # random moves have no search


@pytest.mark.parametrize("first", [0, 17])
def test_a_game_depends_only_on_its_number_and_the_seed(network, played, first):
    count = 20
    again = labelled_games(network, PLAN, 1, first, count, Threads(3))
    chosen = (played.episodes >= first) & (played.episodes < first + count)
    for column, part in zip(played, again, strict=True):
        np.testing.assert_array_equal(part, column[chosen])
    other = labelled_games(network, PLAN, 2, first, count, Threads(1))
    assert len(other.own) != len(again.own) or (other.own != again.own).any()
