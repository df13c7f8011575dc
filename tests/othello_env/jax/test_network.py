"""A network of JAX as an agent of this package, and its file."""

from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is an optional extra")
jnp = jax.numpy

import othello_env.jax as oj  # noqa: E402 - only if there is JAX
from othello_env import Othello, OthelloPositions, make_agent  # noqa: E402
from othello_env.support.imports import import_object  # noqa: E402

NETS = f"{Path(__file__).parent / 'tiny_network.py'}"


@pytest.fixture(scope="module")
def made():
    return import_object(f"{NETS}:linear")(4)


def positions(count):
    rng, found, state = np.random.default_rng(0), [], Othello(4)
    while len(found) < count:
        found.append(state)
        state = state.play(int(rng.choice(state.legal_actions())))
        state = Othello(4) if state.is_over else state
    return found


def test_the_agent_plays_the_likeliest_action(made):
    apply, params = made
    agent = oj.agent(apply, params, 4)
    states = positions(300)  # more than a batch
    actions = agent.act_batch(OthelloPositions.from_states(states))
    for state, action in zip(states, actions.tolist(), strict=True):
        board = np.moveaxis(state.observation(state.to_move), 0, -1)[np.newaxis] != 0
        logits = np.asarray(apply(params, board)[0][0], np.float64)
        legal = list(state.legal_actions())
        assert action == legal[int(np.argmax(logits[legal]))]
    assert [agent.act(state) for state in states[:9]] == actions[:9].tolist()
    only = oj.agent(import_object(f"{NETS}:only_logits"), params, 4)  # values are not needed
    assert [only.act(state) for state in states[:9]] == actions[:9].tolist()


def test_save_and_load(made, tmp_path):
    apply, params = made
    path = tmp_path / "a.safetensors"
    changed = jax.tree.map(lambda x: x + 1, params)
    network = oj.Network(apply, changed, 4, f"{NETS}:linear", {"steps": 3})
    network.save(path)
    again = oj.Network.load(path, f"{NETS}:linear")
    assert (again.size, again.function, again.training) == (4, f"{NETS}:linear", {"steps": 3})
    same = jax.tree.map(lambda a, b: bool((a == b).all()) and a.dtype == b.dtype, changed, again.params)
    assert all(jax.tree.leaves(same))
    states = positions(20)
    for spec in (f"{path}:network={NETS}:linear", f"{path}:network={NETS}:linear,simulations=4"):
        agent = make_agent(spec)
        assert all(state.is_legal(agent.act(state)) for state in states[:5])
    greedy = make_agent(f"{path}:network={NETS}:linear")
    assert [greedy.act(state) for state in states] == [oj.agent(apply, changed, 4).act(state) for state in states]
    assert repr(greedy).startswith(str(path))
    with pytest.raises(ValueError, match=r"network=package\.module:function"):
        make_agent(str(path))


def test_bad_files(made, tmp_path):
    apply, params = made
    path, damaged = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    oj.Network(apply, params, 4, f"{NETS}:linear").save(path)
    data = path.read_bytes()
    for bad in (data[:-5], data.replace(b'size\\": 4', b'side\\": 4')):
        damaged.write_bytes(bad)
        with pytest.raises(ValueError, match=r"b.safetensors' is not the file of a network"):
            oj.Network.load(damaged, f"{NETS}:linear")
    with pytest.raises(ValueError, match=r"does not fit to .*: the file has \[\], the network \[\('more', "):
        oj.Network.load(path, lambda size: (apply, params | {"more": jnp.zeros(3)}))
    with pytest.raises(ValueError, match="expected a function as"):
        oj.Network.load(path, "nothing")
    with pytest.raises(FileNotFoundError):
        oj.Network.load(tmp_path / "c.safetensors", f"{NETS}:linear")
    oj.Network(apply, jax.tree.map(lambda x: x * jnp.nan, params), 4, f"{NETS}:linear").save(path)
    with pytest.raises(ValueError, match="not finite"):
        oj.Network.load(path, f"{NETS}:linear")
