"""Agents that play by the mean of a network's answers to the eight symmetric copies of a board."""

import numpy as np
import pytest

from othello_agents.network.policy import PolicyAgent
from othello_env import Othello
from othello_env.games.openings import random_opening
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.symmetries import transform_actions


class Network:
    """A policy with random weights: no symmetry of the board leaves it as it is."""

    size = 6

    def __init__(self):
        self.weights = np.random.default_rng(1).normal(size=(2 * 36, 37))
        self.asked = 0

    def policy(self, observations, masks):
        self.asked += len(masks)
        logits = np.where(masks != 0, observations.reshape(len(masks), -1) @ self.weights, -np.inf)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)


@pytest.fixture
def network():
    return Network()


def positions():
    drawn = (random_opening(Othello(6), plies, plies + 1) for plies in range(0, 28, 3))
    return [state for state in drawn if state is not None]


def turned_copies(array):
    """Planes (..., 6, 6) in eight ways: turned by 0 to 3 quarters, and mirrored or not."""
    turned = [np.rot90(array, turns, (-2, -1)) for turns in range(4)]
    return turned + [np.flip(plane, -1) for plane in turned]


def test_the_policy_is_the_mean_over_all_turned_and_mirrored_boards(network):
    for state in positions():
        batch = OthelloPositions.from_states([state])
        board, mask = batch.observations(), batch.masks()
        squares = np.arange(36).reshape(6, 6)
        total = np.zeros(37)
        for planes, order in zip(turned_copies(board), turned_copies(squares), strict=True):
            # Square i of the copy is square order[i] of the board.
            moved = np.append(mask[0, order.ravel()], mask[0, 36])
            answer = network.policy(np.ascontiguousarray(planes), moved[np.newaxis])[0]
            total[order.ravel()] += answer[:36]
            total[36] += answer[36]
        found = PolicyAgent(network, symmetric=True).action_probabilities(state)
        assert found == pytest.approx({action: total[action] / 8 for action in state.legal_actions()})
        assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize("symmetry", [3, 4, 7])  # these, and no others, leave the first position as it is
def test_symmetric_positions_get_symmetric_policies_to_the_bit(network, symmetry):
    agent, plain = PolicyAgent(network, symmetric=True), PolicyAgent(network)
    differs = 0
    rng = np.random.default_rng(1)
    state = moved = Othello(6)
    while not state.is_over:
        here, there = agent.action_probabilities(state), agent.action_probabilities(moved)
        assert {int(transform_actions(action, symmetry, 6)): p for action, p in here.items()} == there
        differs += plain.action_probabilities(state) != plain.action_probabilities(moved)
        action = int(rng.choice(state.legal_actions()))
        state, moved = state.play(action), moved.play(int(transform_actions(action, symmetry, 6)))
    assert differs
