"""The keys that determine games."""

import numpy as np
import pytest

from othello_env.envs import seeding
from othello_env.envs.seeding import GameKeys
from othello_env.games.hashing import OPPONENT, SIDE, mix_int

pytestmark = pytest.mark.nojit


def test_keys_are_derived_as_documented() -> None:
    key = mix_int(7, 0)
    assert seeding.env_key(7) == key
    assert seeding.game_key(key, 3) == mix_int(key, 3)
    assert seeding.opponent_key(11) == mix_int(11, OPPONENT)
    assert seeding.opponent_key(11, 2) == mix_int(mix_int(11, OPPONENT), 2)
    assert [seeding.learner_seat(k, 2) for k in range(50)] == [mix_int(k, SIDE) & 1 for k in range(50)]
    assert {seeding.learner_seat(k, 3) for k in range(50)} == {0, 1, 2}


def test_seeds_count_by_their_low_64_bits() -> None:
    assert seeding.env_key(2**64 - 1) == mix_int(-1, 0)
    assert seeding.env_key(2**64 + 5) == seeding.env_key(5)


def test_a_seed_begins_a_row_of_games() -> None:
    first = GameKeys.after_reset(None, 5)
    second = GameKeys.after_reset(first, None)
    assert [first.game_key, second.game_key] == [seeding.game_key(seeding.env_key(5), g) for g in (0, 1)]
    assert GameKeys.after_reset(second, 5) == first
    assert GameKeys.after_reset(second, np.int64(5)) == first


def test_without_a_seed_the_generator_decides() -> None:
    keys = [GameKeys.after_reset(None, None, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert keys[0] == keys[1] != keys[2]
    assert GameKeys.after_reset(None, None) != GameKeys.after_reset(None, None)
