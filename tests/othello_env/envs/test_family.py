"""All games in both environments: turns, chains, skips, rewards, options, bad input."""

import copy
import pickle
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from othello_env import (
    Agent,
    Checkers,
    IllegalActionError,
    Othello,
    Tribolo,
    checkers_v0,
    make_agent,
    make_env,
    othello_v0,
    tribolo_v0,
)
from othello_env.envs import GameEnv, GameVectorEnv
from othello_env.envs.seeding import env_key, game_key, learner_seat, opponent_key, redraw_key
from othello_env.games.openings import Openings

SMALL = {"width": 7, "height": 6, "cells": 3, "walls": 3}
CHAIN = Checkers.from_text("B:W15,22,32:B11,1")
"""Red must capture the piece on 15, and then, with the same piece, the piece on 22."""
LAST = Tribolo.from_text("GR#/RB-/BB#")
"""Red has only the move c2, which ends the game."""


def info_of(state, opponent):
    """The info that a game has at every step, for the learner or for every agent."""
    best = [i for i, result in enumerate(state.returns()) if result == max(state.returns())]
    return {
        "winner": np.int64(-2 if not state.is_over else best[0] if len(best) == 1 else -1),
        "discs": np.array(state.scores(), np.int64),
        "plies": np.int64(len(state.moves)),
        "illegal_action": np.int64(-1),
        "opponent": opponent,
    }


@pytest.mark.parametrize(
    ("env", "start"),
    [
        (othello_v0.env(), lambda key: Othello()),
        (othello_v0.env(size=4), lambda key: Othello(4)),
        (tribolo_v0.env(**SMALL), lambda key: Tribolo(key, **SMALL)),
        (checkers_v0.env(), lambda key: Checkers()),
        (checkers_v0.env(size=6, draws="threefold"), lambda key: Checkers(6, "threefold")),
    ],
    ids=["othello", "othello 4x4", "tribolo", "checkers", "checkers 6x6"],
)
def test_agents_are_stepped_as_the_rules_say(env, start, assert_same_info):
    rng = np.random.default_rng(1)
    again = passes = 0
    for game in range(6):
        env.reset(seed=5 if game == 0 else None)
        state = start(game_key(env_key(5), game))
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            player = env.possible_agents.index(agent)
            assert env.position == state
            assert (observation["observation"] == state.observation(player)).all()
            assert env.observation_space(agent).contains(observation)
            assert (terminated, truncated) == (state.is_over, False)
            assert reward == state.returns()[player]
            for each in (info, *map(env.infos.get, env.agents)):
                assert_same_info(each, info_of(state, opponent=np.int64(-1)))
            if terminated:
                assert not observation["action_mask"].any()
                env.step(None)
                continue
            assert player == state.to_move
            assert tuple(np.flatnonzero(observation["action_mask"])) == state.legal_actions()
            for other in set(env.possible_agents) - {agent}:
                assert not env.observe(other)["action_mask"].any()
            action = rng.choice(state.legal_actions())
            env.step(action)
            again += state.to_move == state.play(action).to_move
            passes += action == getattr(state, "pass_action", None)
            state = state.play(action)
    assert again + passes > 0


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def against_first_legal(**more):
    return make_env(side="black", opponent=first_legal, **more)


both_kinds = pytest.mark.parametrize("make", [othello_v0.env, against_first_legal])


@both_kinds
def test_copies_play_on_alike_and_apart(make):
    env = make(openings="random:4")
    env.reset(seed=2)
    twins = [env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for k, twin in enumerate(twins):
        assert twin.position == twins[-1].position
        twin.step(twin.position.legal_actions()[0])
        assert k == 2 or twin.position != twins[-1].position
    for twin in twins:
        twin.reset()
        assert twin.position == env.position


@both_kinds
def test_strict_raises_for_an_illegal_action_and_steps_nothing(make):
    env = make(strict=True)
    env.reset()
    with pytest.raises(IllegalActionError, match=r"a1 \(action 0\) is not legal for black"):
        env.step(0)
    assert env.position == Othello()
    env.step(19)
    assert env.position.moves[0] == 19


@both_kinds
@pytest.mark.parametrize(
    "action", [65, -1, None, True, 19.0, "d3", [19], np.array([19, 19]), np.array([True]), np.float32(19), 2**70]
)
@pytest.mark.parametrize("strict", [False, True])
def test_what_is_no_action_at_all_changes_nothing(make, action, strict):
    env = make(strict=strict)
    env.reset()
    with pytest.raises(ValueError, match="expected an action as an integer from 0 to 64") as error:
        env.step(action)
    assert not isinstance(error.value, IllegalActionError)
    assert env.position == Othello()
    env.step(np.int64(19))


@both_kinds
@pytest.mark.parametrize("action", [np.array(19), np.array([19]), np.array([[19]], np.uint8), np.int8(19)], ids=repr)
def test_an_array_of_one_integer_is_an_action(make, action):
    env = make()
    env.reset()
    env.step(action)
    assert env.position.moves[0] == 19


@both_kinds
def test_nothing_works_before_reset(make):
    env = make()
    for call in (lambda: env.step(19), lambda: env.position, env.render):
        with pytest.raises(ResetNeeded):
            call()


@both_kinds
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"postion": Othello()}, "unknown reset option 'postion'; expected position, moves, random_plies"),
        ({"side": "red"}, "unknown reset option 'side'|side must be one of 'random', 'black', 'white', not 'red'"),
        ({"position": Othello(6)}, "expected openings for"),
        ({"position": "XO"}, "a board has 16, 36 or 64 squares"),
        ({"position": "-XO-" + "----" * 3}, "expected openings for"),
        ({"position": Othello.from_text("X" * 64)}, "an opening ends the game"),
        ({"moves": "e6f4e3f6g5d6e7f5c5"}, "an opening ends the game"),
        ({"moves": "f5f5"}, "ply 2"),
        ({"moves": "f5z9"}, "ply 2"),
        ({"random_plies": -1}, "random_plies must be at least 0, not -1"),
        ({"random_plies": 70}, "use fewer random plies"),
    ],
)
def test_wrong_options_are_named_and_change_nothing(make, options, message):
    env, twin = make(openings="random:4"), make(openings="random:4")
    for each in (env, twin):
        each.reset(seed=1)
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)
    assert env.position == twin.position
    for each in (env, twin):
        each.reset()
    assert env.position == twin.position


