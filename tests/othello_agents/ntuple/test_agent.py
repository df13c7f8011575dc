"""The network as a player."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_ntuple import SlowTwin

from othello_agents.ntuple import NTupleAgent, shipped_network
from othello_env import Othello, make_agent
from othello_env.arena.match import play_match
from othello_env.games.othello.batch import OthelloPositions


@pytest.mark.nojit
@settings(max_examples=25)
@given(data=st.data())
def test_the_first_action_with_the_best_value_is_played(data, positions, networks):
    state = data.draw(positions().filter(lambda state: not state.is_over))
    agent = NTupleAgent(networks[state.size])
    values = agent.action_values(state)
    assert tuple(values) == state.legal_actions()
    twin = SlowTwin(networks[state.size])
    for action, value in values.items():
        assert value == pytest.approx(twin.value(state.play(action), state.to_move), abs=1e-6)
    played = agent.act(state)
    assert played in state.legal_actions()
    # Moves that lead to mirror images of one position have equal values. The agent plays the first of equal moves.
    assert played == max(values, key=lambda action: round(values[action], 6))


@pytest.mark.nojit
@pytest.mark.parametrize("size", [4, 6, 8])
def test_a_batch_is_answered_like_single_positions(networks, size):
    rng = np.random.default_rng(size)
    states = []
    for _ in range(8):
        state = Othello(size)
        while not state.is_over:
            states.append(state)
            state = state.play(int(rng.choice(state.legal_actions())))
    agent = NTupleAgent(networks[size])
    assert any(state.must_pass for state in states)
    assert agent.act_batch(OthelloPositions.from_states(states)).tolist() == [agent.act(state) for state in states]


@pytest.mark.nojit
def test_specs(tmp_path, networks):
    path = tmp_path / "a.npz"
    networks[8].save(path)
    for spec in (str(path), f"ntuple:weights={path}"):
        agent = make_agent(spec)
        assert isinstance(agent, NTupleAgent)
        assert repr(agent) == spec
        assert agent.act(Othello()) == NTupleAgent(networks[8]).act(Othello())


def test_the_shipped_weights_beat_alpha_beta():
    result = play_match("ntuple", "alphabeta:depth=4,eval=weighted", games=100, openings="random:10", seed=3)
    assert result.score > 0.7


@pytest.mark.nojit
@pytest.mark.parametrize("size", [6, 8])
def test_the_shipped_weights_tell_where_they_come_from(size):
    training = shipped_network(size).training
    assert training["games"] > 100_000
    assert "seed" in training
