"""The arrays of the batch on a device, and its errors. ``tests/test_conformance.py`` checks its games."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is an optional extra")
jnp = jax.numpy

import gymnasium  # noqa: E402

import othello_env.jax as oj  # noqa: E402 - only if there is JAX
from othello_env import Othello  # noqa: E402


def test_all_arrays_are_on_the_device():
    env = oj.DeviceVectorEnv(4, None, size=4)
    assert env.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    told = [env.reset(seed=1), env.step(jnp.full(4, 1, jnp.uint8))]
    assert all(isinstance(each, jax.Array) for each in jax.tree.leaves(told))
    for observation, *_, info in told:
        assert {name: (each.shape, str(each.dtype)) for name, each in observation.items()} == {
            "observation": ((4, 2, 4, 4), "int8"),
            "action_mask": ((4, 17), "int8"),
        }
        assert (info["action_mask"] == observation["action_mask"]).all()
    assert [info["to_move"].tolist() for *_, info in told] == [[0] * 4, [1] * 4]
    assert [str(each.dtype) for each in told[1][1:4]] == ["float32", "bool", "bool"]


def test_info_says_who_of_a_pool_plays():
    """The opponents open with different moves, so a game that the opponent begins shows who it is."""

    def first(state, key):
        return jnp.argmax(state.legal_action_mask)

    def last(state, key):
        return 16 - jnp.argmax(state.legal_action_mask[::-1])

    env = oj.DeviceVectorEnv(32, {first: 1, last: 1}, size=4)
    observation, info = env.reset(seed=1)
    seen = []
    for _ in range(20):
        board = np.asarray(observation["observation"]).reshape(32, 2, 16)
        begun = np.flatnonzero(board.sum(axis=(1, 2)) == 5)  # by the opponent's move 1 or 14
        assert board[begun, 1, np.where(np.asarray(info["opponent"])[begun] == 0, 1, 14)].all()
        seen += info["opponent"][begun].tolist()
        observation, *_, info = env.step(jnp.argmax(observation["action_mask"], axis=1))
    assert min(seen.count(0), seen.count(1)) > 20


def test_a_reset_with_options():
    env = oj.DeviceVectorEnv(64, "maximizer:eval=weighted", size=6, openings=["c2"])
    env.reset(seed=1)

    def begun(**options):
        """The planes of the positions after a reset, the number of their discs, and the learner's colours."""
        observation, _ = env.reset(options=options)
        planes = np.asarray(observation["observation"])
        assert (np.asarray(env.state.current_player) == 0).all()
        return planes, planes.sum(axis=(1, 2, 3)), np.asarray(env.state._color)

    planes, discs, colors = begun(random_plies=7)
    assert {*discs.tolist()} == {11, 12}  # with the opponent's move, if it begins
    assert len(np.unique(planes, axis=0)) > 40
    board = "-" * 6 + "-XXX--" + "--XO--" + "--OX--" + "-" * 12
    for position, mover in ((board, 0), (Othello.from_text(board, to_move="O"), 1)):
        for color, side in enumerate(("black", "white")):
            _, discs, colors = begun(position=position, side=side)
            assert (colors == color).all()
            assert (discs == 7 + (color != mover)).all()
    planes, discs, _ = begun(moves=["c2", "b2"], side="black")
    assert (discs == 6).all()
    kept, mask = planes, np.arange(64) < 20
    planes, discs, _ = begun(random_plies=3, reset_mask=jnp.asarray(mask))
    assert (planes[20:] == kept[20:]).all()
    assert {*discs[:20].tolist()} == {7, 8}
    planes, discs, _ = begun()
    assert {*discs.tolist()} == {5, 6}  # the opening of the environment again
    state = env.state
    with pytest.raises(ValueError, match="the opponent's moves ended a game before the learner's first turn"):
        env.reset(seed=3, options={"position": "XO" + "-" * 34, "side": "white"})
    assert env.state is state


def test_wrappers_of_gymnasium_turn_the_arrays_into_those_of_other_libraries():
    torch = pytest.importorskip("torch", reason="turns arrays into tensors of PyTorch")
    from gymnasium.wrappers.vector import JaxToNumpy, JaxToTorch  # need array_api_compat, which the extra installs

    seen = []
    for wrapper, array in ((JaxToNumpy, np.ndarray), (JaxToTorch, torch.Tensor)):
        env = wrapper(oj.DeviceVectorEnv(8, "random", size=4))
        observation, _ = env.reset(seed=3)
        for _ in range(5):
            actions = observation["action_mask"].argmax(axis=1)
            observation, rewards, *_ = env.step(actions)
        assert all(isinstance(each, array) for each in (*observation.values(), rewards))
        seen.append([each.tolist() for each in (*observation.values(), rewards)])
    assert seen[0] == seen[1]
