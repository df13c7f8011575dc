"""What environments refuse: a table of calls, errors and words of their messages for each kind of refusal.

A call that an environment refuses changes nothing in it.
"""

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from random_steps import FIRST, START

from othello_env import (
    Agent,
    AgentError,
    Checkers,
    IllegalActionError,
    Othello,
    SpecError,
    Tribolo,
    WrongGameError,
    checkers_v0,
    make_env,
    make_vec_env,
    othello_v0,
    sample_legal,
    tribolo_v0,
)
from othello_env.envs import GameEnv, GameVectorEnv

pytestmark = pytest.mark.nojit

SMALL = {"width": 8, "height": 6, "cells": 3, "walls": 3}
ENVS = {
    "single": lambda **more: make_env(**{"side": "black"} | more),
    "aec": othello_v0.env,
    "vector": lambda **more: make_vec_env(2, **{"side": "black"} | more),
    "self-play": lambda **more: make_vec_env(2, opponent=None, **more),
    "tribolo": lambda **more: GameEnv("tribolo", **SMALL, **more),
    "tribolo aec": lambda **more: tribolo_v0.env(**SMALL, **more),
    "tribolo vector": lambda **more: GameVectorEnv("tribolo", 2, **SMALL, **more),
    "checkers": lambda **more: GameEnv("checkers", **more),
    "checkers aec": checkers_v0.env,
    "checkers vector": lambda **more: GameVectorEnv("checkers", 2, **more),
}
ALL, OTHELLO, ONE, MANY = [*ENVS], [*ENVS][:4], ["single", "aec"], ["vector", "self-play"]
CHECKERS = ["checkers", "checkers aec", "checkers vector"]
OTHER_DRAWS = Checkers.from_text("B:WK32:BK1", draws="40-move")
UNREACHED = Othello().at(Othello().own, Othello().opponent, 0, (0,) * 40)
MASK = np.array([True, False])


def reset(**options):
    return lambda env: env.reset(options=options)


def seed(value):
    return lambda env: env.reset(seed=value)


def step(action):
    return lambda env: env.step(action)


