"""Keys: everything random in the games of an environment, single or batched, comes from them.

An environment has a key. Each of its games has a key made from that one, and each use in the game a key of its own::

    seed s -> env_key(s) -> game_key(env_key, g) -> the opening       Openings.draw(game_key)
                                                 -> learner_seat(game_key, players)
                                                 -> opponent.new_game(opponent_key(game_key))

A seed is an integer of at least 0; NumPy's integers count too. A reset with a seed begins game 0. Each later reset
begins the next game. If the opponents' moves would end a game before the learner's first turn, the game is drawn again
from `redraw_key(game_key)`, with a new seat, opening and opponent's key. This repeats up to `REDRAWS` times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from othello_env.games.game import check_seed
from othello_env.games.hashing import OPPONENT, REDRAW, SIDE, mix_int

__all__ = ["REDRAWS", "GameKeys", "env_key", "env_keys", "game_key", "learner_seat", "opponent_key", "redraw_key"]

REDRAWS = 100
"""How often at most `reset` redraws a game that would end before the learner's first turn."""


def env_key(seed: int) -> int:
    """The key of an environment with this seed. Only the seed's low 64 bits are used.

    Raises:
        TypeError: the seed is not an integer, or is a bool.
        ValueError: the seed is negative.
    """
    return mix_int(check_seed(seed), 0)


def env_keys(seed: int | Sequence[int | None] | None, n: int) -> list[int | None]:
    """The key of each of n environments, or None where no seed is given.

    Args:
        seed: an int s gives environment i the seed s + i. A sequence or array gives each its own seed, or None.
        n: the number of environments.

    Raises:
        TypeError: a seed is not an integer, or is a bool.
        ValueError: a seed is negative, or the number of seeds is not n.
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
    """The key of an environment's game with the number `game`, counted from 0."""
    return mix_int(env_key, game)


def redraw_key(game_key: int) -> int:
    """The key that replaces one whose game would end before the learner's first turn."""
    return mix_int(game_key, REDRAW)


def learner_seat(game_key: int, players: int) -> int:
    """The player, 0 .. players - 1, that the learner is under ``side="random"``."""
    return mix_int(game_key, SIDE) % players


def opponent_key(game_key: int, seat: int | None = None) -> int:
    """The key that an opponent's `new_game` gets. If there are several opponents, each gets a key for its seat."""
    key = mix_int(game_key, OPPONENT)
    return key if seat is None else mix_int(key, seat)


class GameKeys(NamedTuple):
    """An environment's key and the number of its current game."""

    env_key: int
    game: int

    @property
    def game_key(self) -> int:
        """The key of the current game."""
        return game_key(self.env_key, self.game)

    @classmethod
    def after_reset(cls, before: GameKeys | None, seed: int | None, entropy: np.random.Generator | None = None) -> Self:
        """The keys after a reset: game 0 if it had a seed, else the next game.

        Args:
            before: None if there was no reset yet.
            seed: the seed that `reset` got, an integer of at least 0, or None.
            entropy: draws the environment's key if no reset had a seed. None takes entropy from the operating system.

        Raises:
            TypeError: the seed is not an integer, or is a bool.
            ValueError: the seed is negative.
        """
        if seed is not None:
            return cls(env_key(seed), 0)
        if before is not None:
            return cls(before.env_key, before.game + 1)
        generator = np.random.default_rng() if entropy is None else entropy
        return cls(env_key(int(generator.integers(2**64, dtype=np.uint64))), 0)
