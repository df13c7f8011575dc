"""N games as arrays, an array a field: what they have in common, whatever is played.

Beside it each game keeps its boards, a tuple of arrays of its own.

Letters for shapes: N games, M some of them, E the games that ended in a step, P = players, O given openings, K
opponents, L = the longest game so far.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "ILLEGAL",
    "NO_OPENING",
    "NO_TURN",
    "OUT_OF_RANGE",
    "OVER",
    "SIDE_DRAWN",
    "Course",
    "Outcome",
    "Plan",
    "count_sides",
    "ends_dtype",
    "new_course",
]

OUT_OF_RANGE, ILLEGAL, OVER = 1, 2, 4
"""What may be wrong with the actions for N games; several are added up."""

NO_OPENING, NO_TURN = 1, 2
"""Why a game could not begin: random plies ended it, or the opponents' moves before the learner's first turn did."""

SIDE_DRAWN = -2
"""For `Plan.side`: each game's key draws the learner's player."""


class Course(NamedTuple):
    """How N games go; (N,) but for `moves` and `rival`."""

    over: npt.NDArray[np.bool_]
    to_move: npt.NDArray[np.int8]
    plies: npt.NDArray[np.int32]
    """The number of actions since the position that the game began with."""
    moves: npt.NDArray[np.integer]
    """(N, L), of which the first `plies` are the actions."""
    key: npt.NDArray[np.uint64]
    """The key of the game that is being played."""
    env_key: npt.NDArray[np.uint64]
    number: npt.NDArray[np.uint64]
    """The game's number under its environment's key."""
    learner: npt.NDArray[np.int8]
    """The learner's player; -1 where every side learns."""
    rival: npt.NDArray[np.int16]
    """(N, P - 1), the number of the opponent in each other seat, in the order in which they follow the learner."""
    redraws: npt.NDArray[np.int16]
    """The number of times this game was drawn again; -1 once the learner has had a turn."""


class Plan(NamedTuple):
    """How games begin and who plays in them. The boards of the openings lie beside it."""

    to_move: npt.NDArray[np.int8]
    """(O,), with the two that follow, of the openings of which each game draws one; O = 0: the game's own start."""
    plies: npt.NDArray[np.int32]
    moves: npt.NDArray[np.integer]
    """(O, longest)"""
    random_plies: int
    """Played from there,"""
    attempts: int
    """and drawn again up to this number of times if they end the game."""
    redraws: int
    """How often a game may be drawn again that the opponents' moves end before the learner's first turn."""
    side: int
    """The learner's player, SIDE_DRAWN, or -1 where every side learns."""
    pool: npt.NDArray[np.uint64]
    """(P - 1, K), each row ascending: a seat draws a 32-bit number; its opponent is the first whose bound is above."""
    first: int
    """The number of the pool's first opponent."""


class Outcome(NamedTuple):
    """What a step writes for N games, (N,)."""

    reward: npt.NDArray[np.float64]
    reward_to: npt.NDArray[np.int8]
    """The player whose reward it is."""
    terminated: npt.NDArray[np.bool_]


def new_course(n: int, players: int, longest: int, action_dtype: npt.DTypeLike) -> Course:
    """The course of N games that are over."""
    u64, i8, i16 = np.uint64, np.int8, np.int16
    return Course(
        over=np.ones(n, np.bool_),
        to_move=np.zeros(n, i8),
        plies=np.zeros(n, np.int32),
        moves=np.zeros((n, longest), action_dtype),
        key=np.zeros(n, u64),
        env_key=np.zeros(n, u64),
        number=np.zeros(n, u64),
        learner=np.full(n, -1, i8),
        rival=np.zeros((n, players - 1), i16),
        redraws=np.zeros(n, i16),
    )


def ends_dtype(course: Course, players: int, board: list[Any]) -> np.dtype[np.void]:
    """The fields of a game that has ended.

    Args:
        course: of the games.
        players: the number of players.
        board: the game's own fields, as `numpy.dtype` takes them.
    """
    return np.dtype(
        [
            ("game", np.int64),
            ("viewer", np.int8),  # the player to whom the end is shown
            ("to_move", np.int8),  # who would be next; where an illegal action ended the game, who took it
            ("winner", np.int8),  # -1 nobody
            ("illegal", np.int16),  # the illegal action that ended the game, or -1
            ("plies", np.int32),
            ("scores", np.int32, (players,)),
            ("rival", np.int16, (players - 1,)),
            ("moves", course.moves.dtype, (course.moves.shape[1],)),
            *board,
        ],
        align=True,
    )


def count_sides(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], to_move: npt.NDArray[np.int8]
) -> npt.NDArray[np.int64]:
    """(N, 2) the numbers of pieces of two players, given as sets of squares of the one to move and the other."""
    counts = np.stack([_counts(own), _counts(opponent)], axis=1)
    return np.where(to_move[:, np.newaxis] == 0, counts, counts[:, ::-1])


def _counts(sets: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """(N,) the numbers of squares in sets."""
    bits = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8)).reshape(-1, 64)
    return np.asarray(bits.sum(axis=1, dtype=np.int64))
