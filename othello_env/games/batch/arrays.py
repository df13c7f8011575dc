"""The arrays that store N games of any kind, except the boards.

Each kind of game stores its boards in a tuple of arrays of its own.

The letters in shapes are numbers: N games, M games of a subset, E games that ended in a step, P players, O openings, K
opponents, and L plies that can be stored in each game.
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
"""The kinds of problems that the actions for N games can have. If there are several kinds, their numbers are added.

OUT_OF_RANGE: there is no such action in this game. ILLEGAL: the action is not legal in the position. OVER: a game is
over.
"""

NO_OPENING, NO_TURN = 1, 2
"""The reasons why a game could not begin.

NO_OPENING: no start position was found, or random plies ended the game in every attempt. NO_TURN: in every attempt,
opponents' moves ended the game before the learner's first turn.
"""

SIDE_DRAWN = -2
"""If `Plan.side` has this value, the learner's player is chosen at random for each game, by the game's key."""


class Course(NamedTuple):
    """The progress of N games. All arrays are (N,) except `moves` and `rival`."""

    over: npt.NDArray[np.bool_]
    to_move: npt.NDArray[np.int8]
    plies: npt.NDArray[np.int32]
    """The number of actions so far, including those of the opening."""
    moves: npt.NDArray[np.integer]
    """(N, L); the first `plies` entries of a row are the game's actions."""
    key: npt.NDArray[np.uint64]
    """The key of the current game, a 64-bit number. Everything random in the game depends on this key."""
    env_key: npt.NDArray[np.uint64]
    """The key of the environment. The key of each game is a hash of its `env_key` and its `number`."""
    number: npt.NDArray[np.uint64]
    """The number of the current game, counted from 0 for each `env_key`."""
    learner: npt.NDArray[np.int8]
    """The number of the learner's player, or -1 if the learner plays every side."""
    rival: npt.NDArray[np.int16]
    """(N, P - 1), the numbers of the opponents in each game.

    There is a column for each seat (player) except the learner's, in turn order. Column 0 is the seat after the
    learner's.
    """
    redraws: npt.NDArray[np.int16]
    """The current game replaces this number of games that ended before the learner's first turn.

    After the learner's first turn, the value is -1.
    """

    def moves_of(self, i: int) -> tuple[int, ...]:
        """The actions of game i so far."""
        return tuple(self.moves[i, : self.plies[i]].tolist())


class Plan(NamedTuple):
    """How games begin and who plays in them. The boards of the openings are not here: they are a separate argument."""

    to_move: npt.NDArray[np.int8]
    """(O,) the player to move in each opening.

    Each game begins with one of the O openings, chosen at random. If O is 0, the game's key determines its start.
    """
    plies: npt.NDArray[np.int32]
    """(O,) the number of moves in each opening."""
    moves: npt.NDArray[np.integer]
    """(O, length of the longest opening) the moves of each opening."""
    random_plies: int
    """The number of random plies that are played after the opening."""
    attempts: int
    """The greatest number of attempts to begin a game. If random plies end it, the next attempt plays other plies."""
    redraws: int
    """How often, at most, a game is replaced because it ended before the learner's first turn."""
    side: int
    """The number of the learner's player, SIDE_DRAWN for a random player, or -1 if the learner plays every side."""
    pool: npt.NDArray[np.uint64]
    """(P - 1, K) the bounds by which the opponents are chosen at random.

    There is a row for each seat except the learner's, in the order of `Course.rival`, and a column for each opponent.
    The bounds in a row ascend. In each game, each row gets a random 32-bit number. The first opponent whose bound is
    greater than this number plays in the row's seat.
    """
    first: int
    """The number of the opponent in the first column of `pool`. Each further column has the next number."""


class Outcome(NamedTuple):
    """The arrays that a step writes, each (N,)."""

    reward: npt.NDArray[np.float64]
    reward_to: npt.NDArray[np.int8]
    """The player that gets the reward."""
    terminated: npt.NDArray[np.bool_]


def new_course(n: int, players: int, longest: int, action_dtype: npt.DTypeLike) -> Course:
    """A `Course` of `n` games with space for `longest` plies in each. All games are over until they begin."""
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


def ends_dtype(players: int, board: list[Any]) -> np.dtype[np.void]:
    """The dtype of a record of a game that has ended.

    Args:
        players: the number of players.
        board: the fields of the game's board, in the form that `numpy.dtype` takes.
    """
    return np.dtype(
        [
            ("game", np.int64),
            ("viewer", np.int8),  # the last observation has the point of view of this player
            ("to_move", np.int8),  # the player to move in the last position; an illegal action does not change it
            ("winner", np.int8),  # -1: nobody
            ("illegal", np.int16),  # the illegal action that ended the game, or -1
            ("plies", np.int32),
            ("scores", np.int32, (players,)),
            ("rival", np.int16, (players - 1,)),
            *board,
        ],
        align=True,
    )


def count_sides(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], to_move: npt.NDArray[np.int8]
) -> npt.NDArray[np.int64]:
    """The number of each player's pieces, (N, 2).

    For each game, `own` has the squares of the player to move, and `opponent` has the squares of the other player.
    """
    counts = np.stack([_counts(own), _counts(opponent)], axis=1)
    return np.where(to_move[:, np.newaxis] == 0, counts, counts[:, ::-1])


def _counts(sets: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """The number of squares in each set, (N,)."""
    bits = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8)).reshape(-1, 64)
    return np.asarray(bits.sum(axis=1, dtype=np.int64))
