"""Opponents inside `jit`: the same moves as the agents of the same names; environments for one player."""

from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is an optional extra")
jnp = jax.numpy

import othello_env.jax as oj  # noqa: E402 - only if there is JAX
from othello_agents.network.compiled import CompiledAfterstates  # noqa: E402
from othello_env import Othello, OthelloPositions, SpecError, WrongGameError, make_agent  # noqa: E402
from othello_env.envs.vector.opponents import OpponentPool  # noqa: E402
from othello_env.games.hashing import mix_int  # noqa: E402
from othello_env.support.imports import import_object  # noqa: E402
from othello_env.support.networks import NetworkFile  # noqa: E402

SPECS = ("random", "maximizer:eval=weighted", "maximizer:eval=count", "alphabeta:depth=2,eval=weighted", "ntuple")
AFTERSTATES = "othello_agents.jax:afterstates"
NETS = f"{Path(__file__).parent / 'tiny_network.py'}"


@pytest.fixture(scope="module", params=[6, 8])
def afterstates(request, tmp_path_factory):
    """The file of a network `afterstates` with random weights, as PyTorch writes it, and the board's size."""
    rng, shapes = np.random.default_rng(request.param), import_object(AFTERSTATES)(request.param)[1]
    tensors = {name: rng.normal(0, 0.1, leaf.shape).astype(np.float32) for name, leaf in shapes.items()}
    path = tmp_path_factory.mktemp("network") / "a.safetensors"
    NetworkFile(tensors, "afterstates", request.param).write(path)
    return path, request.param


def jax_states(positions):
    """The states of many games that begin at these positions."""
    states = [oj.Othello(position.size, openings=[position]).init(jax.random.key(0)) for position in positions]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)


def random_positions(size, count):
    rng, found, state = np.random.default_rng(size), [], Othello(size)
    while len(found) < count:
        found.append(state)
        state = state.play(int(rng.choice(state.legal_actions())))
        state = Othello(size) if state.is_over else state
    return found


def bits(words):
    return np.ascontiguousarray(np.asarray(words)).view(np.uint64)[..., 0]


def positions(state, live, size):
    """The positions of the unfinished games, with the keys of the games."""
    own, opponent, key = (bits(words)[live] for words in (state._own, state._opponent, state._key))
    return OthelloPositions(own, opponent, np.asarray(state._color)[live].astype(np.int8), key, size)


@pytest.mark.parametrize("size", [6, 8])
@pytest.mark.parametrize("spec", SPECS)
def test_the_same_moves_as_the_agent(spec, size):
    n, rng, agent = 64, np.random.default_rng(size), make_agent(spec)
    env, choose = oj.Othello(size), jax.jit(jax.vmap(oj.find_opponent(spec, size)))
    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
    state, compared = init(jax.random.split(jax.random.key(1), n)), 0
    while (live := ~np.asarray(state.terminated)).any():
        batch = positions(state, live, size)
        keys = np.zeros((n, 2), np.uint32)
        decisions = [mix_int(key, placed) for key, placed in zip(batch.key.tolist(), batch.placed(), strict=True)]
        keys[live] = np.array(decisions, np.uint64)[:, np.newaxis].view(np.uint32)
        theirs = agent.act_batch(batch)
        assert np.asarray(choose(state, keys))[live].tolist() == theirs.tolist()
        actions = (np.asarray(state.legal_action_mask) * rng.random((n, size**2 + 1))).argmax(axis=1)
        actions[live] = np.where(rng.random(live.sum()) < 0.5, theirs, actions[live])
        state, compared = step(state, jnp.asarray(actions)), compared + len(batch)
    assert compared > 25 * n


