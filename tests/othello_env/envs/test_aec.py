"""The PettingZoo environment."""

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from scripted import WIPE_OUT, play_out

from othello_env import IllegalActionError, Othello, checkers_v0, drawing, othello_v0, tribolo_v0
from othello_env.envs import GameAEC

SMALL = {"width": 7, "height": 6, "cells": 3, "walls": 3}


def wrapped_in_turn(env: GameAEC) -> list[AECEnv]:
    """The environment in each wrapper of PettingZoo that works with any game."""
    return [
        wrappers.BaseWrapper(env),
        wrappers.AssertOutOfBoundsWrapper(env),
        wrappers.TerminateIllegalWrapper(env, illegal_reward=-1),
        wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env)),
    ]


@pytest.mark.parametrize("env", [othello_v0.env(), tribolo_v0.env(), checkers_v0.env()])
def test_the_state_is_the_first_players_view_and_the_turn_also_in_wrappers(env: GameAEC) -> None:
    for wrapped in (env, *wrapped_in_turn(env)):
        wrapped.reset(seed=3)
        rng = np.random.default_rng(3)
        for _ in range(12):
            state, position = wrapped.state(), wrapped.unwrapped.position
            planes, turns = np.split(state, [position.observation_shape[0]])
            assert (state.dtype, state.shape) == (np.int8, wrapped.state_space.shape)
            assert wrapped.state_space.contains(state)
            assert (planes == position.observation(0)).all()
            assert [bool(turn.all()) for turn in turns] == [i == position.to_move for i in range(position.num_players)]
            assert not np.delete(turns, position.to_move, axis=0).any()
            wrapped.step(rng.choice(position.legal_actions()))


@pytest.mark.filterwarnings("ignore:The old environment creation API:DeprecationWarning")
class TestPettingZooSuite:
    """The environments pass PettingZoo's checks."""

    # PettingZoo's check expects arrays as observations. It also expects at least one legal action for every agent.
    @pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
    @pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
    @pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning")
    @pytest.mark.parametrize(
        "env",
        [othello_v0.env(), othello_v0.env(size=4), tribolo_v0.env(**SMALL), checkers_v0.env(size=6, draws="40-move")],
    )
    def test_api(self, env: GameAEC) -> None:
        from pettingzoo.test import api_test

        api_test(env, num_cycles=400)

    @pytest.mark.parametrize("env", [othello_v0.env(size=4), tribolo_v0.env(), checkers_v0.env()])
    def test_state(self, env) -> None:
        from pettingzoo.test.state_test import test_state, test_state_space

        for wrapped in (env, *wrapped_in_turn(env)):
            test_state_space(wrapped)
            test_state(wrapped, num_cycles=30)

    def test_render(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from pettingzoo.test import render_test

        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
        monkeypatch.setattr("othello_env.envs.rendering.RENDER_FPS", 1000)
        render_test(othello_v0.env)


def test_a_loop_has_a_limit_and_raises_an_error_where_it_would_never_end() -> None:
    env = othello_v0.env(size=4)
    with pytest.raises(ResetNeeded, match=r"agent_iter\(\) needs a reset\(\) first"):
        env.agent_iter()
    env.reset()
    with pytest.raises(RuntimeError, match=r"step\(\) was not called"):
        list(env.agent_iter(max_iter=10))
    seen = []
    for agent in env.agent_iter(3):
        seen.append(agent)
        env.step(env.position.legal_actions()[0])
    assert seen == ["black_0", "white_0", "black_0"]
    agents = env.agent_iter(max_iter=10)
    assert next(agents) == "white_0"
    env.last()
    with pytest.raises(RuntimeError, match=r"step\(\) was not called"):
        next(agents)


def test_a_loop_may_reset_and_may_try_again_after_an_error() -> None:
    env = othello_v0.env(size=4, strict=True)
    env.reset()
    resets = tries = 0
    for agent in env.agent_iter():
        if len(env.position.moves) == 3 and resets < 2:
            resets += 1
            env.reset()
        elif tries < 2:
            tries += 1
            with pytest.raises(IllegalActionError):
                env.step(0)
        else:
            env.step(None if env.terminations[agent] else env.position.legal_actions()[0])
    assert (resets, tries, env.agents) == (2, 2, [])
    assert not list(env.agent_iter())


def test_every_mode_renders_the_final_board() -> None:
    for mode, draw in (("ansi", drawing.text), ("rgb_array", drawing.pixels)):
        env = othello_v0.env(render_mode=mode)
        env.reset()
        play_out(env, WIPE_OUT)
        assert np.array_equal(env.render(), draw(Othello.from_moves(WIPE_OUT)))
        env.close()
    env = othello_v0.env()
    env.reset()
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
