"""Gumbel AlphaZero's search, compared with a twin in Python, with exact results and with its paper's claims."""

import math

import numpy as np
import pytest
from endgames import forced_pass
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_agents.mcts.gumbel import _plan, search
from othello_env import Othello
from othello_env.games.openings import random_opening
from othello_env.games.othello.batch import OthelloPositions

WEIGHTS = np.random.default_rng(5).normal(size=(65, 128))


def network(observations, masks):
    """A made-up policy and value. Each row depends only on its own position."""
    n, size = len(observations), observations.shape[-1]
    planes = observations.reshape(n, -1)
    logits = np.stack([(planes * row[: planes.shape[1]]).sum(axis=1) for row in WEIGHTS[: size * size + 1]], axis=1)
    policy = np.exp(logits / 4) * masks
    return policy / policy.sum(axis=1, keepdims=True), np.tanh(logits[:, 0] / 4)


def blank(observations, masks):
    """All moves are equally likely, and every position has the value 0."""
    return masks / masks.sum(axis=1, keepdims=True), np.zeros(len(masks))


class Twin:
    """A node of a slow second search, which uses States and dictionaries.

    `value` is for the player to move in the node.
    """

    def __init__(self, state):
        self.state = state.play(state.pass_action) if state.must_pass else state
        self.children = {}
        self.results = []  # (value, player)

    def mean(self, player):
        return np.mean([value if who == player else -value for value, who in self.results])

    def ask(self):
        if self.state.is_over:
            self.value = self.state.returns()[self.state.to_move]
        else:
            mover = self.state.to_move
            policy, values = network(self.state.observation(mover)[np.newaxis], self.state.action_mask()[np.newaxis])
            self.policy = {action: policy[0, action] for action in self.state.legal_actions()}
            self.value = values[0]
        return self.value, self.state.to_move

    def visits(self, action):
        return len(self.children[action].results) if action in self.children else 0

    def scores(self, scale):
        mover, visited = self.state.to_move, list(self.children)
        values = {action: self.children[action].mean(mover) for action in visited}
        mixed = self.value
        if visited:
            seen = sum(self.visits(action) for action in visited)
            weighted = sum(self.policy[a] * values[a] for a in visited) / sum(self.policy[a] for a in visited)
            mixed = (self.value + seen * weighted) / (1 + seen)
        most = max([self.visits(action) for action in visited], default=0)
        return {a: math.log(p) + (50 + most) * scale * values.get(a, mixed) for a, p in self.policy.items()}

    def improved(self, scale):
        scores = self.scores(scale)
        powers = {action: math.exp(score - max(scores.values())) for action, score in scores.items()}
        return {action: power / sum(powers.values()) for action, power in powers.items()}

    def best(self, wanted, noise, scale):
        scores = self.scores(scale)
        return max((a for a in scores if self.visits(a) == wanted), key=lambda a: scores[a] + noise[a])


def twin(state, simulations, considered, scale, noise):
    root = Twin(state)
    root.results.append(root.ask())
    for wanted in _plan(min(considered, len(root.policy)), simulations):
        line, action = [root], root.best(wanted, noise, scale)
        while action in line[-1].children:
            node = line[-1].children[action]
            line.append(node)
            if node.state.is_over:
                break
            policy = node.improved(scale)
            action = max(policy, key=lambda a: policy[a] - node.visits(a) / len(node.results))
        else:
            line[-1].children[action] = Twin(line[-1].state.play(action))
            line.append(line[-1].children[action])
        answer = line[-1].ask()
        for node in line:
            node.results.append(answer)
    most = max(root.visits(action) for action in root.policy)
    return root, root.best(most, noise, scale)


@settings(max_examples=10, deadline=None)
@given(
    size=st.sampled_from((4, 6, 8)),
    plies=st.integers(0, 54),
    seed=st.integers(0, 2**32 - 1),
    simulations=st.integers(1, 60),
    considered=st.integers(1, 20),
    scale=st.sampled_from((0.05, 0.5)),
)
def test_the_kernels_do_what_the_twin_does(size, plies, seed, simulations, considered, scale):
    state = random_opening(Othello(size), plies * (size * size - 4) // 60, seed) or Othello(size)
    if state.must_pass:
        state = state.play(state.pass_action)
    noise = np.random.default_rng(seed).gumbel(size=(1, size * size + 1))
    root, action = twin(state, simulations, considered, scale, noise[0])
    batch = OthelloPositions.from_states([state])
    found = search(network, batch, simulations, considered=considered, scale=scale, gumbel=noise)
    assert found.actions[0] == action
    assert found.values[0] == pytest.approx(root.children[action].mean(state.to_move))
    improved = root.improved(scale)
    for each in range(size * size + 1):
        assert found.visits[0, each] == (root.visits(each) if each in improved else 0)
        assert found.policy[0, each] == pytest.approx(improved.get(each, 0))
    assert found.visits.sum() == simulations


def test_sequential_halving_compares_what_it_tried_equally_often():
    # The expected plans come from mctx, the library of the paper's authors.
    assert _plan(1, 4) == (0, 1, 2, 3)
    assert _plan(2, 5) == (0, 0, 1, 1, 2)
    assert _plan(4, 16) == (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5)
    assert _plan(16, 16) == (0,) * 16
    assert _plan(5, 16) == (*(0,) * 5, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6)


def test_a_batch_answers_as_its_positions_do():
    states = [random_opening(Othello(6), plies, plies) for plies in range(0, 28, 3)]
    batch = OthelloPositions.from_states([state for state in states if state])
    noise = np.random.default_rng(1).gumbel(size=(len(batch), 37))
    together = search(network, batch, 40, gumbel=noise)
    for i in range(len(batch)):
        alone = search(network, batch.part(slice(i, i + 1)), 40, gumbel=noise[i : i + 1])
        for ours, theirs in zip(alone, together, strict=True):
            np.testing.assert_array_equal(ours[0], theirs[i])


@pytest.mark.nojit
def test_a_forced_pass_is_played_and_valued():
    state = forced_pass()
    found = search(network, OthelloPositions.from_states([state, state.play(state.pass_action)]), 30)
    assert found.actions[0] == state.pass_action
    assert found.visits[0].tolist() == [0] * 16 + [30]
    np.testing.assert_allclose(found.policy[0], [0] * 16 + [1])
    assert found.values[0] == -found.values[1] != 0


@pytest.mark.nojit
def test_answers_that_are_not_numbers_still_give_legal_moves():
    state = Othello.from_moves("f5d6")
    found = search(lambda o, m: (m * np.nan, np.full(len(m), np.nan)), OthelloPositions.from_states([state]), 20)
    assert found.actions[0] in state.legal_actions()
