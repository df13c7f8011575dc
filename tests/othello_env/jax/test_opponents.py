"""Opponents inside `jit`: the same moves as the agents of the same names; environments for one player."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is an optional extra")
jnp = jax.numpy

import othello_env.jax as oj  # noqa: E402 - only if there is JAX
from othello_env import OthelloPositions, SpecError, WrongGameError, make_agent  # noqa: E402
from othello_env.games.hashing import mix_int  # noqa: E402

SPECS = ("random", "maximizer:eval=weighted", "maximizer:eval=count", "ntuple")


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


@pytest.mark.parametrize("auto_reset", [False, True])
def test_one_player_plays_against_the_agent(auto_reset):
    """Follow every game on the host: the learner's move, the agent's answer, and the next game."""
    n, size, agent, rng = 32, 6, make_agent("maximizer:eval=weighted"), np.random.default_rng(2)
    env = oj.Othello(size, auto_reset=auto_reset).vs("maximizer:eval=weighted")
    step = jax.jit(jax.vmap(env.step))
    state = jax.tree.map(np.asarray, jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(2), n)))
    one = lambda state, i: jax.tree.map(lambda x: x[i], state)  # noqa: E731
    ends = colors = 0
    for _ in range(30):
        actions = (state.legal_action_mask * rng.random((n, size**2 + 1))).argmax(axis=1)
        before, state = state, jax.tree.map(np.asarray, step(state, jnp.asarray(actions)))
        for i in range(n):
            old, new = one(before, i), one(state, i)
            if not auto_reset and old.terminated:
                assert new.position() == old.position()
                assert not new.rewards.any()
                continue
            expected = old.position().play(int(actions[i]))
            if not expected.is_over:
                expected = expected.play(agent.act(expected))
            assert bool(new.terminated) == expected.is_over
            learner = old.position().to_move
            assert new.rewards[0] == -new.rewards[1] == (expected.returns()[learner] if expected.is_over else 0)
            ends += expected.is_over
            if expected.is_over and auto_reset:
                assert new.current_player == 0
                assert sum(new.position().discs()) == 4 + new.position().to_move  # the opponent has made its first move
                colors += new.position().to_move
                continue
            assert new.position() == expected
            if not expected.is_over:
                assert new.current_player == 0
                planes = np.moveaxis(new.observation, -1, 0)
                assert (planes == expected.observation(learner)).all()
                assert new.legal_action_mask.nonzero()[0].tolist() == list(expected.legal_actions())
    assert ends >= n
    assert not auto_reset or 0.2 < colors / ends < 0.8


def test_gymnax():
    with pytest.raises(ValueError, match="auto_reset=True"):
        oj.Gymnax(oj.Othello(4).vs("random"))
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


def test_a_function_as_opponent():
    seen = []

    def lowest(state, key):
        seen.append(key.shape)
        return jnp.argmax(state.legal_action_mask)

    env = oj.Othello(4).vs(lowest)
    state = jax.jit(env.init)(jax.random.key(3))
    before = state.position()
    action = before.legal_actions()[0]
    after = before.play(action)
    assert jax.jit(env.step)(state, action).position() == after.play(after.legal_actions()[0])
    assert set(seen) == {(2,)}


def test_errors():
    with pytest.raises(SpecError, match=r"no opponent 'alphabeta'.*maximizer, ntuple, random"):
        oj.find_opponent("alphabeta:depth=2")
    with pytest.raises(SpecError, match="did you mean random"):
        oj.Othello().vs("randon")
    with pytest.raises(SpecError, match="a sum of the weights of squares"):
        oj.find_opponent("maximizer:eval=modified")
    with pytest.raises(ValueError, match="no evaluation 'nonsense'"):
        oj.find_opponent("maximizer:eval=nonsense")
    with pytest.raises(SpecError, match="depth"):
        oj.find_opponent("random:depth=2")
    with pytest.raises(WrongGameError, match="size 4"):
        oj.find_opponent("ntuple", 4)
    with pytest.raises(FileNotFoundError):
        oj.find_opponent("ntuple:weights=missing.npz")
    with pytest.raises(TypeError, match="a spec or a function of a state and a key, not 5"):
        oj.find_opponent(5)
