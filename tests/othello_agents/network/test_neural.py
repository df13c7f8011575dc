"""The network as a function, a file and a player, also by the mean of the board's eight symmetric copies."""

import copy
import pickle

import numpy as np
import pytest

from othello_agents.mcts.gumbel import search
from othello_agents.network import NeuralAgent, load_network, make_network
from othello_env import Othello, make_agent
from othello_env.games.openings import random_opening
from othello_env.games.othello import symmetries
from othello_env.games.othello.batch import OthelloPositions

torch = pytest.importorskip("torch", reason="the network needs PyTorch, an optional extra")


def positions(size, count=12):
    drawn = (random_opening(Othello(size), plies, plies) for plies in range(count))
    return OthelloPositions.from_states([state for state in drawn if state is not None], None)


@pytest.fixture(scope="module")
def network():
    made = make_network("residual", 6, 3, channels=8)
    made.training = {"games": 5}
    return made


def test_it_looks_ahead(network, tmp_path):
    path = tmp_path / "net.safetensors"
    network.save(path)
    agent = make_agent(f"{path}:simulations=20")
    assert repr(agent) == f"{path}:simulations=20"
    assert repr(make_agent(f"{path}:temperature=0.5")) == f"{path}:temperature=0.5"
    assert load_network(path).training == {"games": 5}
    batch = positions(6)
    found = search(network.answers, batch, 20)
    np.testing.assert_array_equal(agent.act_batch(batch), found.actions)
    assert [agent.act(batch.state(i)) for i in range(len(batch))] == found.actions.tolist()
    warm = NeuralAgent(network, temperature=1.0, simulations=20, seed=3)
    for again in (pickle.loads(pickle.dumps(warm)), copy.deepcopy(warm)):
        assert repr(again) == repr(warm)
        np.testing.assert_array_equal(again.act_batch(batch), warm.act_batch(batch))
    drawn = warm.act_batch(OthelloPositions.from_states([batch.state(5)] * 2000, range(2000)))
    np.testing.assert_allclose(np.bincount(drawn, minlength=37) / 2000, found.policy[5], atol=0.05)
    for wrong in (-1, 100_001):
        with pytest.raises(ValueError, match=f"simulations must be 0 to 100000, not {wrong}"):
            NeuralAgent(network, simulations=wrong)


def test_it_answers_by_the_mean_of_eight_symmetric_boards(network, tmp_path):
    path = tmp_path / "net.safetensors"
    network.save(path)
    agent = make_agent(f"{path}:simulations=20,symmetric=true")
    assert repr(agent) == f"{path}:symmetric=true,simulations=20"
    assert agent.save(tmp_path / "again") == f"{tmp_path / 'again'}.safetensors:symmetric=true,simulations=20"
    batch = positions(6)

    def answers(observations, masks):
        return mean_answers(network, observations, masks)

    found = search(answers, batch, 20)
    np.testing.assert_array_equal(agent.act_batch(batch), found.actions)
    assert (found.policy != search(network.answers, batch, 20).policy).any()
    for i in range(len(batch)):
        state = batch.state(i)
        value = answers(batch.observations()[i : i + 1], batch.masks()[i : i + 1])[1]
        assert agent.evaluate(state, state.to_move) == pytest.approx(float(value[0]), abs=1e-6)


def mean_answers(network, observations, masks):
    """The means of the policies and values of all eight turned and mirrored boards, one symmetry after the other."""
    policies, values = [], []
    for k in range(symmetries.COUNT):
        planes = np.ascontiguousarray(symmetries.transform_observation(observations, k))
        policy, value = network.answers(planes, symmetries.transform_policy(masks, k))
        policies.append(symmetries.transform_policy(policy, symmetries.inverse(k)))
        values.append(value)
    return np.sort(policies, axis=0).mean(axis=0), np.sort(values, axis=0).mean(axis=0)


def test_draws_follow_the_policy_and_hang_on_the_key(network):
    state = Othello(6)
    keys = np.arange(4000)
    batch = OthelloPositions.from_states([state] * len(keys), keys)
    agent = NeuralAgent(network, temperature=0.25)
    drawn = agent.act_batch(batch)
    np.testing.assert_array_equal(drawn, agent.act_batch(batch))
    policy = network.answers(batch.observations()[:1], batch.masks()[:1])[0][0] ** 4
    frequencies = np.bincount(drawn, minlength=37) / len(keys)
    np.testing.assert_allclose(frequencies, policy / policy.sum(), atol=0.04)
    for key in range(20):
        agent.new_game(key)
        assert agent.act(state) == drawn[key]


def test_values_are_seen_from_either_side(network):
    agent = NeuralAgent(network)
    state = Othello(6)
    assert agent.evaluate(state, 0) == -agent.evaluate(state, 1) != 0
    over = Othello.from_text("X" * 35 + "O")
    assert (agent.evaluate(over, 0), agent.evaluate(over, 1)) == (1, -1)


@pytest.mark.parametrize(("name", "size"), [*(("residual", size) for size in (4, 6, 8)), ("afterstates", 8)])
def test_an_exported_network_plays_as_the_network(tmp_path, name, size):
    pytest.importorskip("onnx", reason="it writes ONNX files")
    pytest.importorskip("onnxruntime", reason="it runs ONNX files")
    network = make_network(name, size, 2, **({"channels": 4, "blocks": 1} if name == "residual" else {}))
    generator = torch.Generator().manual_seed(1)
    for weight in network.weights.values():
        weight.data += 0.2 * torch.randn(weight.shape, generator=generator)
        weight.requires_grad_()  # as in training
    network.export(tmp_path / "a.onnx")
    exported = make_agent(str(tmp_path / "a.onnx"))
    passing = OthelloPositions.from_states([Othello.from_text("XXO-" + "-" * (size**2 - 4), "O")])
    for batch in (positions(size), positions(size).part(slice(0, 1)), passing):
        if name == "residual":  # of equally likely moves, either may be played
            np.testing.assert_array_equal(exported.act_batch(batch), NeuralAgent(network).act_batch(batch))
        policy = exported._network.policy(batch.observations(), batch.masks())
        np.testing.assert_allclose(policy, network.policy(batch.observations(), batch.masks()), atol=1e-5)


def test_the_first_weights_of_a_seed_stay_so_that_published_runs_repeat():
    network = make_network("residual", 8, 7, channels=32, blocks=2)
    first = {"first": -0.22321235, "block1b": 0.00900647, "value": 0.00481839}
    for layer, number in first.items():
        assert network.weights[f"{layer}.weight"].flatten()[0].item() == pytest.approx(number, abs=1e-8)
    assert not torch.equal(make_network("residual", 8, 8).weights["first.weight"], network.weights["first.weight"])
