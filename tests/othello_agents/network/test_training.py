"""The state of a training is read back as it was written, and what does not fit is refused."""

import pytest

torch = pytest.importorskip("torch", reason="networks need PyTorch, an optional extra")

from othello_agents.network import (  # noqa: E402
    CustomNetwork,
    NeuralNetwork,
    load_training,
    make_network,
    read_tensors,
    save_training,
    write_tensors,
)

SETTINGS = {"size": 4, "rate": 1e-3}


def learner(steps=0):
    network = make_network("residual", 4, seed=1, channels=4, blocks=1)
    optimizer = torch.optim.Adam([*network.trained_weights().values()])
    for _ in range(steps):
        for weight in network.weights.values():
            weight.grad = torch.ones_like(weight)
        optimizer.step()
    return network, optimizer


@pytest.fixture
def file(tmp_path):
    network, optimizer = learner(2)
    path = tmp_path / "a.safetensors"
    save_training(path, {"network": network}, optimizer, SETTINGS, {"iteration": 2}, {"kept": torch.arange(3)})
    return path


def test_a_training_is_read_back(file):
    (network, optimizer), (trained, its) = learner(), learner(2)
    progress, tensors = load_training(file, {"network": network}, optimizer, SETTINGS)
    assert progress == {"iteration": 2}
    assert tensors["kept"].tolist() == [0, 1, 2]
    for name, weight in trained.weights.items():
        assert torch.equal(weight, network.weights[name])
        theirs = its.state[weight]
        assert theirs
        for key, value in optimizer.state[network.weights[name]].items():
            assert torch.equal(value, theirs.pop(key))
        assert not theirs


@pytest.mark.parametrize(
    ("tensors", "settings", "message"),
    [
        ({}, {"rate": 1.0}, "other settings: rate was 0.001, not 1.0"),
        ({}, {"games": 1}, "state of another training"),
        ({"network.value.bias": None}, {}, r"value\.bias"),
        ({"network.value.bias": torch.zeros(2)}, {}, r"value\.bias"),
        ({"network.value.bias": torch.tensor([torch.nan])}, {}, "not all finite"),
        ({"optimizer.0.exp_avg": torch.zeros(2)}, {}, r"optimizer\.0\.exp_avg"),
        ({"optimizer.0.exp_avg": torch.full((4, 3, 3, 3), torch.inf)}, {}, "must be finite"),
        ({"optimizer.99.step": torch.zeros(())}, {}, "no weight '99'"),
    ],
)
def test_what_does_not_fit_is_refused_and_the_message_names_the_file(file, tensors, settings, message):
    found, card = read_tensors(file)
    write_tensors(file, {name: tensor for name, tensor in (found | tensors).items() if tensor is not None}, card)
    network, optimizer = learner()
    with pytest.raises(ValueError, match=message) as error:
        load_training(file, {"network": network}, optimizer, SETTINGS | settings)
    assert str(file) in str(error.value)


def test_the_file_of_an_agent_is_not_the_state_of_a_training(tmp_path):
    network, optimizer = learner()
    network.save(tmp_path / "a.safetensors")
    with pytest.raises(ValueError, match="is not the state of a training"):
        load_training(tmp_path / "a.safetensors", {"network": network}, optimizer, SETTINGS)


def test_networks_by_name():
    assert isinstance(make_network("residual", 4), NeuralNetwork)
    assert isinstance(make_network("afterstates", 4), CustomNetwork)
    with pytest.raises(ValueError, match="expected a function as"):
        make_network("residuals", 4)