def test_names():
    assert othello_v0.env().possible_agents == ["black_0", "white_0"]
    assert othello_v0.raw_env().metadata["name"] == "othello_v0"
    assert tribolo_v0.env().possible_agents == ["blue_0", "red_0", "green_0"]
    assert checkers_v0.env().possible_agents == ["red_0", "white_0"]
    assert tribolo_v0.raw_env().metadata["name"] == "tribolo_v0"
    assert checkers_v0.raw_env().metadata["name"] == "checkers_v0"


def test_a_chain_is_stepped_jump_by_jump_by_one_agent():
    env = checkers_v0.env()
    env.reset(options={"position": CHAIN})
    for name in ("11x18", "18x25"):
        assert env.agent_selection == "red_0"
        env.step(env.position.action_from_text(name))
    assert env.agent_selection == "white_0"
    env.reset(options={"position": CHAIN, "moves": "11x18x25"})
    assert env.agent_selection == "white_0"


@pytest.mark.parametrize(("reward", "worth"), [("result", (-0.5, 1.0, -0.5)), ("margin", (-0.5, 2.5, -2.0))])
def test_every_agent_of_three_gets_its_own_result(reward, worth):
    env = tribolo_v0.env(width=3, height=3, cells=1, walls=1, reward=reward)
    env.reset(options={"position": LAST})
    assert env.agent_selection == "red_0"
    env.step(LAST.action_from_text("c2"))
    results = {}
    for agent in env.agent_iter():
        _, results[agent], terminated, _, info = env.last()
        assert terminated
        assert (info["winner"], info["discs"].tolist()) == (1, [2, 4, 1])
        env.step(None)
    assert tuple(results[agent] for agent in env.possible_agents) == worth


@pytest.mark.parametrize(("reward", "cost"), [("result", 1.0), ("margin", 7.0)])
def test_an_illegal_action_costs_only_the_mover(reward, cost):
    env = tribolo_v0.env(width=3, height=3, cells=1, walls=1, reward=reward)
    env.reset(options={"position": LAST})
    env.step(0)
    assert env.rewards == {"blue_0": 0.0, "red_0": -cost, "green_0": 0.0}
    assert all(env.terminations.values())
    assert env.infos["green_0"]["illegal_action"] == 0


class TestOptions:
    def test_a_text_is_read_by_the_environments_own_rules(self):
        env = checkers_v0.env(size=6, draws="threefold")
        env.reset(options={"position": "W:W18:B1,K2"})
        assert env.position == Checkers.from_text("W:W18:B1,K2", size=6, draws="threefold")
        assert env.agent_selection == "white_0"
        boards = tribolo_v0.env(width=3, height=2, cells=1, walls=0)
        boards.reset(options={"position": "BR-/---"})
        assert boards.position.to_text() == "BR-/---"

    @pytest.mark.parametrize(
        "make", [checkers_v0.env, partial(GameEnv, "checkers"), lambda **rules: GameVectorEnv("checkers", 2, **rules)]
    )
    def test_a_state_with_another_rule_for_draws_is_refused(self, make):
        other = Checkers.from_text("B:WK32:BK1")
        message = r"expected openings for .*draws='40-move'\), got Checkers.from_text\('B:WK32:BK1'\)"
        with pytest.raises(ValueError, match=message):
            make(draws="40-move", openings=[other])
        env = make(draws="40-move")
        with pytest.raises(ValueError, match=message):
            env.reset(options={"position": other})
        env.reset(options={"position": Checkers.from_text("B:WK32:BK1", draws="40-move")})
        env.reset(options={"position": "B:WK32:BK1"})

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: checkers_v0.env(size=7), "4, 6, 8, 10"),
            (lambda: checkers_v0.env(draws="never"), "40-move"),
            (lambda: tribolo_v0.env(walls=200), "no empty cell"),
            (lambda: GameEnv("checkers", side="black"), "'red', 'white'"),
            (lambda: GameEnv("tribolo", side="white"), "'blue', 'red', 'green'"),
            (lambda: GameEnv("tribolo", opponent=("random",)), "each of 2 other seats, got 1"),
            (lambda: GameEnv("checkers", opponent=("random", "random")), "each of 1 other seats, got 2"),
        ],
    )
    def test_bad_arguments_are_named(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Othello", {}),
        ("Othello", {"size": 6, "opponent": first_legal, "reward": "margin"}),
        ("Othello", {"side": "white", "render_mode": "rgb_array"}),
        ("Tribolo", SMALL | {"side": "green", "render_mode": "ansi"}),
        ("Checkers", {"size": 6, "reward": "margin", "render_mode": "rgb_array"}),
    ],
)
def test_gymnasiums_own_check(name, arguments):
    env = gymnasium.make(f"othello_env/{name}-v0", **arguments).unwrapped
    check_env(env, skip_render_check="render_mode" not in arguments)


