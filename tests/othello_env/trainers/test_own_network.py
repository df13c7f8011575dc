"""The recipes with a user's network: it learns, is saved, its run can be resumed, and its file is an agent."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the recipes need PyTorch, an optional extra")

from othello_agents.network.custom import CustomNetwork  # noqa: E402
from othello_agents.network.neural import load_network  # noqa: E402
from othello_env import Othello, make_agent  # noqa: E402
from othello_env.arena.match import play_match  # noqa: E402

NETS = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(2 * size * size, 32), nn.BatchNorm1d(32), nn.ReLU())
        self.policy, self.value = nn.Linear(32, size * size + 1), nn.Linear(32, 1)
        self.unused = nn.Linear(1, 1)

    def forward(self, observations, masks):
        x = self.body(observations)
        return self.policy(x), torch.tanh(self.value(x)).squeeze(1)

class Dropped(Net):
    def __init__(self, size):
        super().__init__(size)
        self.body.append(nn.Dropout(0.5))
"""
SMALL = {
    "train_alphazero": {"games": 8, "simulations": 4, "window": 150, "minibatch": 32},
    "train_ppo": {"games": 12, "steps": 16, "minibatch": 64, "snapshot": 1, "past": 2},
}


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    (tmp_path / "nets.py").write_text(NETS)
    monkeypatch.chdir(tmp_path)


def run(recipe, name, out, iterations, *more):
    words = ["--out", out, "--iterations", str(iterations), "--every", "100", "--match", "2", "--device", "cpu"]
    settings = {"size": 4, "network": "nets.py:Net", **SMALL[name]}
    words += [word for key, value in settings.items() for word in (f"--{key}", str(value))]
    return recipe(name).main([*words, *more])


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_resumed_run_equals_an_uninterrupted_one_and_its_file_plays(recipe, name, precision):
    more = "--precision", precision
    whole = run(recipe, name, "whole.safetensors", 3, *more)
    run(recipe, name, "parts.safetensors", 2, *more)
    parts = run(recipe, name, "parts.safetensors", 3, "--resume", *more)
    assert isinstance(whole.network, CustomNetwork)
    first = CustomNetwork.make("nets.py:Net", 4, whole.settings.seed)
    for key, weight in whole.network.weights.items():
        assert torch.equal(weight, parts.network.weights[key]), key
        assert torch.equal(whole.trained.weights[key], parts.trained.weights[key]), key
        assert torch.equal(weight, first.weights[key]) == key.startswith("unused"), key
    for ours, theirs in zip(whole.parameters, parts.parameters, strict=True):
        for key, value in whole.optimizer.state.get(ours, {}).items():
            assert torch.equal(value, parts.optimizer.state[theirs][key])
    kept = load_network("parts.safetensors", "nets.py:Net")
    state = Othello(4)
    seen = np.array([state.observation(0)]), np.array([state.action_mask()])
    np.testing.assert_array_equal(kept.answers(*seen)[0], parts.trained.answers(*seen)[0])
    match = play_match(
        make_agent("parts.safetensors:network=nets.py:Net"), "random", games=2, openings=None, new_game=lambda _: state
    )
    assert not match.faults(0)


@pytest.mark.parametrize("name", SMALL)
def test_a_resumed_run_with_dropout_equals_an_uninterrupted_one(recipe, name):
    more = "--network", "nets.py:Dropped"
    whole = run(recipe, name, "whole.safetensors", 2, *more)
    torch.rand(1)  # what other code draws makes no difference
    run(recipe, name, "parts.safetensors", 1, *more)
    parts = run(recipe, name, "parts.safetensors", 2, "--resume", *more)
    for key, weight in whole.network.weights.items():
        assert torch.equal(weight, parts.network.weights[key]), key


@pytest.mark.parametrize("name", SMALL)
def test_the_packaged_network_on_afterstates_is_trained_resumed_and_loaded_without_its_function(recipe, name):
    more = "--network", "afterstates"
    whole = run(recipe, name, "whole.safetensors", 2, *more)
    run(recipe, name, "parts.safetensors", 1, *more)
    parts = run(recipe, name, "parts.safetensors", 2, "--resume", *more)
    first = CustomNetwork.make("afterstates", 4, whole.settings.seed)
    kept = load_network("parts.safetensors")
    for key, weight in whole.network.weights.items():
        assert torch.equal(weight, parts.network.weights[key]), key
        assert torch.equal(whole.trained.weights[key], kept.weights[key]), key
        assert not torch.equal(weight, first.weights[key]), key
    assert make_agent("parts.safetensors").act(Othello(4)) in Othello(4).legal_actions()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("nowhere.py:make", "--network: there is no file 'nowhere.py'"),
        ("nets.py:Nets", "--network: there is no 'Nets' in nets.py, which has Net"),
        ("nets.py", "--network: expected a function as package.module:name or path.py:name, or one of the names"),
    ],
)
@pytest.mark.parametrize("name", SMALL)
def test_mistakes_in_the_command_are_told(recipe, capsys, name, function, message):
    with pytest.raises(SystemExit):
        run(recipe, name, "a.safetensors", 1, "--network", function)
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_a_run_can_begin_with_a_file_of_the_same_network(recipe, capsys):
    run(recipe, "train_ppo", "first.safetensors", 1)
    begun = run(recipe, "train_ppo", "second.safetensors", 0, "--init", "first.safetensors")
    for key, weight in load_network("first.safetensors", "nets.py:Net").weights.items():
        assert torch.equal(begun.network.weights[key], weight)
    with pytest.raises(SystemExit):
        run(recipe, "train_ppo", "third.safetensors", 0, "--init", "first.safetensors", "--network", "residual")
    assert "holds a network of your own, which the function 'nets.py:Net' made" in capsys.readouterr().err