def test_alphabeta_sees_that_a_move_ends_the_game_or_leaves_no_reply():
    """On 4x4 there are such moves beside others. In games on larger boards they are too rare for a test."""
    spec, found, kinds = "alphabeta:depth=2,eval=weighted", [], []
    for state in random_positions(4, 4000):
        children = [state.play(action) for action in state.legal_actions()]
        last = [child for child in children if not child.legal_bits]
        if last and len(children) > 1:
            found.append(state)
            kinds += [child.is_over for child in last]
    assert min(kinds.count(True), kinds.count(False)) > 20
    words = {
        field: np.array([getattr(state, name) for state in found], np.uint64)[:, np.newaxis].view(np.uint32)
        for field, name in (("_own", "own"), ("_opponent", "opponent"), ("_legal", "legal_bits"))
    }
    states = jax.vmap(oj.Othello(4).init)(jax.random.split(jax.random.key(0), len(found))).replace(**words)
    actions = jax.jit(jax.vmap(oj.find_opponent(spec, 4)))(states, np.zeros((len(found), 2), np.uint32))
    assert actions.tolist() == make_agent(spec).act_batch(OthelloPositions.from_states(found)).tolist()


def test_the_opponent_sees_its_side_and_answers_each_move():
    n, size, agent, seen = 32, 6, make_agent("maximizer:eval=weighted"), []

    def opponent(state, key):
        seen.append(key.shape)
        return oj.find_opponent("maximizer:eval=weighted", size)(state, key)

    env = oj.Othello(size, openings="random:6").vs(opponent)
    step, rng = jax.jit(jax.vmap(env.step)), np.random.default_rng(2)
    state = jax.tree.map(np.asarray, jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(2), n)))
    compared = 0
    for _ in range(8):
        actions = (state.legal_action_mask * rng.random((n, size**2 + 1))).argmax(axis=1)
        before, state = state, jax.tree.map(np.asarray, step(state, jnp.asarray(actions)))
        for i in np.flatnonzero(~before.terminated).tolist():
            old, new = (jax.tree.map(lambda x, i=i: x[i], each).position() for each in (before, state))
            expected = old.play(int(actions[i]))
            assert new == (expected if expected.is_over else expected.play(agent.act(expected)))
            compared += 1
    assert compared > 200
    assert {*seen} == {(2,)}


