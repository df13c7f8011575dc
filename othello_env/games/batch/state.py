"""The arrays that store N games of any kind, and what a step of these games takes and writes.

The letters in shapes are numbers: N games, M games of a subset, E games that ended in a step, P players, O openings, K
opponents, and L plies that can be stored in each game.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    "UNCHECKED",
    "BatchState",
    "EndedGames",
    "InitialArrays",
    "Outputs",
    "StepOptions",
    "new_state",
    "record_dtype",
]

OUT_OF_RANGE, ILLEGAL, OVER = 1, 2, 4
"""Bit flags: the kinds of problems that the actions for N games can have.

OUT_OF_RANGE: there is no such action in this game. ILLEGAL: the action is not legal in the position. OVER: a game is
over.
"""

UNCHECKED = -1
"""Says, instead of the flags of problems, that the actions were not checked."""

NO_OPENING, NO_TURN = 1, 2
"""The reasons why a game could not begin.

NO_OPENING: no start position was found, or random plies ended the game in every attempt. NO_TURN: in every attempt,
opponents' moves ended the game before the learner's first turn.
"""

SIDE_DRAWN = -2
"""If `InitialArrays.side` has this value, the learner's player is chosen at random for each game, by the game's key."""


class BatchState(NamedTuple):
    """The state of N games. All arrays are (N,) if nothing else is said."""

    boards: Any
    """A named tuple with the arrays of the boards. Each game has its own class of boards.

    Each array has one entry per game along its first axis. Only the game's own functions read these arrays.
    """
    over: npt.NDArray[np.bool_]
    to_move: npt.NDArray[np.int8]
    plies: npt.NDArray[np.int64]
    """The number of actions so far, including those of the opening."""
    moves: npt.NDArray[np.integer]
    """(N, L); the first `plies` entries of a row are the game's actions."""
    key: npt.NDArray[np.uint64]
    """The key of the current game, a 64-bit number. Everything random in the game depends on this key."""
    env_key: npt.NDArray[np.uint64]
    """The key of the environment. The key of each game is a hash of its `env_key` and its `episode`."""
    episode: npt.NDArray[np.uint64]
    """The index of the current game in the sequence of games with this `env_key`, from 0."""
    learner: npt.NDArray[np.int8]
    """The index of the learner's player, or -1 if the learner plays every side."""
    opponents: npt.NDArray[np.int16]
    """(N, P - 1), the indices of the opponents in each game.

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

    def part(self, places: slice) -> BatchState:
        """The state of some of the games. It shares the memory of this state."""
        boards: Any
        fields: list[Any]
        boards, *fields = self
        return BatchState(type(boards)(*(board[places] for board in boards)), *(field[places] for field in fields))

    def at(self, indices: npt.NDArray[np.int64]) -> BatchState:
        """A copy of the state of some of the games, without their moves."""
        boards: Any
        fields: list[Any]
        boards, *fields = self._replace(moves=self.moves[:, :0])
        return BatchState(type(boards)(*(board[indices] for board in boards)), *(field[indices] for field in fields))


class InitialArrays(NamedTuple):
    """How games begin and who plays in them."""

    to_move: npt.NDArray[np.int8]
    """(O,) the player to move in each opening.

    Each game begins with one of the O openings, chosen at random. If O is 0, the game's key determines its start.
    """
    bounds: npt.NDArray[np.uint64]
    """(O,) the bounds by which the opening is chosen at random, ascending.

    In each game, the first opening whose bound is greater than a random 32-bit number is chosen.
    """
    plies: npt.NDArray[np.int32]
    """(O,) the number of moves in each opening."""
    moves: npt.NDArray[np.integer]
    """(O, length of the longest opening) the moves of each opening."""
    boards: Any
    """The boards of the openings, as in `BatchState.boards`."""
    random_plies: int
    """The number of random plies that are played after the opening."""
    attempts: int
    """The greatest number of attempts to begin a game. If random plies end it, the next attempt plays other plies."""
    redraws: int
    """How often, at most, a game is replaced because it ended before the learner's first turn."""
    side: int
    """The index of the learner's player, SIDE_DRAWN for a random player, or -1 if the learner plays every side."""
    pool: npt.NDArray[np.uint64]
    """(P - 1, K) the bounds by which the opponents are chosen at random.

    There is a row for each seat except the learner's, in the order of `BatchState.opponents`, and a column for each
    opponent. The bounds in a row ascend. In each game, each row gets a random 32-bit number. The first opponent whose
    bound is greater than this number plays in the row's seat.
    """
    first: int
    """The index of the opponent in the first column of `pool`. Each further column has the next index."""

    @property
    def longest(self) -> int:
        """The largest number of plies with which a game begins: the plies of its opening and the random plies."""
        return int(self.moves.shape[1]) + self.random_plies


