"""A user's own network: a PyTorch module that serves as a network, a file and a player."""

import sys
import textwrap

import numpy as np
import pytest

from othello_agents.network import NeuralAgent, TorchNetwork, load_network, make_network
from othello_env import Othello, SpecError, make_agent
from othello_env.arena.match import play_match
from othello_env.games.openings import random_opening
from othello_env.games.othello.batch import OthelloPositions

torch = pytest.importorskip("torch", reason="the network needs PyTorch, an optional extra")


NETS = '''
import torch
from torch import nn

class Net(nn.Module):
    """A network with running means, integers in its state, random drops, and a tensor that two layers share."""

    def __init__(self, size):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(2, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.Dropout(0.2))
        self.frozen = nn.Linear(1, 1).requires_grad_(False)
        self.policy = nn.Linear(6 * size * size, size * size + 1)
        self.again = nn.Linear(6 * size * size, size * size + 1)
        self.again.weight = self.policy.weight
        self.value = nn.Linear(6 * size * size, 1)
        self.seen = []

    def forward(self, observations, masks):
        self.seen.append((observations.dtype, masks.dtype, self.training))
        x = self.body(observations).flatten(1)
        return self.policy(x) + self.again(x), 3 * torch.tanh(self.value(x)).squeeze(1)

def make(size):
    return Net(size)

def wrong(size):
    class Wrong(Net):
        def forward(self, observations, masks):
            logits, values = super().forward(observations, masks)
            return logits, values[:, None]
    return Wrong(size)

def one(size):
    class One(Net):
        def forward(self, observations, masks):
            return super().forward(observations, masks)[0]
    return One(size)

def nothing(size):
    return None

def empty(size):
    class Empty(nn.Module):
        def forward(self, observations, masks):
            return torch.zeros(masks.shape), torch.zeros(len(masks))
    return Empty()

def fails(size):
    raise RuntimeError("no luck")

number = 3
'''


@pytest.fixture
def nets(tmp_path, monkeypatch):
    """The text ``path.py:name`` for a function that makes a network. The file is in the current folder."""
    (tmp_path / "nets.py").write_text(textwrap.dedent(NETS))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "nets", raising=False)  # another test may have imported another `nets`
    yield "nets.py:make"
    sys.modules.pop("nets", None)


def positions(size, count=12):
    drawn = (random_opening(Othello(size), plies, plies) for plies in range(count))
    return OthelloPositions.from_states([state for state in drawn if state is not None], None)


def asked(network, batch):
    return network.answers(batch.observations(), batch.masks())


def test_its_answers_are_those_of_its_module(nets):
    network = make_network(nets, 6, seed=2)
    with torch.no_grad():
        network.weights["value.weight"].mul_(30)
    batch = positions(6)
    policy, values = asked(network, batch)
    module = network.module
    assert isinstance(module, torch.nn.Module)
    assert not module.training
    logits, raw = module(torch.from_numpy(batch.observations()).float(), torch.from_numpy(batch.masks() != 0))
    logits = logits.detach().numpy().astype(float)
    logits[batch.masks() == 0] = -np.inf
    expected = np.exp(logits - logits.max(axis=1, keepdims=True))
    np.testing.assert_allclose(policy, expected / expected.sum(axis=1, keepdims=True), atol=1e-6)
    assert (policy[batch.masks() == 0] == 0).all()
    np.testing.assert_allclose(values, raw.detach().numpy().clip(-1, 1), atol=1e-6)  # values are clipped to [-1, 1]
    assert np.abs(raw.detach().numpy()).max() > 1
    assert {seen[:2] for seen in module.seen} == {(torch.float32, torch.bool)}


def test_the_module_is_in_training_mode_only_while_gradients_are_computed(nets):
    network = make_network(nets, 4)
    batch = positions(4, 5)
    tensors = torch.from_numpy(batch.observations()), torch.from_numpy(batch.masks())
    before = network.weights["body.1.running_mean"].clone()
    asked(network, batch)
    assert torch.equal(network.weights["body.1.running_mean"], before)
    logits, _ = network.forward(*tensors)
    assert logits.requires_grad
    assert not torch.equal(network.weights["body.1.running_mean"], before)
    assert int(network.weights["body.1.num_batches_tracked"]) == 1
    first, second = (asked(network, batch)[0] for _ in range(2))  # without dropout, both answers are equal
    np.testing.assert_array_equal(first, second)


def test_a_shared_tensor_is_there_once_and_a_frozen_one_learns_nothing(nets):
    network = make_network(nets, 4)
    assert ("policy.weight" in network.weights) != ("again.weight" in network.weights)
    learned = network.trained_weights()
    assert set(network.weights) - set(learned) == {
        "frozen.weight",
        "frozen.bias",
        "body.1.running_mean",
        "body.1.running_var",
        "body.1.num_batches_tracked",
    }
    copied = network.copy()
    assert set(copied.trained_weights()) == set(learned)
    with torch.no_grad():
        network.weights["policy.weight"].zero_()
    assert copied.weights["policy.weight"].any()
    copied.assign(network)
    module = copied.module
    assert module.again.weight is module.policy.weight
    assert not module.again.weight.any()