def test_one_opponent_in_both_other_seats_plays_as_two():
    def moves(opponent):
        env = GameEnv("tribolo", opponent=opponent, **SMALL)
        for seed in range(5):
            env.reset(seed=seed)
            over = False
            while not over:
                _, _, over, *_ = env.step(int(env.action_masks().argmax()))
            yield env.position.moves

    assert list(moves(make_agent("random", 1))) == list(moves((make_agent("random", 1), make_agent("random", 1))))


class Recorder(Agent):
    """Plays the last legal action. It stores its seats in the games, and the games' keys."""

    def __init__(self):
        self.seats, self.keys = set(), []

    def new_game(self, key):
        self.keys.append(key)

    def act(self, state, *, seconds_left=None):
        self.seats.add(state.to_move)
        return state.legal_actions()[-1]


@pytest.mark.parametrize("side", [0, 1, 2])
def test_a_pair_of_opponents_sits_behind_the_learner_in_order(side):
    first, second = Recorder(), Recorder()
    env = GameEnv("tribolo", opponent=(first, second), side=Tribolo.player_names[side], **SMALL)
    env.reset(seed=9)
    key = game_key(env_key(9), 0)
    assert (first.keys, second.keys) == (
        [opponent_key(key, (side + 1) % 3)],
        [opponent_key(key, (side + 2) % 3)],
    )
    done = False
    while not done:
        *_, done, _, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert (first.seats, second.seats) == ({(side + 1) % 3}, {(side + 2) % 3})
    assert tuple(info["discs"]) == env.position.scores()
    assert info["opponent"].tolist() == [0, 1]
    assert env.opponents == ("Recorder", "Recorder")


def begin(state, key):
    """The position at the learner's first turn, the learner's seat, and an opponent for every seat."""
    learner = learner_seat(key, state.num_players)
    agents = [make_agent("random") for _ in state.player_names]
    for player, agent in enumerate(agents):
        agent.new_game(opponent_key(key, player if state.num_players > 2 else None))
    return answered(state, learner, agents), learner, agents


def answered(state, learner, agents):
    while not state.is_over and state.to_move != learner:
        state = state.play(agents[state.to_move].act(state))
    return state


@pytest.mark.parametrize(
    ("make", "start"),
    [
        (lambda: make_env(openings="random:6"), lambda key: Openings("random:6", lambda _: Othello()).draw(key)),
        (lambda: make_env(size=4), lambda key: Othello(4)),
        (lambda: GameEnv("tribolo", **SMALL), lambda key: Tribolo(key, **SMALL)),
        (lambda: GameEnv("checkers"), lambda key: Checkers()),
    ],
    ids=["othello", "othello 4x4", "tribolo", "checkers"],
)
def test_the_learner_meets_what_the_rules_and_keys_say(make, start, assert_same_info):
    env, rng = make(), np.random.default_rng(2)
    for game in range(8):
        observation, info = env.reset(seed=4 if game == 0 else None)
        key = game_key(env_key(4), game)
        state, learner, agents = begin(start(key), key)
        while state.is_over:  # a game without a turn of the learner is replaced
            key = redraw_key(key)
            state, learner, agents = begin(start(key), key)
        reward, done = 0.0, False
        while True:
            state = answered(state, learner, agents)
            assert env.position == state
            assert env.learner == learner
            assert (observation["observation"] == state.observation(learner)).all()
            assert tuple(np.flatnonzero(observation["action_mask"])) == state.legal_actions()
            opponent = np.int64(0) if state.num_players == 2 else np.arange(2)
            assert_same_info(info, info_of(state, opponent) | {"action_mask": env.action_masks().astype(np.int8)})
            assert (reward, done) == (state.returns()[learner], state.is_over)
            if done:
                break
            action = int(rng.choice(state.legal_actions()))
            observation, reward, done, truncated, info = env.step(action)
            assert not truncated
            state = state.play(action)
    assert env.opponents == ("random",) * (state.num_players - 1)