AN_ACTION, A_SEED = "expected an action as an integer from 0 to 64", "a seed must be an integer of at least 0, not "
NO_ACTIONS = [65, -1, None, True, 19.0, "d3", [19], np.array([19, 19]), np.array([True]), np.float32(19), 2**70]
CALLS = [
    (ALL, seed(np.int64(-1)), ValueError, A_SEED),
    *((ALL, seed(wrong), TypeError, A_SEED) for wrong in (True, 1.0, "1")),
    (MANY, seed([1, 1.5]), TypeError, A_SEED),
    *((MANY, seed(wrong), ValueError, "expected a seed for each of 2 games") for wrong in ([5], (1, 2, 3))),
    (OTHELLO, reset(postion=Othello()), ValueError, "unknown reset option 'postion'; expected position, moves, "),
    (["single", "vector"], reset(side="red"), ValueError, "side must be one of 'random', 'black', 'white', not 'red'"),
    (["aec"], reset(side="black"), ValueError, "unknown reset option 'side'"),
    (["self-play"], reset(side="black"), ValueError, "side='black' needs an opponent"),
    (OTHELLO, reset(position=Othello(6)), ValueError, "expected openings for"),
    (OTHELLO, reset(position="XO"), ValueError, "a board has 16, 36 or 64 squares"),
    (OTHELLO, reset(position="-XO-" + "----" * 3), ValueError, "expected openings for"),
    (OTHELLO, reset(position=Othello.from_text("X" * 64)), ValueError, "an opening ends the game"),
    (OTHELLO, reset(moves="e6f4e3f6g5d6e7f5c5"), ValueError, "an opening ends the game"),
    (OTHELLO, reset(moves="f5f5"), ValueError, "ply 2"),
    (OTHELLO, reset(moves="f5z9"), ValueError, "ply 2"),
    (OTHELLO, reset(random_plies=-1), ValueError, "random_plies must be at least 0, not -1"),
    *((OTHELLO, reset(random_plies=n), TypeError, "random_plies must be a whole number") for n in (True, 2.5, "2")),
    (ONE, reset(random_plies=70), ValueError, "use fewer random plies"),
    (MANY, reset(reset_mask=[True, False]), TypeError, "bool array"),
    (MANY, reset(reset_mask=np.ones(2, np.int8)), TypeError, "bool array, not int8"),
    (MANY, reset(reset_mask=np.ones(3, bool)), ValueError, r"shape \(2,\)"),
    (MANY, reset(reset_mask=np.zeros(2, bool)), ValueError, "True"),
    (CHECKERS, reset(position=OTHER_DRAWS), ValueError, "expected openings for .*, got .*draws='40-move'"),
    *((ONE, step(wrong), ValueError, AN_ACTION) for wrong in NO_ACTIONS),
    (MANY, step([19] * 3), ValueError, r"shape \(2,\).*got shape \(3,\)"),
    (MANY, step([[19], [19]]), ValueError, r"got shape \(2, 1\)"),
    (MANY, step(np.array([19, 19], np.float32)), ValueError, "dtype float32"),
    (MANY, step(np.array([True, False])), ValueError, "dtype bool"),
    (MANY, step([19, 65]), ValueError, "from 0 to 64, got 65 for game 1"),
    (MANY, step(np.array([19, 2**64 - 1], np.uint64)), ValueError, "for game 1"),
    (MANY, step([-1, 19]), ValueError, "from 0 to 64, got -1 for game 0"),
    *((MANY, lambda env, i=i: env.position(i), IndexError, f"games are 0 to 1; there is no game {i}") for i in (-1, 2)),
    (MANY, lambda env: env.final_position(0), LookupError, "no game 0 ended in the last step"),
    (MANY, lambda env: env.set_openings([]), ValueError, "openings is empty"),
    (MANY, lambda env: env.set_openings([UNREACHED]), ValueError, "40 moves cannot lead to this position"),
    (["aec"], lambda env: env.observe("red_0"), ValueError, "no agent 'red_0'; the agents are black_0, white_0"),
    (["single", "vector"], lambda env: env.set_opponents(None), TypeError, "not None; for self-play, make a batch"),
    (["single", "vector"], lambda env: env.set_opponents("nobody"), SpecError, "nobody"),
    (["single", "vector"], lambda env: env.set_opponents({"random": 0}), ValueError, "weights of at least 0"),
    (["checkers", "checkers vector"], lambda env: env.set_opponents("ntuple"), WrongGameError, "not Checkers"),
    (["self-play"], lambda env: env.set_opponents("random"), ValueError, "self-play"),
]  # fmt: skip


def rows(calls):
    return [pytest.param(kind, *row, id=f"{kind}-{k}") for k, (kinds, *row) in enumerate(calls) for kind in kinds]


def start(env):
    return [env.position(i) for i in range(2)] if isinstance(env, GameVectorEnv) else env.position


@pytest.mark.parametrize(("kind", "call", "error", "words"), rows(CALLS))
def test_a_refused_call_changes_nothing(kind, call, error, words):
    openings = None if kind.startswith("tribolo") else "random:3"  # each board of Tribolo differs, and some are short
    env, twin = (ENVS[kind](openings=openings) for _ in range(2))
    for each in (env, twin):
        each.reset(seed=1)
    with pytest.raises(error, match=words) as caught:
        call(env)
    assert not isinstance(caught.value, IllegalActionError) or "ply" in words
    assert start(env) == start(twin)
    for each in (env, twin):
        each.reset()
    assert start(env) == start(twin)


@pytest.mark.parametrize(("kind", "actions"), [("single", 0), ("aec", 0), ("vector", [19, 0]), ("self-play", [19, 0])])
def test_a_strict_environment_refuses_an_illegal_action(kind, actions):
    env = ENVS[kind](strict=True)
    env.reset(seed=1)
    before = start(env)
    with pytest.raises(IllegalActionError, match=r"a1 \(action 0\) is not legal for black; the legal moves are: "):
        env.step(actions)
    assert start(env) == before
    env.step(19 if np.ndim(actions) == 0 else [19, 19])
    assert start(env) != before