def test_a_network_that_pytorch_trained_answers_as_there(afterstates):
    path, size = afterstates
    states = random_positions(size, 600)
    batch = OthelloPositions.from_states(states)
    observations, masks = batch.observations(), batch.masks()
    assert masks[:, -1].any()  # there is a pass
    network = oj.Network.load(path, AFTERSTATES)
    boards = np.moveaxis(observations, 1, -1) != 0
    logits, values = (np.asarray(output) for output in jax.jit(network.apply)(network.params, boards))
    for ours, compiled in zip(
        network.answers(observations, masks), CompiledAfterstates.load(path).answers(observations, masks), strict=True
    ):
        np.testing.assert_allclose(ours, compiled, atol=1e-5)
    pytest.importorskip("torch", reason="the file is also compared with PyTorch, an optional extra")
    import torch

    from othello_agents.network import load_network

    theirs = load_network(path).forward(torch.from_numpy(observations), torch.from_numpy(masks))
    np.testing.assert_allclose(np.where(masks, logits, -1e9), theirs[0].detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(values, theirs[1].detach().numpy(), atol=1e-5)
    assert np.ptp(values) > 0.5


def test_a_network_that_pytorch_trained_plays_in_jit(afterstates):
    """It plays its likeliest moves. An illegal move would end a game whose board is not over."""
    path, size = afterstates
    states = random_positions(size, 200)
    batch = OthelloPositions.from_states(states)
    policy = CompiledAfterstates.load(path).policy(batch.observations(), batch.masks())
    actions = jax.jit(jax.vmap(oj.find_opponent(str(path), size)))(jax_states(states), np.zeros((200, 2), np.uint32))
    chosen = np.take_along_axis(policy, np.asarray(actions)[:, np.newaxis], axis=1)[:, 0]
    np.testing.assert_allclose(chosen, policy.max(axis=1), rtol=1e-4)  # moves may be equal

    env = oj.Othello(size).vs(str(path))

    @jax.jit
    @jax.vmap
    def whole_game(key):
        def step(state, key):
            return (state := env.step(state, oj.sample_legal(key, state))), state.rewards

        return jax.lax.scan(step, env.init(key), jax.random.split(key, size**2))

    ends, rewards = whole_game(jax.random.split(jax.random.key(4), 32))
    for i, results in enumerate(np.asarray(rewards).sum(axis=1).tolist()):
        end = jax.tree.map(lambda x, i=i: x[i], ends)
        position = end.position()
        assert position.is_over
        returns = position.returns()
        assert results == [returns[position.to_move ^ int(player != end.current_player)] for player in (0, 1)]


def test_a_network_that_pytorch_trained_plays_in_shard_map(afterstates):
    path, size = afterstates
    games = jax.sharding.PartitionSpec("games")
    mesh = jax.make_mesh((jax.device_count(),), ("games",))
    env = oj.Othello(size).vs(str(path))
    spread = jax.shard_map(jax.vmap(env.init), mesh=mesh, in_specs=games, out_specs=games)
    keys = jax.random.split(jax.random.key(0), 8 * jax.device_count())
    alone = jax.jit(jax.vmap(env.init))(keys)
    state = jax.jit(spread)(jax.device_put(keys, jax.sharding.NamedSharding(mesh, games)))
    np.testing.assert_array_equal(state.observation, alone.observation)


def test_the_file_of_a_network_made_in_jax_plays(tmp_path):
    path = tmp_path / "a.safetensors"
    apply, params = import_object(f"{NETS}:linear")(4)
    oj.Network(apply, params, 4, f"{NETS}:linear").save(path)
    states = random_positions(4, 50)
    opponent = oj.find_opponent(f"{path}:network={NETS}:linear", 4)
    actions = jax.jit(jax.vmap(opponent))(jax_states(states), np.zeros((50, 2), np.uint32))
    assert actions.tolist() == oj.agent(apply, params, 4).act_batch(OthelloPositions.from_states(states)).tolist()
    with pytest.raises(ValueError, match=r"a\.safetensors' does not fit to othello_agents\.jax:afterstates"):
        oj.find_opponent(str(path), 4)
    with pytest.raises(WrongGameError, match=r"a\.safetensors was trained for Othello of size 4, not 6"):
        oj.find_opponent(f"{path}:network={NETS}:linear", 6)
    with pytest.raises(SpecError, match="depth"):
        oj.find_opponent(f"{path}:depth=2", 4)


def test_gymnax():
    player = oj.Othello(4, auto_reset=True).vs("random")
    env = oj.Gymnax(player)
    assert (env.num_actions, env.action_space().n, env.observation_space(env.default_params).shape) == (
        17,
        17,
        (4, 4, 2),
    )
    observation, state = jax.jit(env.reset)(jax.random.key(0))
    step, player_step, ends = jax.jit(env.step), jax.jit(player.step), 0
    for i in range(30):
        key, action = jax.random.key(i), int(np.asarray(state.legal_action_mask).argmax())
        expected = player_step(state, action, key)
        observation, state, reward, done, info = step(key, state, action)
        assert (np.asarray(observation) == np.asarray(expected.observation)).all()
        assert float(reward) == float(expected.rewards[0])
        assert bool(done) == bool(expected.terminated)
        assert (np.asarray(info["action_mask"]) == np.asarray(expected.legal_action_mask)).all()
        ends += bool(done)
    assert ends >= 3


def test_a_pool_draws_as_the_batch_does():
    """Each opponent of the pool plays its own number, so the move tells who played."""
    weights, start, keys = {"random": 1, "ntuple": 0, "maximizer": 2.5}, Othello(6), np.arange(400, dtype=np.uint64)
    pool = OpponentPool(weights, start)
    chosen = oj.find_opponent({lambda state, key, k=k: k: w for k, w in enumerate(weights.values())}, 6)
    words = jnp.asarray(keys.view(np.uint32).reshape(-1, 2) * np.uint32(2_654_435_769))
    state = oj.Othello(6).init(jax.random.key(0))
    found = jax.jit(jax.vmap(lambda key: chosen(state.replace(_key=key), key)))(words)
    expected = [pool.draw(int(key))[0] for key in np.asarray(words).copy().view(np.uint64)[:, 0]]
    assert found.tolist() == expected
    assert 200 < expected.count(2) < 350
