"""Every entry point raises the same error for a wrong seed, size or text, and accepts the same correct values."""

import numpy as np
import pytest

from othello_env import (
    Checkers,
    NotationError,
    Othello,
    Tribolo,
    checkers_v0,
    make_env,
    make_vec_env,
    othello_v0,
    tribolo_v0,
)
from othello_env.envs import GameEnv, GameVectorEnv
from othello_env.games.checkers import pdn
from othello_env.games.openings import Openings

pytestmark = pytest.mark.nojit

SMALL = {"width": 7, "height": 6, "cells": 3, "walls": 3}
ENVS = {
    "single": lambda **more: make_env(**more),
    "vector": lambda **more: make_vec_env(2, **more),
    "self-play": lambda **more: make_vec_env(2, opponent=None, **more),
    "othello_v0": lambda **more: othello_v0.env(**more),
    "Tribolo": lambda **more: GameEnv("tribolo", **SMALL, **more),
    "Checkers": lambda **more: GameEnv("checkers", **more),
    "tribolo_v0": lambda **more: tribolo_v0.env(**SMALL, **more),
    "checkers_v0": lambda **more: checkers_v0.env(**more),
}
each_env = pytest.mark.parametrize("make", ENVS.values(), ids=ENVS.keys())


def start(env):
    return env.position(0) if isinstance(env, GameVectorEnv) else env.position


TAKE_SEEDS = {name: (lambda seed, make=make: make().reset(seed=seed)) for name, make in ENVS.items()}
TAKE_SEEDS |= {
    "a list": lambda seed: make_vec_env(2).reset(seed=[seed, seed]),
    "a start": lambda seed: Tribolo(seed, **SMALL),
    "many games of Tribolo": lambda seed: GameVectorEnv("tribolo", 2).reset(seed=seed),
    "many games of checkers": lambda seed: GameVectorEnv("checkers", 2).reset(seed=seed),
}


@pytest.mark.parametrize("take", TAKE_SEEDS.values(), ids=TAKE_SEEDS.keys())
@pytest.mark.parametrize(
    ("seed", "error"),
    [(np.int64(-1), ValueError), (True, TypeError), (1.0, TypeError), ("1", TypeError)],
)
def test_a_wrong_seed_is_named(take, seed, error):
    with pytest.raises(error, match="a seed must be an integer of at least 0, not "):
        take(seed)


@each_env
def test_a_wrong_seed_changes_nothing(make):
    env = make(openings="random:3")
    env.reset(seed=1)
    before = start(env)
    with pytest.raises(ValueError, match="a seed must be"):
        env.reset(seed=-1)
    assert start(env) == before
    env.reset()
    twin = make(openings="random:3")
    twin.reset(seed=1)
    twin.reset()
    assert start(env) == start(twin)


@each_env
@pytest.mark.parametrize("seed", [np.uint8(7), np.array(7), 7 + 2**64])
def test_integers_of_any_kind_are_seeds(make, seed):
    env, twin = make(openings="random:5"), make(openings="random:5")
    env.reset(seed=seed)
    twin.reset(seed=7)
    assert start(env) == start(twin)
    assert Tribolo(seed, **SMALL) == Tribolo(7, **SMALL)


def test_an_array_of_seeds_gives_each_game_its_own():
    env, twin = ENVS["vector"](openings="random:5"), ENVS["vector"](openings="random:5")
    env.reset(seed=np.array([5, 9]))
    twin.reset(seed=[5, 9])
    assert [env.position(i) for i in range(2)] == [twin.position(i) for i in range(2)]
    for wrong in ([5], (1, 2, 3), np.arange(3)):
        with pytest.raises(ValueError, match="expected a seed for each of 2 games"):
            env.reset(seed=wrong)


@each_env
def test_more_random_plies_than_a_game_has_are_too_many(make, monkeypatch):
    monkeypatch.setattr(Openings, "ATTEMPTS", 5)
    with pytest.raises(ValueError, match=r"random plies ended .*use fewer random plies"):
        make(openings=f"random:{10**20}").reset(seed=0)


GAMES = [Othello(), Checkers(), Tribolo(1)]
READERS = [
    (f"{type(game).__name__}.{name}", getattr(game, name))
    for game in GAMES
    for name in ("from_text", "position_from_text", "action_from_text")
]
READERS.append(("pdn.loads", pdn.loads))


@pytest.mark.parametrize("read", [read for _, read in READERS], ids=[name for name, _ in READERS])
@pytest.mark.parametrize("text", [None, 3.5, b"f5", ["f5"]])
def test_what_is_no_text_is_named(read, text):
    with pytest.raises(TypeError, match=r"expected an? .* as text, not .* of type ") as error:
        read(text)
    assert not isinstance(error.value, NotationError)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("moves", ["f5d6,,", "f5,,d6", "f5d6,", ",f5", "f5; ,d6", ","])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
def test_a_transcript_has_no_empty_places(game, moves):
    for read in (game.play_transcript, lambda moves: Openings([moves], lambda key: game)):
        with pytest.raises(NotationError, match="expected moves on both sides of each comma or semicolon, got "):
            read(moves)
