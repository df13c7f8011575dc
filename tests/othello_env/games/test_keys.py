"""The keys that determine games."""

import numpy as np
import pytest

from othello_env.games import keys
from othello_env.games.hashing import OPPONENT, REDRAW, SIDE, mix_int
from othello_env.games.keys import GameKeys

pytestmark = pytest.mark.nojit


def test_keys_are_derived_as_documented() -> None:
    key = mix_int(7, 0)
    assert keys.env_key(7) == key
    assert keys.game_key(key, 3) == mix_int(key, 3)
    assert keys.seat_key(11) == mix_int(11, OPPONENT)
    assert keys.seat_key(11, 2) == mix_int(mix_int(11, OPPONENT), 2)
    assert [keys.learner_seat(k, 2) for k in range(50)] == [mix_int(k, SIDE) & 1 for k in range(50)]
    assert {keys.learner_seat(k, 3) for k in range(50)} == {0, 1, 2}


def test_seeds_count_by_their_low_64_bits() -> None:
    assert keys.env_key(2**64 - 1) == mix_int(-1, 0)
    assert keys.env_key(2**64 + 5) == keys.env_key(5)


def test_a_seed_begins_a_row_of_games() -> None:
    first = GameKeys.after_reset(None, 5)
    second = GameKeys.after_reset(first, None)
    assert [first.game_key, second.game_key] == [keys.game_key(keys.env_key(5), g) for g in (0, 1)]
    assert GameKeys.after_reset(second, 5) == first
    assert GameKeys.after_reset(second, np.int64(5)) == first


def test_a_game_that_ends_too_soon_is_replaced_a_hundred_times() -> None:
    first, *others = GameKeys(5, 2).attempts()
    assert first == mix_int(5, 2)
    assert others[:2] == [mix_int(first, REDRAW), mix_int(mix_int(first, REDRAW), REDRAW)]
    assert len(others) == 100


def test_without_a_seed_the_generator_decides() -> None:
    drawn = [GameKeys.after_reset(None, None, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert GameKeys.after_reset(None, None) != GameKeys.after_reset(None, None)
