"""The keys under which an environment draws all that is random in its games, alone or in a batch.

An environment has a key, its g-th game another, and each use in that game a further one::

    seed s -> env_key(s) -> game_key(env_key, g) -> the opening       Openings.draw(game_key)
                                                 -> learner_seat(game_key, players)
                                                 -> opponent.new_game(opponent_key(game_key))

A seed is an integer from 0 on, also NumPy's. A reset with a seed begins game 0, each further reset the next one. If
the opponents' moves would end a game before the learner's first turn, it is drawn again, with a new seat, opening and
opponent's key, under `redraw_key(game_key)`, and so on up to `REDRAWS` times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from othello_env.games.game import check_seed
from othello_env.games.hashing import OPPONENT, REDRAW, SIDE, mix_int

__all__ = ["REDRAWS", "GameKeys", "env_key", "env_keys", "game_key", "learner_seat", "opponent_key", "redraw_key"]

REDRAWS = 100
"""How often a game that the learner would have no turn in is drawn again before reset gives up with a ValueError."""


def env_key(seed: int) -> int:
    """The key of an environment with this seed, of which the low 64 bits count.

    Raises:
        TypeError: the seed is no integer, or a bool.
        ValueError: it is negative.
    """
    return mix_int(check_seed(seed), 0)


def env_keys(seed: int | Sequence[int | None] | None, n: int) -> list[int | None]:
    """The key of each of n environments, or None where none is given.

    Args:
        seed: an int s gives number i the seed s + i; a sequence or array gives each its own, or None.
        n: the number of environments.

    Raises:
        TypeError: a seed is no integer, or a bool.
        ValueError: a seed is negative, or there are not n of them.
    """
    if seed is None:
        return [None] * n
    if isinstance(seed, np.ndarray) and seed.ndim == 0:
        seed = seed.item()
    if isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str | bytes):
        if len(seed) != n:
            raise ValueError(f"expected a seed for each of {n} games, got {len(seed)}")
        return [None if each is None else env_key(each) for each in seed]
    first = check_seed(seed)
    return [env_key(first + i) for i in range(n)]


def game_key(env_key: int, game: int) -> int:
    """The key of an environment's game number `game`, from 0."""
    return mix_int(env_key, game)


def redraw_key(game_key: int) -> int:
    """The key that takes the place of one whose game would end before the learner's first turn."""
    return mix_int(game_key, REDRAW)


def learner_seat(game_key: int, players: int) -> int:
    """The player, 0 .. players - 1, that the learner is under ``side="random"``."""
    return mix_int(game_key, SIDE) % players


def opponent_key(game_key: int, seat: int | None = None) -> int:
    """What `new_game` of the opponent is called with; of several opponents, each has a key for its seat."""
    key = mix_int(game_key, OPPONENT)
    return key if seat is None else mix_int(key, seat)


class GameKeys(NamedTuple):
    """Where an environment stands in its row of games."""

    env_key: int
    game: int

    @property
    def game_key(self) -> int:
        """The key of the current game."""
        return game_key(self.env_key, self.game)

    @classmethod
    def after_reset(cls, before: GameKeys | None, seed: int | None, entropy: np.random.Generator | None = None) -> Self:
        """Where a reset leads: to game 0 with a seed, else to the next one.

        Args:
            before: None if there was no reset yet.
            seed: what `reset` was called with, an integer from 0 on, or None.
            entropy: what draws the environment's key if no reset had a seed; None asks the operating system.

        Raises:
            TypeError: the seed is no integer, or a bool.
            ValueError: it is negative.
        """
        if seed is not None:
            return cls(env_key(seed), 0)
        if before is not None:
            return cls(before.env_key, before.game + 1)
        generator = np.random.default_rng() if entropy is None else entropy
        return cls(env_key(int(generator.integers(2**64, dtype=np.uint64))), 0)
