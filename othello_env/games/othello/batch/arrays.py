"""A batch of games as arrays, one a field, and what goes with it.

Letters for shapes: N games, M some of them, E the games that ended in a step, S = size, P given openings, K opponents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["END_WORDS", "SIDE_DRAWN", "Ends", "Games", "StartTable", "Waiting", "new_games"]

SIDE_DRAWN = 2
"""For `StartTable.side`: each game's key draws the learner's player."""

END_WORDS = 8
"""Of each row that `Ends.read` takes, the words before the moves."""


class Games(NamedTuple):
    """The state of N games, an array a field, (N,) but for the moves.

    A finished game is seen by whom it is shown to: the learner, or without one the player who would be next.
    """

    own: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]
    legal: npt.NDArray[np.uint64]
    """The squares of the player to move; if there is none and the game is not over, it has to pass."""
    over: npt.NDArray[np.bool_]
    to_move: npt.NDArray[np.int8]
    plies: npt.NDArray[np.int16]
    moves: npt.NDArray[np.int8]
    """(N, 2 * S * S), of which the first `plies` are the actions so far."""
    key: npt.NDArray[np.uint64]
    """The key of the game that is being played."""
    env_key: npt.NDArray[np.uint64]
    number: npt.NDArray[np.uint64]
    """The game's number under its environment's key."""
    learner: npt.NDArray[np.int8]
    """The learner's player; -1 where both sides learn."""
    rival: npt.NDArray[np.int16]
    """Which of the opponents plays here."""
    redraws: npt.NDArray[np.int16]
    """How often this game was drawn again; -1 once the learner has had a turn."""

    def part(self, places: slice) -> Games:
        """Some of the games, in the same memory."""
        return Games(*(field[places] for field in self))  # type: ignore[arg-type]  # a field stays of its kind


class StartTable(NamedTuple):
    """Where games begin and who plays in them."""

    own: npt.NDArray[np.uint64]
    """(P,), with the three that follow the openings of which each game draws one."""
    opponent: npt.NDArray[np.uint64]
    to_move: npt.NDArray[np.int8]
    plies: npt.NDArray[np.int16]
    moves: npt.NDArray[np.int8]
    """(P, 2 * S * S)"""
    random_plies: int
    """Played from there,"""
    attempts: int
    """and drawn again up to so often if they end the game."""
    redraws: int
    """How often a game is drawn again that the opponent's moves end before the learner's first turn."""
    side: int
    """The learner's player, SIDE_DRAWN, or -1 where both sides learn."""
    pool: npt.NDArray[np.uint64]
    """(K,) ascending: a game draws a 32-bit number, and its opponent is the first whose bound is above it."""
    first: int
    """The number of the pool's first opponent."""


class Ends(NamedTuple):
    """The games that ended in a step."""

    game: npt.NDArray[np.int64]
    """(E,) their numbers."""
    own: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]
    viewer: npt.NDArray[np.int64]
    """(E,) the player whose discs are `own`, to whom the end is shown."""
    illegal: npt.NDArray[np.int64]
    """(E,) the illegal action that ended the game, or -1."""
    plies: npt.NDArray[np.int64]
    rival: npt.NDArray[np.int64]
    """(E,) which of the opponents played there."""
    to_move: npt.NDArray[np.int64]
    """(E,) the player who would be next; where an illegal action ended the game, who took it."""
    moves: npt.NDArray[np.int8]
    """(E, 2 * S * S), of which the first `plies` are the actions."""

    @classmethod
    def read(cls, rows: npt.NDArray[np.uint64]) -> Ends:
        """The ends that kernels return as one array, (E, END_WORDS + S * S / 4): each array returned costs time."""
        game, _, _, viewer, illegal, plies, rival, to_move = rows.view(np.int64)[:, :END_WORDS].T
        moves = rows.view(np.int8)[:, 8 * END_WORDS :]
        return cls(game, rows[:, 1], rows[:, 2], viewer, illegal - 1, plies, rival, to_move, moves)


class Waiting(NamedTuple):
    """The M games in which an opponent has a choice, their numbers ascending; all (M,)."""

    game: npt.NDArray[np.int64]
    own: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]
    legal: npt.NDArray[np.uint64]
    over: npt.NDArray[np.bool_]
    to_move: npt.NDArray[np.int8]
    key: npt.NDArray[np.uint64]
    """The opponent's key for what is random in its choices."""
    rival: npt.NDArray[np.int16]


def new_games(n: int, size: int) -> Games:
    """N games that are over; `begin_all` begins them."""
    u64, i8, i16 = np.uint64, np.int8, np.int16
    return Games(
        own=np.zeros(n, u64),
        opponent=np.zeros(n, u64),
        legal=np.zeros(n, u64),
        over=np.ones(n, np.bool_),
        to_move=np.zeros(n, i8),
        plies=np.zeros(n, i16),
        moves=np.zeros((n, 2 * size * size), i8),
        key=np.zeros(n, u64),
        env_key=np.zeros(n, u64),
        number=np.zeros(n, u64),
        learner=np.full(n, -1, i8),
        rival=np.zeros(n, i16),
        redraws=np.zeros(n, i16),
    )