class Outputs(NamedTuple):
    """The arrays that a step writes, each (N,) if nothing else is said."""

    planes: npt.NDArray[np.int8]
    """(N, planes, H, W), the observations."""
    masks: npt.NDArray[np.int8]
    """(N, A), 1 for each legal action."""
    reward: npt.NDArray[np.float64]
    reward_to: npt.NDArray[np.int8]
    """The player that gets the reward, or -1 if the step only began the game."""
    terminated: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.int64]
    """(N * P,), each player's score, game after game. It has no meaning for a game that is over."""
    encoder_buffers: Any
    """Further views of `planes` and `masks`, as `Batch.encoder_buffers` returns them."""
    template: npt.NDArray[np.void]
    """(0,), an array with the dtype of the records of games that ended; see `record_dtype`."""


class StepOptions(NamedTuple):
    """What an environment wants of every step."""

    num_actions: int
    """The number of actions of the game."""
    refused: int
    """The flags of the problems that are refused. OUT_OF_RANGE must be one of them."""
    observes: bool
    """Whether the step writes the observations, masks and scores."""
    begin_next: bool
    """When a game ends, whether the next game begins in the same step."""
    by_margin: bool
    """Whether rewards are margins instead of results."""


class EndedGames(NamedTuple):
    """The E games that ended in a step."""

    rows: npt.NDArray[np.void]
    """(E,) one record per game, with the fields of `record_dtype`."""
    moves: npt.NDArray[np.integer]
    """(E, L), the actions of each game. Only the first ``rows["plies"][k]`` entries of row k have a meaning."""

    def moves_of(self, k: int) -> tuple[int, ...]:
        """The actions of the k-th game that ended."""
        return tuple(self.moves[k, : self.rows["plies"][k]].tolist())


def new_state(boards: Any, players: int, longest: int, action_dtype: npt.DTypeLike) -> BatchState:
    """The state of games with these boards and space for `longest` plies each. All games are over until they begin."""
    n, u64, i8, i16 = len(boards[0]), np.uint64, np.int8, np.int16
    return BatchState(
        boards=boards,
        over=np.ones(n, np.bool_),
        to_move=np.zeros(n, i8),
        plies=np.zeros(n, np.int64),
        moves=np.zeros((n, longest), action_dtype),
        key=np.zeros(n, u64),
        env_key=np.zeros(n, u64),
        episode=np.zeros(n, u64),
        learner=np.full(n, -1, i8),
        opponents=np.zeros((n, players - 1), i16),
        redraws=np.zeros(n, i16),
    )


def record_dtype(players: int, boards: Any, stored: Sequence[str]) -> np.dtype[np.void]:
    """The dtype of a record of a game that has ended.

    Args:
        players: the number of players.
        boards: the arrays of the boards, a named tuple.
        stored: the names of the arrays whose last values are stored.
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
            ("opponents", np.int16, (players - 1,)),
            *((name, getattr(boards, name).dtype, getattr(boards, name).shape[1:]) for name in stored),
        ],
        align=True,
    )
