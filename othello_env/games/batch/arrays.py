"""The arrays that store N games of any kind, except the boards.

Each kind of game stores its boards in a tuple of arrays of its own.

The letters in shapes stand for numbers: N games, M games of a subset, E games that ended in a step, P players, O given
openings, K opponents, L plies that can be stored in each game.
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
"""The kinds of problems that the actions for N games can have. Several kinds are stored as the sum of their numbers.

OUT_OF_RANGE: there is no such action in this game. ILLEGAL: the action is not legal in the position. OVER: a game is
over.
"""

NO_OPENING, NO_TURN = 1, 2
"""The reasons why a game could not begin.

NO_OPENING: no start was found, or random plies ended the game in every attempt. NO_TURN: in every attempt, opponents'
moves ended the game before the learner's first turn.
"""

SIDE_DRAWN = -2
"""If `Plan.side` has this value, the side that the learner plays is chosen at random for each game. The choice
depends on the game's key."""


class Course(NamedTuple):
    """The progress of N games. All arrays are (N,) except `moves` and `rival`."""

    over: npt.NDArray[np.bool_]
    to_move: npt.NDArray[np.int8]
    plies: npt.NDArray[np.int32]
    """The number of actions since the position in which the game began."""
    moves: npt.NDArray[np.integer]
    """(N, L); the first `plies` entries of a row are the game's actions."""
    key: npt.NDArray[np.uint64]
    """The key of the current game, a 64-bit number. Everything random in the game depends on this key."""
    env_key: npt.NDArray[np.uint64]
    """The key of the environment. The key of each of its games is a hash of `env_key` and `number`."""
    number: npt.NDArray[np.uint64]
    """The number of the current game, counted from 0 for each `env_key`."""
    learner: npt.NDArray[np.int8]
    """The index of the player that the learner plays; -1 if every side learns."""
    rival: npt.NDArray[np.int16]
    """(N, P - 1), the number of the agent in each seat except the learner's seat. Each player has one seat.

    The columns are in turn order. Column 0 is the seat after the learner's seat.
    """
    redraws: npt.NDArray[np.int16]
    """How many games the current game has replaced. A game is replaced if it ends before the learner's first turn.

    After the learner's first turn, the value is -1.
    """

    def moves_of(self, i: int) -> tuple[int, ...]:
        """The actions of game i so far."""
        return tuple(self.moves[i, : self.plies[i]].tolist())


class Plan(NamedTuple):
    """How games begin and who plays in them. The kernels get the boards of the openings in another argument."""

    to_move: npt.NDArray[np.int8]
    """(O,) the player to move in each opening.

    Each game begins with one of the O openings, chosen at random. If O is 0, each game begins at its own start.
    """
    plies: npt.NDArray[np.int32]
    """(O,) the number of moves in each opening."""
    moves: npt.NDArray[np.integer]
    """(O, the length of the longest opening) the moves of each opening."""
    random_plies: int
    """The number of random plies that are played after the opening."""
    attempts: int
    """The largest number of attempts to find random plies that do not end the game."""
    redraws: int
    """The largest number of times that a game is replaced.

    A game is replaced if opponents' moves end it before the learner's first turn.
    """
    side: int
    """The index of the player that the learner plays, or SIDE_DRAWN, or -1 if every side learns."""
    pool: npt.NDArray[np.uint64]
    """(P - 1, K) the bounds by which each seat's opponent is chosen at random.

    There is one row for each seat, in the order of `Course.rival`, and one column for each opponent. The bounds ascend
    in each row. In each game, each seat gets a random 32-bit number. The first opponent whose bound is greater than
    this number plays in the seat.
    """
    first: int
    """The number of the opponent in the pool's first column. The opponents in the other columns follow in order."""


class Outcome(NamedTuple):
    """The arrays that a step writes, each (N,)."""

    reward: npt.NDArray[np.float64]
    reward_to: npt.NDArray[np.int8]
    """The player that gets the reward."""
    terminated: npt.NDArray[np.bool_]


def new_course(n: int, players: int, longest: int, action_dtype: npt.DTypeLike) -> Course:
    """A `Course` of `n` games that are all over, with space for `longest` plies in each."""
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
            ("viewer", np.int8),  # the player whose view the last observation shows
            ("to_move", np.int8),  # the player that would move next; after an illegal action, the player that chose it
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
    """(N, 2) the number of each player's pieces.

    `own` has one set of squares per game, those of the player to move. `opponent` has the other player's squares.
    """
    counts = np.stack([_counts(own), _counts(opponent)], axis=1)
    return np.where(to_move[:, np.newaxis] == 0, counts, counts[:, ::-1])


def _counts(sets: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """(N,) the number of squares in each set."""
    bits = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8)).reshape(-1, 64)
    return np.asarray(bits.sum(axis=1, dtype=np.int64))
