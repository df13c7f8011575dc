"""The Gymnasium environment: illegal actions, failing opponents, wrong options and arguments."""

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from scripted import Script

from othello_env import Agent, AgentError, IllegalActionError, Othello, State, make_agent
from othello_env.envs.othello import OthelloEnv

pytestmark = pytest.mark.nojit


def test_a_reset_that_fails_leaves_the_opponent_in_its_game():
    def moves(opponent):
        env = OthelloEnv(opponent=opponent, side="black")
        env.reset(seed=1)
        if opponent is failing:
            failing.fails = True
            with pytest.raises(RuntimeError, match="not now"):
                env.reset(seed=2, options={"side": "white"})
            failing.fails = False
        for _ in range(10):
            env.step(int(env.action_masks().argmax()))
        return env.position.moves

    failing = Failing()
    assert moves(failing) == moves(make_agent("random", 1))


@pytest.mark.parametrize("options", [{"moves": "f5f5"}, {"side": "white"}])
def test_a_reset_that_fails_leaves_the_names_of_the_opponents(options):
    env = OthelloEnv(opponent="maximizer", side="black")
    env.reset(seed=1)
    failing = Failing()
    failing.fails = True
    env.set_opponents(failing)
    with pytest.raises((RuntimeError, IllegalActionError)):
        env.reset(seed=2, options=options)
    assert env.opponents == ("maximizer",)
    *_, info = env.step(int(env.action_masks().argmax()))
    assert (env.opponents[info["opponent"]], info["plies"]) == ("maximizer", 2)
    failing.fails = False
    env.reset(seed=2)
    assert env.opponents != ("maximizer",)


class Failing(Agent):
    """A random agent that fails if a flag is set."""

    def __init__(self):
        self.random, self.fails = make_agent("random", 1), False

    def new_game(self, seed):
        self.random.new_game(seed)

    def act(self, state, *, seconds_left=None):
        if self.fails:
            raise RuntimeError("not now")
        return self.random.act(state)


@pytest.mark.parametrize(("reward", "cost"), [("result", -1.0), ("margin", -64.0)])
def test_an_illegal_action_ends_the_game_at_the_learners_cost(reward: str, cost: float) -> None:
    env = OthelloEnv(side="black", reward=reward)
    env.reset()
    observation, got, terminated, truncated, info = env.step(0)
    assert (got, terminated, truncated) == (cost, True, False)
    assert (info["illegal_action"], info["winner"], info["discs"].tolist(), info["plies"]) == (0, -1, [2, 2], 0)
    assert not observation["action_mask"].any()
    assert env.position == Othello()
    with pytest.raises(ResetNeeded, match="the game is over"):
        env.step(19)


def test_strict_raises_for_an_illegal_action_and_steps_nothing() -> None:
    env = OthelloEnv(side="black", strict=True)
    env.reset()
    with pytest.raises(IllegalActionError, match=r"a1 \(action 0\) is not legal for black"):
        env.step(0)
    assert env.position == Othello()
    assert list(np.flatnonzero(env.action_masks())) == list(Othello().legal_actions())
    assert env.step(19)[4]["illegal_action"] == -1


@pytest.mark.parametrize("action", [65, -1, None, True, 19.0, "d3", np.array([19]), np.float32(19)])
def test_what_is_no_action_at_all_changes_nothing(action: Any) -> None:
    env = OthelloEnv(side="black")
    env.reset()
    with pytest.raises(ValueError, match="expected an action as an integer from 0 to 64") as error:
        env.step(action)
    assert not isinstance(error.value, IllegalActionError)
    assert env.position == Othello()
    env.step(np.int64(19))


class Constant(Agent):
    """Always answers the same action, legal or not."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __repr__(self) -> str:
        return "Constant"

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        return self.answer  # type: ignore[no-any-return]


@pytest.mark.parametrize("answer", [0, 65, -1, "d3", None, 1.5])
def test_an_opponents_illegal_answer_raises_and_names_it(answer: Any) -> None:
    env = OthelloEnv(side="black", opponent=Constant(answer))
    env.reset()
    with pytest.raises(AgentError, match="agent Constant answered with an illegal action"):
        env.step(19)
    assert env.position == Othello(), "the learner still has the move"


class Interrupted(Agent):
    """Behaves as a kernel that returns arrays and in which Ctrl-C was pressed."""

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()


def test_ctrl_c_while_an_opponent_thinks() -> None:
    env = OthelloEnv(side="black", opponent=Interrupted())
    env.reset()
    with pytest.raises(KeyboardInterrupt):
        env.step(19)
    assert env.position == Othello(), "the learner still has the move"
    with pytest.raises(KeyboardInterrupt):
        env.reset(options={"side": "white"})


def test_nothing_works_before_reset() -> None:
    env = OthelloEnv()
    for call in (lambda: env.step(19), lambda: env.position, env.render):
        with pytest.raises(ResetNeeded):
            call()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"colour": "white"}, "unknown reset option 'colour'; expected position, moves, random_plies, side"),
        ({"side": "red"}, "side must be one of 'random', 'black', 'white', not 'red'"),
        ({"moves": "f5f5"}, "ply 2"),
        ({"random_plies": "ten"}, "random_plies must be an integer of at least 0, not 'ten'"),
        ({"position": 7}, "position must be a State, or a board as text, not 7"),
        ({"moves": 5}, "moves must be a transcript, or actions or their names"),
    ],
)
def test_wrong_options_are_named_and_change_nothing(options: dict[str, Any], message: str) -> None:
    env = OthelloEnv(side="black", opponent=Script("d3c3"))
    env.reset()
    env.step(19)
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)
    assert env.position == Othello.from_moves("d3c3")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 7}, "size must be one of 4, 6, 8, not 7"),
        ({"side": "red"}, "side must be one of 'random', 'black', 'white', not 'red'"),
        ({"reward": "discs"}, "reward must be one of"),
        ({"render_mode": "svg"}, "render_mode must be one of"),
        ({"openings": "random"}, "openings must be None"),
        ({"opponent": "nobody"}, "there is no agent 'nobody'; known are .*random"),
        ({"opponent": ("random", "random")}, "expected an opponent for each of 1 other seats, got 2"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OthelloEnv(**arguments)