def test_a_file_holds_all_and_is_an_agent_with_its_function(nets, tmp_path):
    path = tmp_path / "net.safetensors"
    network = make_network(nets, 6, seed=3)
    network.weights["body.1.running_mean"].fill_(0.1)
    network.training = {"games": 5}
    network.save(path)
    loaded = load_network(path, nets)
    assert isinstance(loaded, TorchNetwork)
    assert loaded.training == {"games": 5}
    batch = positions(6)
    for ours, theirs in zip(asked(network, batch), asked(loaded, batch), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    agent = make_agent(f"{path}:network={nets},simulations=4")
    assert repr(agent) == f"{path}:simulations=4"
    np.testing.assert_array_equal(agent.act_batch(batch), NeuralAgent(network, simulations=4).act_batch(batch))
    spec = f"{path}:network={nets}"
    match = play_match(spec, "random", games=2, seed=1, openings="random:4", game="othello:size=6")
    assert not match.faults(0)


def test_a_file_runs_no_code_by_itself(nets, tmp_path, monkeypatch):
    path = tmp_path / "net.safetensors"
    network = make_network(nets, 4, seed=3)
    network.save(path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "nets.py").rename(tmp_path / "elsewhere" / "nets.py")
    (tmp_path / "nets.py").write_text("raise SystemExit('this code must not run')")
    with pytest.raises(SpecError, match=r"'nets\.py:make' made\. .*FILE\.safetensors:network=.* --network"):
        make_agent(str(path))
    batch = positions(4, 5)
    expected = NeuralAgent(network).act_batch(batch)
    np.testing.assert_array_equal(make_agent(f"{path}:network=elsewhere/nets.py:make").act_batch(batch), expected)
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    sys.modules.pop("nets", None)  # so that `nets` is imported again, from the new path
    np.testing.assert_array_equal(make_agent(f"{path}:network=nets:Net").act_batch(batch), expected)
    make_network("residual", 4, channels=2).save(tmp_path / "own.safetensors")
    with pytest.raises(SpecError, match=r"the function 'nets:Net' made no network: .*unexpected keyword argument"):
        make_agent(f"{tmp_path / 'own.safetensors'}:network=nets:Net")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("nets.py:wrong", r"logits \(3, 17\) and values \(3,\), both floats, but it returned .*\(3, 1\)"),
        ("nets.py:one", r"must return a tuple of logits \(3, 17\)"),
        ("nets.py:nothing", r"must return a torch\.nn\.Module, but it returned None"),
        ("nets.py:empty", "the module of nets.py:empty has no weights"),
        ("nets.py:number", "neither a function nor a subclass of torch.nn.Module"),
        ("os:_exit", "neither a function nor a subclass of torch.nn.Module"),
        ("nets.py:none", "there is no 'none' in nets.py, which has Net, make"),
        ("nowhere:make", "there is no module 'nowhere'"),
        ("nets.py:fails", "no luck"),
        ("residuals", "expected a function as"),
        ("nets.py", r"expected a function as package\.module:name or path\.py:name"),
    ],
)
def test_wrong_functions_are_told(nets, tmp_path, function, message):
    with pytest.raises((ValueError, RuntimeError), match=message):
        make_network(function, 4)
    path = tmp_path / "net.safetensors"
    network = make_network(nets, 4)
    network.function = function
    network.save(path)
    with pytest.raises(ValueError, match=rf"(?s)net\.safetensors': the function .* made no network: .*{message}"):
        load_network(path, function)


def test_an_exported_network_plays_as_the_network(nets, tmp_path, capsys):
    pytest.importorskip("onnx", reason="it writes ONNX files")
    pytest.importorskip("onnxruntime", reason="it runs ONNX files")
    from othello_env.cli import main

    network = make_network(nets, 4, seed=2)
    asked(network, positions(4, 4))
    network.weights["body.1.running_mean"].fill_(0.2)
    network.save(tmp_path / "a.safetensors")
    network.export(tmp_path / "a.onnx")
    (tmp_path / "nets.py").rename(tmp_path / "moved.py")
    with pytest.raises(SystemExit) as stop:
        main(["export", "a.safetensors", "b.onnx", "--network", "moved.py:make"])
    assert (stop.value.code, capsys.readouterr().err) == (0, "")
    batch = positions(4, 6)
    for name in ("a.onnx", "b.onnx"):
        policy = make_agent(name)._network.policy(batch.observations(), batch.masks())
        np.testing.assert_allclose(policy, asked(network, batch)[0], atol=1e-6)
    assert all(weight.requires_grad for weight in network.trained_weights().values())


def test_the_packages_own_network_as_a_module(tmp_path):
    network = make_network("residual", 4, 1, channels=4)
    before = {name: weight.clone() for name, weight in network.weights.items()}
    module = network.module
    assert list(module.state_dict()) == list(network.weights)
    batch = positions(4, 6)
    tensors = torch.from_numpy(batch.observations()), torch.from_numpy(batch.masks())
    for ours, theirs in zip(network.forward(*tensors), module(*tensors), strict=True):
        assert torch.equal(ours, theirs)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    logits, values = module(*tensors)
    (torch.log_softmax(logits, dim=1)[:, 0].sum() + values.sum()).backward()
    optimizer.step()
    for name, weight in network.weights.items():
        assert not torch.equal(weight, before[name]), name
    network.save(tmp_path / "a.safetensors")
    for name, weight in load_network(tmp_path / "a.safetensors").weights.items():
        assert torch.equal(weight, module.state_dict()[name])
    assert network.module.first.weight is module.first.weight
