"""The Gymnasium environment: a learner against an opponent."""

import gymnasium
import numpy as np
import pytest
from scripted import WIPE_OUT, Script

from othello_env import Agent, Othello, State, drawing, make_agent, make_env

pytestmark = pytest.mark.nojit

ONE_MOVE_LEFT = Othello.from_text("XO--" + "----" * 3)
"""Black has only the move c1, which ends the game."""


def test_environments_that_share_an_opponent_play_as_with_one_each():
    def play(opponents):
        envs = [lambda o=o: make_env(opponent=o, openings="random:4") for o in opponents]
        vector = gymnasium.vector.SyncVectorEnv(envs)
        observation, _ = vector.reset(seed=1)
        for _ in range(40):
            yield observation["observation"].copy()
            observation, *_ = vector.step(observation["action_mask"].argmax(axis=1))
        vector.close()

    shared = make_agent("random", 1)
    apart = play([make_agent("random", 1) for _ in range(3)])
    for one, other in zip(play([shared] * 3), apart, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_opponents_pass_is_made_for_it() -> None:
    opponent = Script("f5")
    env = make_env(size=4, opponent=opponent, side="black")
    env.reset(options={"position": Othello.from_text("XXO-" + "----" * 3, to_move="O")})
    assert (opponent.asked, env.position.moves) == (0, (16,))


def test_where_the_learner_can_never_move_reset_says_so() -> None:
    env = make_env(size=4, side="white")
    with pytest.raises(ValueError, match="ended the game before the learner's first turn in each of 101 attempts"):
        env.reset(options={"position": ONE_MOVE_LEFT})
    env.reset()
    assert not env.position.is_over


def test_the_option_side() -> None:
    env = make_env(side="black", openings=["f5d6"])
    env.reset(options={"moves": "d3", "side": "white"})
    assert (env.position, env.learner) == (Othello.from_moves("d3"), 1)
    seen = set()
    for _ in range(20):
        env.reset(options={"side": "random"})
        seen.add(env.learner)
    assert seen == {0, 1}
    env.reset()
    assert (env.position, env.learner) == (Othello.from_moves("f5d6"), 0)


def test_human_mode_shows_every_position(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr(drawing.Window, "show", lambda self, pixels: shown.append(pixels))
    env = make_env(opponent=Script(WIPE_OUT), side="white", render_mode="human")
    env.reset()
    moves = Othello.from_moves(WIPE_OUT).moves
    for action in moves[1::2]:
        env.step(action)
    states = [Othello.from_moves(WIPE_OUT[: 2 * ply]) for ply in range(10)]
    assert len(shown) == 10
    assert all(np.array_equal(picture, drawing.pixels(state)) for picture, state in zip(shown, states, strict=True))


class Interrupted(Agent):
    """Behaves as a kernel that returns arrays and in which Ctrl-C was pressed."""

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()


def test_ctrl_c_while_an_opponent_thinks() -> None:
    env = make_env(side="black", opponent=Interrupted())
    env.reset()
    with pytest.raises(KeyboardInterrupt):
        env.step(19)
    assert env.position == Othello(), "the learner still has the move"
    with pytest.raises(KeyboardInterrupt):
        env.reset(options={"side": "white"})
