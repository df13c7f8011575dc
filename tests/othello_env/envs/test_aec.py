"""The PettingZoo environment."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from scripted import WIPE_OUT, play_out

from othello_env import IllegalActionError, Othello, checkers_v0, drawing, othello_v0, tribolo_v0
from othello_env.envs import GameAEC
from othello_env.envs.seeding import env_key, game_key
from othello_env.games.openings import Openings

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

    @pytest.mark.parametrize(
        "make",
        [
            lambda: othello_v0.env(openings="random:6"),
            lambda: tribolo_v0.env(**SMALL),
            lambda: checkers_v0.env(openings="random:4"),
        ],
    )
    def test_seeds(self, make: Callable[[], GameAEC]) -> None:
        from pettingzoo.test import seed_test

        seed_test(make)

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


def test_an_observation_belongs_to_the_caller() -> None:
    env = othello_v0.env()
    env.reset(seed=1)
    first = env.observe("black_0")
    mask = first.pop("action_mask").copy()
    first["observation"][:] = 7
    again, *_ = env.last()
    np.testing.assert_array_equal(again["action_mask"], mask)
    assert again["observation"].max() == 1


@pytest.mark.parametrize(("reward", "worth"), [("result", 1.0), ("margin", 64.0)])
def test_each_agent_gets_its_own_result_when_the_other_ended_the_game(reward: str, worth: float) -> None:
    env = othello_v0.env(reward=reward)
    env.reset()
    play_out(env, WIPE_OUT)
    results, infos = {}, {}
    for agent in env.agent_iter():
        _, results[agent], terminated, _, infos[agent] = env.last()
        assert terminated
        env.step(None)
    assert results == {"black_0": worth, "white_0": -worth}
    for info in infos.values():
        assert (info["winner"], info["plies"], info["illegal_action"]) == (0, len(env.position.moves), -1)
        assert info["discs"].tolist() == [13, 0]


def test_a_draw_has_no_winner() -> None:
    env = othello_v0.env(size=4)
    env.reset(options={"position": "XOOO XXOO OOOO XXO-"})
    play_out(env, "d4")
    assert env.rewards == {"black_0": 0.0, "white_0": 0.0}
    assert (env.infos["black_0"]["winner"], env.infos["black_0"]["discs"].tolist()) == (-1, [8, 8])


class TestLoop:
    """`agent_iter` raises an error for a loop that begins before a reset, or that would never end."""

    def test_a_loop_needs_a_reset(self) -> None:
        env = othello_v0.env(size=4)
        with pytest.raises(ResetNeeded, match=r"agent_iter\(\) needs a reset\(\) first"):
            env.agent_iter()
        env.reset()
        assert next(iter(env.agent_iter())) == "black_0"

    def test_a_loop_without_a_step_raises_an_error(self) -> None:
        env = othello_v0.env(size=4)
        env.reset()
        with pytest.raises(RuntimeError, match=r"step\(\) was not called"):
            list(env.agent_iter(max_iter=10))
        agents = env.agent_iter(max_iter=10)
        assert next(agents) == "black_0"
        env.step(env.position.legal_actions()[0])
        assert next(agents) == "white_0"
        env.last()
        with pytest.raises(RuntimeError, match=r"step\(\) was not called"):
            next(agents)

    def test_a_loop_may_reset_and_may_try_again_after_an_error(self) -> None:
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

    def test_a_loop_can_be_left_and_continued_and_has_a_limit(self) -> None:
        env = othello_v0.env(size=4)
        env.reset()
        for _ in env.agent_iter():
            break
        seen = []
        for agent in env.agent_iter(3):
            seen.append(agent)
            env.step(env.position.legal_actions()[0])
        assert seen == ["black_0", "white_0", "black_0"]
        assert len(env.position.moves) == 3


def starts(env: GameAEC, count: int, seed: int | None) -> Iterator[Othello]:
    for game in range(count):
        env.reset(seed=seed if game == 0 else None)
        yield env.position


def test_a_seed_determines_the_games_that_follow() -> None:
    env = othello_v0.env(openings="random:8")
    games = list(starts(env, 6, 3))
    assert games == list(starts(env, 6, 3)) == list(starts(othello_v0.env(openings="random:8"), 6, 3))
    assert games != list(starts(env, 6, 4))
    openings = Openings("random:8", lambda _: Othello())
    assert games == [openings.draw(game_key(env_key(3), game)) for game in range(6)]
    assert len(set(games)) == 6


def test_options_say_where_the_game_begins() -> None:
    env = othello_v0.env(openings=["f5d6"])
    env.reset()
    assert env.position == Othello.from_moves("f5d6")
    env.reset(options={"moves": "d3c3"})
    assert env.position == Othello.from_moves("d3c3")
    position = Othello.from_moves("c4e3")
    env.reset(options={"position": position, "moves": "f6"})
    assert env.position == position.play_transcript("f6")
    env.reset(options={"position": Othello().to_text()})
    assert env.position == Othello()
    env.reset(options={"random_plies": 7, "moves": "d3c3"})
    assert len(env.position.moves) == 9
    assert env.position.moves[:2] == Othello.from_moves("d3c3").moves
    env.reset(options={"moves": None})
    assert env.position == Othello.from_moves("f5d6")


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


@pytest.mark.parametrize(("reward", "cost"), [("result", 1.0), ("margin", 64.0)])
def test_an_illegal_action_ends_the_game_at_the_movers_cost(reward: str, cost: float) -> None:
    env = othello_v0.env(reward=reward)
    env.reset()
    play_out(env, "f5")
    before = env.position
    env.step(0)
    assert env.rewards == {"black_0": 0.0, "white_0": -cost}
    assert env.position is before
    assert env.agents == ["black_0", "white_0"]
    for agent in env.agent_iter():
        observation, reward_of_agent, terminated, _, info = env.last()
        assert terminated
        assert reward_of_agent == (0.0 if agent == "black_0" else -cost)
        assert not observation["action_mask"].any()
        assert (info["illegal_action"], info["winner"], info["discs"].tolist()) == (0, -1, [4, 1])
        env.step(None)
    assert env.agents == []


def test_nothing_works_before_reset_or_after_the_end() -> None:
    env = othello_v0.env()
    with pytest.raises(ResetNeeded):
        env.observe("black_0")
    with pytest.raises(AttributeError, match="agent_selection exists only after reset"):
        env.last()
    env.reset()
    play_out(env, WIPE_OUT)
    with pytest.raises(ValueError, match="None"):
        env.step(19)
    env.step(None)
    env.step(None)
    with pytest.raises(ResetNeeded, match="the game is over"):
        env.step(19)
    env.reset()
    assert env.agents == env.possible_agents


def test_an_unknown_agent_is_named() -> None:
    env = othello_v0.env()
    env.reset()
    with pytest.raises(ValueError, match="no agent 'red_0'; the agents are black_0, white_0"):
        env.observe("red_0")
