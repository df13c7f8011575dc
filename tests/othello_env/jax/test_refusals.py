"""What the calls of this room refuse: a row is a call, its error and the words."""

from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is an optional extra")
jnp = jax.numpy

from gymnasium.error import ResetNeeded  # noqa: E402

import othello_env.jax as oj  # noqa: E402 - only if there is JAX
from othello_env import Othello, SpecError, WrongGameError  # noqa: E402
from othello_env.support.imports import import_object  # noqa: E402

NETS = f"{Path(__file__).parent / 'tiny_network.py'}"


def begun(*keys):
    """A state of 8x8, or one of several games."""
    init = oj.Othello().init
    return jax.vmap(init)(jax.random.split(jax.random.key(0), 3)) if keys else init(jax.random.key(0))


def step(action, *key, state=begun, jit=False):
    env = oj.Othello()
    return lambda: (jax.jit(env.step) if jit else env.step)(state(), action, *key)


def batch(call):
    """A call of a batch of two games in self-play that was reset."""

    def made():
        env = oj.DeviceVectorEnv(2, None, size=4)
        env.reset(seed=0)
        call(env)

    return made


def network(apply=None, size=4):
    linear, params = import_object(f"{NETS}:linear")(4)
    return oj.Network(apply or linear, params, size)


FIRST = np.array([True, False])
MANY, ONE_KEY = lambda: begun(1), "expected a key for one game"
SHAPE, ACTIONS = r"of shape \(..., S, S, 2\), where S is 4, 6 or 8, got", r"expected \(2,\) integers as actions, got"
REFUSED = [
    *((lambda size=size: oj.Othello(size), ValueError, "size") for size in (5, 0, "8", None)),
    (lambda: oj.Othello(double_pass=1), TypeError, "double_pass must be True or False"),
    *(
        (lambda bad=bad: oj.Othello(openings=bad), ValueError, "opening")
        for bad in ("random:x", ["f5f5"], [], {"f5"}, [Othello(6)])
    ),
    (step(19.0, jit=True), TypeError, "integer dtype, got float32"),
    (step(True), TypeError, "integer dtype, got bool"),
    (
        step(np.array([19, 26]), jit=True),
        ValueError,
        r"one action, \(\).*got \(2,\) and \(\); for many games use jax.vmap",
    ),
    (step(np.array([19, 26, 37]), state=MANY), ValueError, r"got \(3,\) and \(3,\)"),
    (step(8, state=lambda: oj.Othello(6).init(jax.random.key(0))), ValueError, "a state of size 8, got one of size 6"),
    (step(19, 5), TypeError, ONE_KEY),
    *(
        (lambda key=key: oj.Othello().init(key), TypeError, ONE_KEY)
        for key in (0, np.zeros(3), np.zeros((3, 2), np.uint32))
    ),
    (lambda: oj.Othello().init(jax.random.split(jax.random.key(0), 3)), TypeError, ONE_KEY),
    (lambda: MANY().position(), ValueError, "expected the state of one game, got"),
    *(
        (lambda shape=shape: oj.legal_moves(jnp.zeros(shape, bool)), ValueError, SHAPE)
        for shape in ((6, 6), (5, 5, 2), (3, 2, 6, 6))
    ),
    (lambda: oj.Gymnax(oj.Othello(4).vs("random")), ValueError, "auto_reset=True"),
    (lambda: oj.Othello(4).vs({"random": 0}), ValueError, "opponents with weights of at least 0, not all 0"),
    (lambda: oj.find_opponent("minimax"), SpecError, r"no opponent 'minimax'.*alphabeta, maximizer, ntuple, random"),
    (lambda: oj.find_opponent("alphabeta:depth=3"), ValueError, "the depth of alphabeta must be 2, got 3"),
    (lambda: oj.find_opponent("alphabeta"), SpecError, "depth"),
    (lambda: oj.Othello().vs("randon"), SpecError, "did you mean random"),
    (lambda: oj.find_opponent("maximizer:eval=modified"), SpecError, "a sum of the weights of squares"),
    (lambda: oj.find_opponent("maximizer:eval=nonsense"), ValueError, "no evaluation 'nonsense'"),
    (lambda: oj.find_opponent("random:depth=2"), SpecError, "depth"),
    (lambda: oj.find_opponent("ntuple", 4), WrongGameError, "size 4"),
    (lambda: oj.find_opponent("ntuple:weights=missing.npz"), FileNotFoundError, "missing"),
    (lambda: oj.find_opponent("missing.safetensors"), FileNotFoundError, "missing"),
    (lambda: oj.find_opponent(5), TypeError, "a spec or a function of a state and a key, not 5"),
    (lambda: oj.DeviceVectorEnv(0), ValueError, "num_envs must be at least 1"),
    (lambda: oj.DeviceVectorEnv(2, size=5), ValueError, "size"),
    (lambda: oj.DeviceVectorEnv(2, 5), TypeError, "an opponent must be"),
    (lambda: oj.DeviceVectorEnv(2, None, size=4).step(jnp.zeros(2, int)), ResetNeeded, "reset"),
    (batch(lambda env: env.reset(options={"side": "black"})), ValueError, "side='black' needs an opponent"),
    (batch(lambda env: env.reset(options={"sides": "black"})), ValueError, "unknown reset option 'sides'"),
    (batch(lambda env: env.reset(options={"reset_mask": jnp.ones(3, bool)})), ValueError, "must have shape"),
    (lambda: oj.DeviceVectorEnv(2, None, size=4).reset(options={"reset_mask": FIRST}), ResetNeeded, "leave out"),
    (batch(lambda env: env.reset(seed=-1)), ValueError, "seed"),
    *((batch(lambda env, a=a: env.step(a)), ValueError, ACTIONS) for a in (np.zeros(3, int), np.zeros(2), 5)),
    (lambda: network().save(Path("a.safetensors")), ValueError, "needs function="),
    (lambda: network(lambda params, x: jnp.zeros((len(x), 17)), 6), ValueError, r"apply must return logits \(3, 37\)"),
    (lambda: network(size=5), ValueError, "size"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_a_wrong_call_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
