"""Tree search by random games, compared with exact values, a twin in Python, and other agents."""

import math

import numpy as np
import pytest
from endgames import endgames, forced_pass
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_agents.mcts import agent as mcts_agent
from othello_agents.mcts.agent import Mcts
from othello_env import Othello
from othello_env.games.hashing import mix_int
from othello_env.games.openings import random_opening
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.bitboard import ACTION_SQUARES, BOARDS


def twin(state, key, simulations, exploration):
    """UCT on States. Return {action: (visits, mean result)} of the root, and the mean result of all simulations.

    Results are for the player to move at the root. Random numbers are drawn as the kernel draws them. Everything else
    is written independently.
    """
    squares = ACTION_SQUARES[state.size]

    def after_pass(position):
        return position.play(position.pass_action) if position.must_pass else position

    def ordered(position):
        return sorted(position.legal_actions(), key=lambda action: squares[action])

    def pick(actions, bits):
        return actions[(bits >> 32) * len(actions) >> 32]

    class Node:
        def __init__(self, position):
            self.state = after_pass(position)
            self.untried = ordered(self.state)
            self.children = {}
            self.results = []

    player = state.to_move
    root = Node(state)
    for number in range(simulations):
        game = mix_int(key, number)
        line = [root]
        while not line[-1].untried and line[-1].children:
            node = line[-1]
            sign = 1 if node.state.to_move == player else -1
            line.append(
                max(
                    reversed(node.children.values()),  # so that `max` takes the newest of equally good children
                    key=lambda child: (
                        sign * sum(child.results) / len(child.results)
                        + exploration * math.sqrt(math.log(len(node.results)) / len(child.results))
                    ),
                )
            )
        node = line[-1]
        if node.untried:
            action = pick(node.untried, mix_int(game, 64))
            node.untried.remove(action)
            node.children[action] = Node(node.state.play(action))
            line.append(node.children[action])
        position, ply = line[-1].state, 0
        while not position.is_over:
            position = after_pass(position)
            position = position.play(pick(ordered(position), mix_int(game, ply)))
            ply += 1
        for node in line:
            node.results.append(position.returns()[player])
    return {a: (len(c.results), np.mean(c.results)) for a, c in root.children.items()}, np.mean(root.results)


@settings(max_examples=12, deadline=None)
@given(size=st.sampled_from((4, 6, 8)), plies=st.integers(0, 40), seed=st.integers(0, 2**64 - 1))
def test_the_kernel_does_what_the_twin_does(size, plies, seed):
    state = random_opening(Othello(size), plies * (size * size - 4) // 60, seed) or Othello(size)
    if state.must_pass:
        state = state.play(state.pass_action)
    children, value = twin(state, seed, 60, 0.7)
    batch = OthelloPositions.from_states([state])
    visits, totals = mcts_agent.search_batch(
        batch.own, batch.opponent, np.array([seed], np.uint64), BOARDS[size], 60, 0.7
    )
    values = totals / np.maximum(visits, 1)
    assert visits[0, mcts_agent.ROOT] == 60
    assert values[0, mcts_agent.ROOT] == pytest.approx(value)
    for action, square in enumerate(ACTION_SQUARES[size]):
        assert visits[0, square] == children.get(action, (0, 0))[0]
        assert values[0, square] == pytest.approx(children.get(action, (0, 0))[1])
    assert visits[0, :64].sum() == 60


def test_it_plays_endgames_as_well_as_they_can_be_played():
    agent = Mcts(simulations=20_000, seed=1)
    for state, values in endgames(8, 8):
        found = agent.search(state)
        assert values[found.action] == max(values.values()), f"{found}\n{state}"


@pytest.mark.nojit
def test_a_forced_pass_is_played_and_valued():
    passing = forced_pass()
    agent = Mcts(simulations=200, seed=1)
    found = agent.search(passing)
    assert found.action == passing.pass_action
    assert found.visits == {passing.pass_action: 200}
    assert found.values == {passing.pass_action: found.value}
    agent.new_game(5)
    after = Mcts(simulations=200)
    after.new_game(5)
    # After the pass, the other side is to move. With the same key, the tree is the same, so only the sign changes.
    assert agent.search(passing).value == -after.search(passing.play(passing.pass_action)).value
    assert agent.act_batch(OthelloPositions.from_states([passing]))[0] == passing.pass_action


@pytest.mark.nojit
def test_answers_repeat_by_seed_and_by_the_games_key():
    state = Othello.from_moves("f5d6c3d3c4")
    few = [Mcts(simulations=30, seed=s).search(state) for s in (1, 1, 2)]
    assert few[0] == few[1] != few[2]
    agent = Mcts(simulations=30)
    agent.new_game(9)
    first = agent.search(state)
    agent.act(state.play(state.legal_actions()[0]))
    assert agent.search(state) == first


@pytest.mark.nojit
def test_a_batch_answers_as_its_games_do():
    states = [random_opening(Othello(6), plies, plies) for plies in range(0, 20, 3)]
    keys = list(range(len(states)))
    agent = Mcts(simulations=80)
    singles = []
    for state, key in zip(states, keys, strict=True):
        agent.new_game(key)
        singles.append(agent.act(state))
    assert agent.act_batch(OthelloPositions.from_states(states, keys)).tolist() == singles
