"""The afterstates network as compiled code, in PyTorch's place and in the engine's search."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

from othello_agents.engine import Engine
from othello_agents.network.compiled import CompiledAfterstates
from othello_agents.ntuple.network import layout
from othello_agents.search.alphabeta import alphabeta
from othello_env import Othello, SpecError, WrongGameError, make_agent
from othello_env.games.othello.batch import OthelloPositions
from othello_env.support.networks import NetworkFile

PASS = Othello.from_moves("e6f4e3f6g5d6e7f5c5")  # black has no move
SIZES = (4, 6, 8)
HIDDEN = 32


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files of networks with random weights, one for each size."""
    found = {}
    for size in SIZES:
        rng = np.random.default_rng(size)
        shapes = {
            "table": (layout(size).weights, 8),
            "discs": (size**2 + 1, 8),
            "hidden.weight": (HIDDEN, 8),
            "hidden.bias": (HIDDEN,),
            "out.weight": (2, 8 + HIDDEN),
            "out.bias": (2,),
        }
        tensors = {name: rng.normal(0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}
        found[size] = tmp_path_factory.mktemp("networks") / f"{size}.safetensors"
        NetworkFile(tensors, "afterstates", size, training={"games": 3}).write(found[size])
    return found


@pytest.mark.parametrize("size", SIZES)
def test_its_answers_are_those_of_pytorch(files, random_position, size):
    pytest.importorskip("torch", reason="the network needs PyTorch, an optional extra")
    from othello_agents.network import load_network

    states = [random_position(key, 1 + key % (size**2 - 5), size) for key in range(60)]
    states += [PASS] if size == 8 else []
    batch = OthelloPositions.from_states(states)
    observations, masks = batch.observations(), batch.masks()
    ours = CompiledAfterstates.load(files[size]).answers(observations, masks)
    theirs = load_network(files[size]).answers(observations, masks)
    for compiled, torch in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(compiled, torch, atol=1e-5)
    assert (ours[0][masks == 0] == 0).all()


@pytest.mark.parametrize("size", [6, 8])
def test_a_search_equals_a_slow_minimax_with_its_values(files, random_position, size):
    network = make_agent(str(files[size]))

    def value(state, player):
        """The output before tanh, for a position of which the game may be over, as at the leaves of the search."""
        batch = OthelloPositions.from_states([state])
        found = network._network.answers(batch.observations(), np.ones_like(batch.masks()))[1][0]
        return math.atanh(found) if player == state.to_move else -math.atanh(found)

    for key in range(8):
        state = random_position(key, 3 + (7 * key) % (size**2 - 9), size)
        depth = 1 + key % 3
        expected = alphabeta(state, depth + state.must_pass, value).value
        analysis = make_agent(f"{files[size]}:depth={depth},exact=0").analyse(state)
        if math.isinf(expected):
            assert (analysis.unit, np.sign(analysis.score)) == ("discs", np.sign(expected))
        else:
            assert analysis.unit == "win minus loss"
            assert analysis.score == pytest.approx(math.tanh(expected), abs=2e-3)


def test_specs(files, tmp_path):
    state = Othello()
    assert repr(make_agent(f"{files[8]}:depth=2,exact=0")) == f"engine:depth=2,exact=0,eval={files[8]}"
    assert repr(make_agent(f"{files[8]}:exact=3")) == f"engine:exact=3,eval={files[8]}"
    assert Engine(depth=2, eval=str(files[8])).analyse(state).discs is None
    with pytest.raises(WrongGameError, match="weights for size 6, not 8"):
        make_agent(f"{files[6]}:depth=2").act(state)
    for option in ("temperature=1", "simulations=4", "symmetric=true", "network=afterstates"):
        with pytest.raises(SpecError, match="there is no other option"):
            make_agent(f"{files[8]}:depth=2,{option}")
    agent = make_agent(f"{files[8]}:temperature=0.5,simulations=4", seed=1)
    again = make_agent(agent.save(tmp_path / "b"), seed=1)
    assert agent.act(state) == again.act(state) == pickle.loads(pickle.dumps(agent)).act(state)
    assert NetworkFile.read(tmp_path / "b.safetensors").training == {"games": 3}


def test_files_of_other_networks_are_refused(files, tmp_path):
    file = NetworkFile.read(files[4])
    NetworkFile(file.tensors, "nets.py:make", 4).write(tmp_path / "own.safetensors")
    with pytest.raises(SpecError, match=r"own\.safetensors.*only an afterstates network is compiled, not 'nets\.py"):
        make_agent(f"{tmp_path / 'own.safetensors'}:depth=2")
    NetworkFile(file.tensors, "afterstates", 6).write(tmp_path / "bad.safetensors")
    for spec in ("bad.safetensors", "bad.safetensors:depth=2"):
        with pytest.raises(SpecError, match="expected the tensors"):
            make_agent(f"{tmp_path}/{spec}")


def test_it_plays_without_pytorch(files):
    code = f"""
import sys
sys.modules["torch"] = None  # an import of PyTorch fails
from othello_env import make_agent, make_vec_env, play_match
for spec in ("{files[8]}", "{files[8]}:depth=2"):
    assert play_match(spec, "random", games=4).games == 4
env = make_vec_env(8, opponent="{files[8]}")
env.reset(seed=1)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