MISSPELLED = r"there is no argument board_size \(did you mean size\?\); the arguments are .*size"
ARGUMENTS = [
    (["single", "aec", "vector"], {"board_size": 6}, TypeError, MISSPELLED),
    (OTHELLO, {"colour": "black"}, TypeError, "there is no argument colour; the arguments are .*size, "),
    (OTHELLO, {"size": 5}, ValueError, "size must be one of 4, 6, 8, not 5"),
    (OTHELLO, {"openings": [Othello(6)]}, ValueError, "expected openings for"),
    (ALL, {"reward": "points"}, ValueError, "reward must be one of"),
    (ALL, {"strict": 1}, TypeError, "strict must be True or False"),
    (MANY, {"render_mode": "human"}, ValueError, "render_mode must be one of None, 'rgb_array', 'ansi'"),
    (ONE, {"render_mode": "video"}, ValueError, "render_mode must be one of"),
    (MANY, {"num_threads": 0}, ValueError, "num_threads must be at least 1, not 0"),
    (MANY, {"autoreset_mode": "sometimes"}, ValueError, "one of .*'NextStep'.*, not 'sometimes'"),
    (["self-play"], {"side": "black"}, ValueError, "side='black' needs an opponent"),
    (["single", "vector"], {"side": "red"}, ValueError, "side must be one of 'random', 'black', 'white', not 'red'"),
    (["checkers", "checkers vector"], {"side": "black"}, ValueError, "'red', 'white'"),
    (["tribolo", "tribolo vector"], {"side": "white"}, ValueError, "'blue', 'red', 'green'"),
    (["single", "tribolo"], {"opponent": None}, TypeError, "not None; for self-play, make a batch of games with"),
    (["single", "vector"], {"opponent": "nobody"}, SpecError, "nobody"),
    *((["single", "vector"], {"opponent": {"random": w}}, ValueError, "weights") for w in (0.0, -1.0)),
    (["tribolo", "tribolo vector"], {"opponent": ("random",)}, ValueError, "each of 2 other seats, got 1"),
    (["checkers", "checkers vector"], {"opponent": ("random",) * 2}, ValueError, "each of 1 other seats, got 2"),
    (["single", "vector"], {"size": 4, "opponent": "ntuple"}, WrongGameError, "size 4"),
    (["single", "vector"], {"size": 4, "opponent": "alphabeta:eval=iago"}, WrongGameError, "size 4"),
    (["vector"], {"size": 4, "opponent": {"random": 1, "ntuple": 1}}, WrongGameError, "size 4"),
    (["checkers", "checkers vector"], {"opponent": "alphabeta:eval=iago"}, WrongGameError, "not for Checkers"),
    (CHECKERS, {"size": 7}, ValueError, "4, 6, 8, 10"),
    (CHECKERS, {"draws": "never"}, ValueError, "40-move"),
    (CHECKERS, {"openings": [OTHER_DRAWS]}, ValueError, "expected openings for .*draws='40-move'"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "arguments", "error", "words"), rows(ARGUMENTS))
def test_a_wrong_argument_is_named(kind, arguments, error, words):
    with pytest.raises(error, match=words):
        ENVS[kind](**arguments)


