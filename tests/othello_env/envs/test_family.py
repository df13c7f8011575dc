"""All games in both environments: turns, chains, skips, rewards, options, bad input."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from othello_env import (
    Agent,
    Checkers,
    Othello,
    Tribolo,
    checkers_v0,
    make_agent,
    make_env,
    othello_v0,
    tribolo_v0,
)
from othello_env.envs import GameAEC, GameEnv
from othello_env.games.keys import env_key, game_key, learner_seat, redraw_key, seat_key
from othello_env.games.openings import Openings
from othello_env.text import OthelloText

SMALL = {"width": 7, "height": 6, "cells": 3, "walls": 3}
LATE = Openings("random:11", lambda _: Othello(4))


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
        (othello_v0.env(openings="random:8"), lambda key: Openings("random:8", lambda _: Othello()).draw(key)),
        (tribolo_v0.env(**SMALL), lambda key: Tribolo(key, **SMALL)),
        (checkers_v0.env(), lambda key: Checkers()),
        (checkers_v0.env(size=6, draws="threefold"), lambda key: Checkers(6, "threefold")),
    ],
    ids=["othello", "othello 4x4", "openings", "tribolo", "checkers", "checkers 6x6"],
)
def test_agents_are_stepped_as_the_rules_say(env, start, assert_same_info):
    rng = np.random.default_rng(1)
    again = passes = draws = 0
    for game in range(30 if env.game.options else 6):
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
        draws += state.returns().count(max(state.returns())) > 1
    assert again + passes > 0
    assert draws or env.game.name == "checkers" or not env.game.options  # games on small boards are often drawn


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
def test_options_say_where_the_game_begins(make):
    env, position = make(openings=["f5d6"]), Othello.from_moves("c4e3")
    for options, moves in (
        (None, "f5d6"),
        ({"moves": None}, "f5d6"),
        ({"moves": "d3c3"}, "d3c3"),
        ({"position": position}, "c4e3"),
        ({"position": Othello().to_text(), "moves": "d3c3"}, "d3c3"),
        ({"position": position, "moves": "f6e6"}, "c4e3f6e6"),
    ):
        env.reset(options=options)
        assert env.position == Othello.from_moves(moves)
    env.reset(options={"random_plies": 6, "moves": "d3c3"})
    assert len(env.position.moves) == 8
    assert env.position.moves[:2] == Othello.from_moves("d3c3").moves


def test_the_text_of_a_position_is_read_by_the_environments_own_rules():
    env = checkers_v0.env(size=6, draws="threefold")
    env.reset(options={"position": "W:W18:B1,K2"})
    assert env.position == Checkers.from_text("W:W18:B1,K2", size=6, draws="threefold")
    boards = tribolo_v0.env(width=3, height=2, cells=1, walls=0)
    boards.reset(options={"position": "BR-/---"})
    assert boards.position.to_text() == "BR-/---"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Othello", {}),
        ("Othello-flat", {"size": 4}),
        ("Othello", {"size": 6, "opponent": first_legal, "reward": "margin"}),
        ("Othello", {"side": "white", "render_mode": "rgb_array"}),
        ("Tribolo", SMALL | {"side": "green", "render_mode": "ansi"}),
        ("Checkers", {"size": 6, "reward": "margin", "render_mode": "rgb_array"}),
    ],
)
def test_gymnasiums_own_check(name, arguments):
    env = gymnasium.make(f"othello_env/{name}-v0", **arguments).unwrapped
    check_env(env, skip_render_check="render_mode" not in arguments)


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
        [seat_key(key, (side + 1) % 3)],
        [seat_key(key, (side + 2) % 3)],
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
        agent.new_game(seat_key(key, player if state.num_players > 2 else None))
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
        (lambda: make_env(size=4, openings="random:11"), lambda key: LATE.draw(key)),
        (lambda: GameEnv("tribolo", **SMALL), lambda key: Tribolo(key, **SMALL)),
        (lambda: GameEnv("checkers"), lambda key: Checkers()),
    ],
    ids=["othello", "othello 4x4", "late", "tribolo", "checkers"],
)
def test_the_learner_meets_what_the_rules_and_keys_say(make, start, assert_same_info):
    env, rng, redrawn = make(), np.random.default_rng(2), 0
    for game in range(24):
        observation, info = env.reset(seed=4 if game == 0 else None)
        key = game_key(env_key(4), game)
        state, learner, agents = begin(start(key), key)
        while state.is_over:  # a game without a turn of the learner is replaced
            key, redrawn = redraw_key(key), redrawn + 1
            state, learner, agents = begin(start(key), key)
        reward, done = 0.0, False
        while True:
            state = answered(state, learner, agents)
            assert env.position == state
            assert env.learner == learner
            assert (observation["observation"] == state.observation(learner)).all()
            assert tuple(np.flatnonzero(observation["action_mask"])) == state.legal_actions()
            opponent = np.int64(0) if state.num_players == 2 else np.arange(2)
            assert env.action_masks().dtype == np.bool_
            assert_same_info(info, info_of(state, opponent) | {"action_mask": env.action_masks().astype(np.int8)})
            assert (reward, done) == (state.returns()[learner], state.is_over)
            if done:
                break
            action = int(rng.choice(state.legal_actions()))
            observation, reward, done, truncated, info = env.step(action)
            assert not truncated
            state = state.play(action)
    assert env.opponents == ("random",) * (state.num_players - 1)
    assert redrawn or start(0) != LATE.draw(0)


@pytest.mark.parametrize(
    "state", [Othello.from_moves("f5d6c3"), Checkers(6).play_transcript("6-9"), Tribolo(seed=7)], ids=repr
)
def test_games_may_begin_at_a_state(state):
    envs = gymnasium.make_vec("othello_env/Game-v0", num_envs=2, game=state, opponent=None)
    envs.reset(seed=1)
    table = GameAEC(state)
    table.reset(seed=1)
    side = state.player_names[state.to_move]
    env = gymnasium.make("othello_env/Game-v0", game=state, side=side, disable_env_checker=True)
    env.reset(seed=1)
    text = OthelloText(state, side=side, seed=1)
    text.reset()
    positions = [envs.unwrapped.position(1), table.position, env.unwrapped.position, text.position]
    assert positions == [state] * 4
