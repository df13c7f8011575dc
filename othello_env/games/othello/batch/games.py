"""N games of Othello as a `Batch`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Batch, Ends
from othello_env.games.batch.arrays import count_sides
from othello_env.games.game import State
from othello_env.games.othello.batch.passes import EXPAND
from othello_env.games.othello.batch.versions import OthelloRules
from othello_env.games.othello.bitboard import BOARDS
from othello_env.games.othello.position import Othello
from othello_env.games.othello.positions import OthelloPositions

__all__ = ["OthelloGames"]

_Array = npt.NDArray[Any]


class _GamesPositions(OthelloPositions):
    """Positions of some games of a batch. The method `state` returns a position with its moves.

    In other `OthelloPositions`, this method returns a position without moves.

    Args:
        games: the batch.
        numbers: (M,) the indices of the games in the batch.
        to_move: (M,) the players to move.
        key: (M,) the games' keys.
        boards: the boards of these games, as arrays (M,).
    """

    def __init__(
        self, games: OthelloGames, numbers: _Array, to_move: _Array, key: _Array, boards: tuple[_Array, ...]
    ) -> None:
        own, opponent, legal = boards
        super().__init__(own, opponent, to_move, key, games.start.size, legal)
        self._games, self._numbers = games, numbers

    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> _GamesPositions:
        boards = self.own[places], self.opponent[places], self.legal[places]
        return _GamesPositions(self._games, self._numbers[places], self.to_move[places], self.key[places], boards)

    def state(self, i: int) -> Othello:
        return self._games.state(int(self._numbers[i]))


class OthelloGames(Batch):
    """N games of Othello on boards of one size.

    Args:
        n: the number of games.
        start: the start position. All games are played on boards of its size.
    """

    start: Othello

    def __init__(self, n: int, start: Othello) -> None:
        squares = start.size**2
        super().__init__(
            n,
            start,
            OthelloRules(BOARDS[start.size], start.size),
            [np.zeros(n, np.uint64) for _ in range(3)],
            [("own", np.uint64), ("opponent", np.uint64)],
            2 * squares,
            np.int8,
        )

    def opening_boards(self, positions: Sequence[State]) -> tuple[_Array, ...]:
        squares, found = self.start.size**2, []
        for position in positions:
            assert isinstance(position, Othello)
            if len(position.moves) + 2 * (squares - position.turn) > 2 * squares:
                raise ValueError(f"{len(position.moves)} moves cannot lead to this position:\n{position}")
            found.append((position.own, position.opponent, position.legal_bits))
        own, opponent, legal = np.array(found, np.uint64).T
        return np.ascontiguousarray(own), np.ascontiguousarray(opponent), np.ascontiguousarray(legal)

    def state(self, i: int) -> Othello:
        own, opponent, _ = self.boards
        course, to_move = self.course, int(self.course.to_move[i])
        mine, other = int(own[i]), int(opponent[i])
        if course.over[i] and course.learner[i] == 1 - to_move:  # a finished game: `own` has the learner's discs
            mine, other = other, mine
        return self._state(mine, other, to_move, course.moves_of(i))

    def final_state(self, ends: Ends, k: int) -> Othello:
        end = ends.rows[k]
        mine, other, to_move = int(end["own"]), int(end["opponent"]), int(end["to_move"])
        own, opponent = (mine, other) if end["viewer"] == to_move else (other, mine)
        return self._state(own, opponent, to_move, ends.moves_of(k))

    def _state(self, own: int, opponent: int, to_move: int, moves: tuple[int, ...]) -> Othello:
        return Othello.from_bits(own, opponent, to_move, self.start.size).with_moves(moves)

    def final_boards(self, ends: npt.NDArray[np.void]) -> tuple[_Array, ...]:
        own, opponent = np.ascontiguousarray(ends["own"]), np.ascontiguousarray(ends["opponent"])
        return own, opponent, np.zeros_like(own)

    def scoring(self, *, copy: bool) -> Callable[[], npt.NDArray[np.int64]]:
        own, opponent, _ = self.boards
        to_move = self.course.to_move
        if copy:
            own, opponent, to_move = own.copy(), opponent.copy(), to_move.copy()
        return lambda: count_sides(own, opponent, to_move)

    def _positions(
        self,
        numbers: npt.NDArray[np.int64],
        to_move: npt.NDArray[np.int8],
        key: npt.NDArray[np.uint64],
        boards: tuple[_Array, ...],
    ) -> OthelloPositions:
        return _GamesPositions(self, numbers, to_move, key, boards)

    def views(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> tuple[_Array, ...]:
        n, size = len(planes), self.start.size
        ranks = 8 if size == 8 else size - 1
        plane_ranks = np.ndarray((2 * n, ranks), np.uint64, planes, strides=(size**2, size))
        mask_ranks = np.ndarray((n, ranks), np.uint64, masks, strides=(size**2 + 1, size))
        rows, words = planes.reshape(2 * n, size**2), planes.reshape(-1).view(np.uint64)
        return rows, words, plane_ranks, masks, mask_ranks, EXPAND