RNG = np.random.default_rng(0)
GAMES = r"expected one of the games checkers, .*othello, .*tribolo"
OTHERS = [
    (lambda: make_vec_env(0), ValueError, "num_envs must be at least 1, not 0"),
    (lambda: tribolo_v0.env(walls=200), ValueError, "no empty cell"),
    (lambda: gymnasium.make("othello_env/Game-v0"), ValueError, GAMES),
    (lambda: gymnasium.make_vec("othello_env/Game-v0", num_envs=2), ValueError, GAMES),
    (
        lambda: gymnasium.make_vec("othello_env/Othello-v0", num_envs=2, max_episode_steps=10),
        ValueError,
        "plays every game to its end: max_episode_steps must be at least 64, not 10",
    ),
    (lambda: gymnasium.make_vec("othello_env/Othello-v0", num_envs=2, colour=1), TypeError, "no argument colour"),
    (lambda: gymnasium.make("othello_env/Othello-v0", colour=1), TypeError, "no argument colour"),
    *(
        (lambda rng=rng: sample_legal(np.ones((2, 5), np.int8), rng), TypeError, r"expected a numpy\.random\.Generator")
        for rng in (None, 5, np.random.RandomState(0))
    ),
    *(
        (lambda masks=masks: sample_legal(masks, RNG), ValueError, "expected masks of shape")
        for masks in (np.zeros(65, np.int8), np.zeros((2, 65)), np.zeros((2, 65), np.int64), [[True], [1.5]])
    ),
    (lambda: Tribolo(-1), ValueError, A_SEED),
    (lambda: Tribolo(1.0), TypeError, A_SEED),
]


@pytest.mark.parametrize(("call", "error", "words"), OTHERS)
def test_another_wrong_call_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("kind", ALL)
def test_nothing_works_before_a_reset_or_after_the_end(kind):
    env = ENVS[kind]()
    is_batch = isinstance(env, GameVectorEnv)
    for call in (lambda: start(env), env.render, lambda: env.step([0, 0] if is_batch else 0)):
        with pytest.raises(ResetNeeded):
            call()
    if is_batch:
        with pytest.raises(ResetNeeded, match="all games"):
            env.reset(options={"reset_mask": MASK})
        return
    env.reset(seed=1)
    illegal = int(env.position.action_mask().argmin())
    env.step(illegal)
    if hasattr(env, "agents"):
        with pytest.raises(ValueError, match="None"):
            env.step(illegal)
        for _ in env.possible_agents:
            env.step(None)
    with pytest.raises(ResetNeeded, match="the game is over"):
        env.step(illegal)


class Fixed(Agent):
    """Always answers the same action, legal or not."""

    def __init__(self, answer):
        self.answer = answer

    def __repr__(self):
        return "Fixed"

    def act(self, state, *, seconds_left=None):
        return self.answer

    def act_batch(self, batch):
        return np.full(len(batch), self.answer)


@pytest.mark.parametrize("answer", [0, 65, -1, "d3", None, 1.5])
def test_an_opponents_illegal_answer_raises_and_names_it(answer):
    env = make_env(side="black", opponent=Fixed(answer))
    env.reset()
    with pytest.raises(AgentError, match="agent Fixed answered with an illegal action"):
        env.step(19)
    assert env.position == Othello(), "the learner still has the move"


@pytest.mark.parametrize("answer", [5, 99, 16])
def test_an_opponents_illegal_answer_in_a_batch_asks_for_a_reset(answer):
    env = make_vec_env(20, 4, {"random": 1.0, Fixed(answer): 1.0}, side="black")
    env.reset(seed=0)
    with pytest.raises(AgentError, match=r"(?s)agent Fixed answered with an illegal action in Othello.*"):
        env.step([FIRST] * 20)
    with pytest.raises(ResetNeeded):
        env.step([FIRST] * 20)
    env.reset(seed=0)
    assert env.position(0) == START


@pytest.mark.parametrize("value", [np.uint8(7), np.array(7), 7 + 2**64])
@pytest.mark.parametrize("kind", ALL)
def test_integers_of_any_kind_are_seeds(kind, value):
    openings = None if kind.startswith("tribolo") else "random:5"
    env, twin = (ENVS[kind](openings=openings) for _ in range(2))
    env.reset(seed=value)
    twin.reset(seed=7)
    assert start(env) == start(twin)


@pytest.mark.parametrize("kind", ONE)
@pytest.mark.parametrize("action", [np.array(19), np.array([19]), np.array([[19]], np.uint8), np.int8(19)], ids=repr)
def test_an_array_of_one_integer_is_an_action(kind, action):
    env = ENVS[kind]()
    env.reset()
    env.step(action)
    assert env.position.moves[0] == 19
