"""The PettingZoo environment: illegal actions, wrong options and arguments."""

import copy

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from scripted import WIPE_OUT, play_out

from othello_env import IllegalActionError, NotationError, Othello, othello_v0


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


def test_strict_raises_for_an_illegal_action_and_steps_nothing() -> None:
    env = othello_v0.env(strict=True)
    env.reset()
    before = copy.deepcopy(env.last())
    with pytest.raises(IllegalActionError, match=r"a1 \(action 0\) is not legal for black"):
        env.step(0)
    assert env.position == Othello()
    assert env.agent_selection == "black_0"
    assert not any(env.terminations.values())
    assert (env.last()[0]["action_mask"] == before[0]["action_mask"]).all()
    env.step(19)


@pytest.mark.parametrize("action", [65, -1, None, 19.0, "d3", np.array([19]), np.float32(19), 2**70])
@pytest.mark.parametrize("strict", [False, True])
def test_what_is_no_action_at_all_changes_nothing(action: object, strict: bool) -> None:
    env = othello_v0.env(strict=strict)
    env.reset()
    with pytest.raises(ValueError, match="expected an action as an integer from 0 to 64") as error:
        env.step(action)
    assert not isinstance(error.value, IllegalActionError)
    assert env.position == Othello()
    assert not any(env.terminations.values())


def test_nothing_works_before_reset_or_after_the_end() -> None:
    env = othello_v0.env()
    for call in (lambda: env.step(19), lambda: env.observe("black_0"), lambda: env.position, env.render):
        with pytest.raises(ResetNeeded):
            call()
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"postion": Othello()}, "unknown reset option 'postion'; expected position, moves, random_plies"),
        ({"side": "black"}, "unknown reset option 'side'"),
        ({"position": Othello(6)}, "expected openings for"),
        ({"position": "XO"}, "a board has 16, 36 or 64 squares"),
        ({"position": "-XO-" + "----" * 3}, "expected openings for"),
        ({"position": Othello.from_text("X" * 64)}, "an opening ends the game"),
        ({"moves": WIPE_OUT}, "an opening ends the game"),
        ({"moves": "f5f5"}, "ply 2"),
        ({"moves": "f5z9"}, "ply 2"),
        ({"random_plies": -1}, "random_plies must be an integer of at least 0"),
        ({"random_plies": 2.5}, "random_plies must be an integer of at least 0"),
        ({"random_plies": 70}, "use fewer random plies"),
    ],
)
def test_wrong_options_are_named_and_change_nothing(options: dict[str, object], message: str) -> None:
    env = othello_v0.env()
    env.reset(seed=1)
    play_out(env, "f5")
    keys = env._keys
    with pytest.raises((ValueError, NotationError), match=message):
        env.reset(options=options)
    assert env.position == Othello.from_moves("f5")
    assert env._keys == keys


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 5}, "size must be one of 4, 6, 8, not 5"),
        ({"reward": "discs"}, "reward must be one of 'result', 'margin', not 'discs'"),
        ({"render_mode": "svg"}, "render_mode must be one of None, 'human', 'rgb_array', 'ansi', not 'svg'"),
        ({"openings": "random"}, 'openings must be None, "random:PLIES"'),
        ({"openings": []}, "openings is empty"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        othello_v0.env(**arguments)
