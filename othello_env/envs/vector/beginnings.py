"""How the games of a batch begin: the openings, the learner's side and the opponents."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.envs.initial_states import POSITION_OPTIONS, InitialStates
from othello_env.envs.seeding import REDRAWS
from othello_env.envs.vector.opponents import OpponentPool
from othello_env.games.batch import Batch, Begins
from othello_env.games.batch.arrays import SIDE_DRAWN, Course
from othello_env.games.game import State

__all__ = ["chosen_begins", "draw_keys", "usual_begins"]


def usual_begins(batch: Batch, starts: InitialStates, side: int, pool: OpponentPool | None) -> Begins:
    """Describe how games begin if a reset has no options.

    Args:
        batch: the games.
        starts: the environment's openings.
        side: the number of the learner's player, or -1 if this player is chosen at random for each game.
        pool: the opponents; None if the learner plays every side.

    Raises:
        ValueError: an opening is wrong.
    """
    return _begins_at(batch, starts.openings.positions, starts.openings.random_plies, side, pool)


def chosen_begins(
    batch: Batch, starts: InitialStates, side: int, pool: OpponentPool | None, options: dict[str, Any]
) -> Begins:
    """Describe how games begin if a reset has options; see `usual_begins`.

    Raises:
        ValueError: an option is wrong.
    """
    if not any(name in options for name in POSITION_OPTIONS):
        return usual_begins(batch, starts, side, pool)
    if "moves" in options and "position" not in options and batch.starts_differ:
        raise ValueError("the option moves needs the option position too, because each game has a different board")
    at_start = "moves" not in options and "position" not in options
    positions = () if at_start else (starts.given(0, options),)
    return _begins_at(batch, positions, index(options.get("random_plies", 0)), side, pool)


def _begins_at(
    batch: Batch, positions: Sequence[State], random_plies: int, side: int, pool: OpponentPool | None
) -> Begins:
    """Describe how games begin: each in one of these positions, or at its usual start if there are no positions."""
    learner = SIDE_DRAWN if side < 0 else side
    seats = batch.start.num_players - 1
    return batch.begins(
        positions,
        random_plies,
        redraws=REDRAWS,
        side=-1 if pool is None else learner,
        pool=np.zeros((seats, 1), np.uint64) if pool is None else pool.bounds,
        first=0 if pool is None else pool.first,
    )


def draw_keys(
    course: Course, keys: Sequence[int | None], mask: npt.NDArray[np.bool_], generator: np.random.Generator | None
) -> None:
    """Set the environment's key and the game's number for each game that begins.

    Each of the N games has its own environment key. A game with a new key in `keys` gets the number 0. A game that
    keeps its key gets the number that follows its old number.

    Args:
        course: the arrays that describe N games. This function changes the arrays `env_key` and `number`.
        keys: for each game, a new environment key, or None to keep the old key.
        mask: (N,) bool, True for the games that begin.
        generator: at the first reset, a random generator that makes a key for each game. Later it is None, because the
            games already have keys.
    """
    if generator is not None:
        course.env_key[:] = generator.integers(2**64, size=len(keys), dtype=np.uint64)
        course.number[:] = 2**64 - 1  # the largest uint64: adding 1 gives 0, the number of the first game
    course.number[mask] += np.uint64(1)
    for i in np.flatnonzero(mask).tolist():
        key = keys[i]
        if key is not None:
            course.env_key[i], course.number[i] = key, 0
