"""The keys under which an environment draws all that is random in its games, alone or in a batch.

An environment has a key, its g-th game another, and each use in that game a further one::

    seed s -> env_key(s) -> game_key(env_key, g) -> the opening       Openings.draw(game_key)
                                                 -> learner_seat(game_key, players)
                                                 -> opponent.new_game(opponent_key(game_key))

A reset with a seed begins game 0, each further reset the next one. If the opponents' moves would end a game before
the learner's first turn, it is drawn again, with a new seat, opening and opponent's key, under `redraw_key(game_key)`,
and so on up to `REDRAWS` times.
"""

from __future__ import annotations

from operator import index
from typing import NamedTuple, Self

import numpy as np

from othello_env.games.hashing import OPPONENT, REDRAW, SIDE, mix_int

__all__ = ["REDRAWS", "GameKeys", "env_key", "game_key", "learner_seat", "opponent_key", "redraw_key"]

REDRAWS = 100
"""How often a game that the learner would have no turn in is drawn again before reset gives up with a ValueError."""


def env_key(seed: int) -> int:
    """The key of an environment with this seed, of which the low 64 bits count."""
    return mix_int(seed % 2**64, 0)


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
            seed: what `reset` was called with.
            entropy: what draws the environment's key if no reset had a seed; None asks the operating system.
        """
        if seed is not None:
            return cls(env_key(index(seed)), 0)
        if before is not None:
            return cls(before.env_key, before.game + 1)
        generator = np.random.default_rng() if entropy is None else entropy
        return cls(env_key(int(generator.integers(2**64, dtype=np.uint64))), 0)
