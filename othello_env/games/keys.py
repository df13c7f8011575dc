"""The keys and seats of games: what determines everything random in them.

Environments of all kinds use the same keys. A key is a 64-bit number. The key of an environment is a hash of its seed.
The key of a game is a hash of the environment's key and of the game's number. The key of a game determines the opening,
the learner's seat (which player the learner is) and a key for each agent::

    seed s -> env_key(s) -> game_key(env_key, g) -> Openings.draw(game_key)
                                                 -> learner_seat(game_key, players)
                                                 -> agent.new_game(seat_key(game_key))

In matches and tournaments, the schedule makes the key of a game (`othello_env.arena.tournament.schedule.Schedule`).

A seed is an integer of at least 0; NumPy's integers are accepted, too. A reset with a seed begins game 0. Each later
reset without a seed begins the game with the next number.

If the opponents' moves end a game before the learner's first turn, a new game replaces this game. The new game has the
key `redraw_key(game_key)`, so it has a new opening, a new learner's seat and new keys for the opponents. The new game
may be replaced in the same way, but there are at most `REDRAWS` replacements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np

from othello_env.games.game import check_seed
from othello_env.games.hashing import OPPONENT, REDRAW, SIDE, mix_int

__all__ = ["REDRAWS", "GameKeys", "env_key", "env_keys", "game_key", "learner_seat", "redraw_key", "seat_key"]

REDRAWS = 100
"""A game that ends before the learner's first turn is replaced at most this many times."""


def env_key(seed: int) -> int:
    """The key of an environment with this seed. Only the seed's low 64 bits are used.

    Raises:
        TypeError: the seed is not an integer, or is a bool.
        ValueError: the seed is negative.
    """
    return mix_int(check_seed(seed), 0)


def env_keys(seed: int | Sequence[int | None] | None, n: int) -> list[int | None]:
    """The keys of n environments. An environment without a seed has None instead of a key.

    Args:
        seed: an int s gives environment i the seed s + i. A sequence or array has a seed for each environment, or None
            for an environment without a seed. With None, all environments are without a seed.
        n: the number of environments.

    Raises:
        TypeError: a seed is not an integer, or is a bool.
        ValueError: a seed is negative, or a sequence does not have n seeds.
    """
    if seed is None:
        return [None] * n
    if isinstance(seed, np.ndarray) and seed.ndim == 0:
        seed = seed.item()
    if isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str | bytes):
        if len(seed) != n:
            raise ValueError(f"expected a seed for each of {n} games, got {len(seed)}")
        return [None if number is None else env_key(number) for number in seed]
    first = check_seed(seed)
    return [env_key(first + i) for i in range(n)]


def game_key(env_key: int, game: int) -> int:
    """The key of one game of an environment. `game` is the number of the game, counted from 0."""
    return mix_int(env_key, game)


def redraw_key(game_key: int) -> int:
    """The key of a game that replaces another game. `game_key` is the key of the replaced game.

    A game is replaced if it ends before the learner's first turn.
    """
    return mix_int(game_key, REDRAW)


def learner_seat(game_key: int, players: int) -> int:
    """The number of the learner's player, from 0 to players - 1, if ``side="random"``."""
    return mix_int(game_key, SIDE) % players


def seat_key(game_key: int, seat: int | None = None) -> int:
    """The key that an agent's `new_game` gets. It determines the agent's random choices in this game.

    If there are several agents, the key also depends on `seat`, the number of the player that the agent plays. So each
    agent has its own key. The only opponent of a learner has the key without a seat.
    """
    key = mix_int(game_key, OPPONENT)
    return key if seat is None else mix_int(key, seat)


class GameKeys(NamedTuple):
    """An environment's key and its episode: the number of its current game, from 0."""

    env_key: int
    episode: int

    @property
    def game_key(self) -> int:
        """The key of the current game."""
        return game_key(self.env_key, self.episode)

    def attempts(self) -> Iterator[int]:
        """The key of the current game, then those of the games that may replace it: `REDRAWS` + 1 keys in all."""
        key = self.game_key
        for _ in range(REDRAWS + 1):
            yield key
            key = redraw_key(key)

    @classmethod
    def after_reset(cls, before: GameKeys | None, seed: int | None, entropy: np.random.Generator | None = None) -> Self:
        """The environment's key and the episode after a reset.

        With a seed, the key is `env_key(seed)` and the episode is 0. Without a seed, the key stays the same and the
        episode grows by 1.

        Args:
            before: the environment's key and the episode before the reset, or None at the first reset.
            seed: the seed that `reset` got, an integer of at least 0, or None.
            entropy: the random generator that draws the environment's key if the first reset has no seed. By default,
                this is a new generator with a seed from the operating system.

        Raises:
            TypeError: the seed is not an integer, or is a bool.
            ValueError: the seed is negative.
        """
        if seed is not None:
            return cls(env_key(seed), 0)
        if before is not None:
            return cls(before.env_key, before.episode + 1)
        generator = np.random.default_rng() if entropy is None else entropy
        return cls(env_key(int(generator.integers(2**64, dtype=np.uint64))), 0)
