"""N games of Othello as arrays; see `othello_env.games.batch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Batch, EndedGames, Positions
from othello_env.games.game import State
from othello_env.games.othello.bitboard import BOARDS
from othello_env.games.othello.functions import EncoderBuffers, OthelloBoards, OthelloConstants, encoder_buffers
from othello_env.games.othello.position import Othello
from othello_env.games.othello.positions import OthelloPositions

__all__ = ["OthelloBatch", "OthelloBoards", "OthelloConstants"]

_Array = npt.NDArray[Any]


class _GamesPositions(OthelloPositions):
    """Positions of some games of a batch. The method `state` returns a position with its moves.

    In other `OthelloPositions`, this method returns a position without moves.

    Args:
        batch: the batch.
        indices: (M,) the indices of the games in the batch.
        to_move: (M,) the players to move.
        key: (M,) the games' keys.
        boards: the boards of these games, as arrays (M,).
    """

    def __init__(
        self, batch: OthelloBatch, indices: _Array, to_move: _Array, key: _Array, boards: OthelloBoards
    ) -> None:
        super().__init__(boards.own, boards.opponent, to_move, key, batch.start.size, boards.legal)
        self._batch, self._indices = batch, indices

    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> _GamesPositions:
        boards = OthelloBoards(self.own[places], self.opponent[places], self.legal[places])
        return _GamesPositions(self._batch, self._indices[places], self.to_move[places], self.key[places], boards)

    def state(self, i: int) -> Othello:
        return self._batch.state(int(self._indices[i]))


class OthelloBatch(Batch):
    """N games of Othello on boards of one size.

    For a variant of the rules, a subclass sets `constants_class`.

    Args:
        n: the number of games.
        start: the start position, of `Othello` or a subclass. All games are played on boards of its size.
    """

    constants_class = OthelloConstants
    """The class of the constants. It selects the compiled functions; see `othello_env.support.dispatch`."""
    start: Othello

    def __init__(self, n: int, start: Othello) -> None:
        constants = self.constants_class(BOARDS[start.size], start.size)
        boards = OthelloBoards(*(np.zeros(n, np.uint64) for _ in range(3)))
        super().__init__(start, constants, boards, ("own", "opponent"), 2 * start.size**2, np.int8)

    def opening_boards(self, positions: Sequence[State]) -> OthelloBoards:
        squares, sets = self.start.size**2, []
        for position in positions:
            assert isinstance(position, Othello)
            if len(position.moves) + 2 * (squares - position.placed) > 2 * squares:
                raise ValueError(f"{len(position.moves)} moves cannot lead to this position:\n{position}")
            sets.append((position.own, position.opponent, position.legal_bits))
        return OthelloBoards(*map(np.ascontiguousarray, np.array(sets, np.uint64).T))

    def state(self, i: int) -> Othello:
        arrays, to_move = self.arrays, int(self.arrays.to_move[i])
        own, opponent = int(arrays.boards.own[i]), int(arrays.boards.opponent[i])
        if arrays.over[i] and arrays.learner[i] == 1 - to_move:  # a finished game: `own` has the learner's discs
            own, opponent = opponent, own
        return self._state(own, opponent, to_move, arrays.moves_of(i))

    def final_state(self, ended: EndedGames, k: int) -> Othello:
        record = ended.rows[k]
        own, opponent, to_move = int(record["own"]), int(record["opponent"]), int(record["to_move"])
        if record["viewer"] != to_move:
            own, opponent = opponent, own
        return self._state(own, opponent, to_move, ended.moves_of(k))

    def _state(self, own: int, opponent: int, to_move: int, moves: tuple[int, ...]) -> Othello:
        return type(self.start).from_bits(own, opponent, to_move, self.start.size).with_moves(moves)

    def gather(self, indices: npt.NDArray[np.int64]) -> OthelloBoards:
        own, opponent, legal = self.arrays.boards
        return OthelloBoards(own[indices], opponent[indices], legal[indices])

    def _positions(
        self,
        indices: npt.NDArray[np.int64],
        to_move: npt.NDArray[np.int8],
        key: npt.NDArray[np.uint64],
        gathered: OthelloBoards,
    ) -> Positions:
        if type(self.start) is not Othello:  # agents may take `OthelloPositions` for games with the usual rules
            return super()._positions(indices, to_move, key, gathered)
        return _GamesPositions(self, indices, to_move, key, gathered)

    def encoder_buffers(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> EncoderBuffers:
        return encoder_buffers(planes, masks, self.start.size)
