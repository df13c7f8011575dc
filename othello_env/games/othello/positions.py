"""N positions of Othello as arrays, for agents that choose actions for all of them in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Positions
from othello_env.games.batch import step as kernels
from othello_env.games.batch.state import new_state
from othello_env.games.game import WrongGameError
from othello_env.games.othello import bitboard
from othello_env.games.othello.functions import OthelloBoards, OthelloConstants, encode_boards, encoder_buffers
from othello_env.games.othello.position import Othello

__all__ = ["OthelloPositions"]

_NO_GAMES = new_state(OthelloBoards(*np.zeros((3, 0), np.uint64)), 2, 0, np.int8)


class OthelloPositions(Positions):
    """N positions as arrays. An agent chooses actions for all of them in one call. No position is the end of a game.

    Attributes:
        own: (N,) uint64, the discs of the player to move.
        opponent: (N,) uint64, the other player's discs.
        to_move: (N,) int8, 0 if Black is to move, 1 if White is to move.
        key: (N,) uint64, each game's key for random choices. The key stays the same throughout a game.
        size: the height and width of all boards.
    """

    def __init__(
        self,
        own: npt.NDArray[np.uint64],
        opponent: npt.NDArray[np.uint64],
        to_move: npt.NDArray[np.int8],
        key: npt.NDArray[np.uint64],
        size: int = 8,
        legal: npt.NDArray[np.uint64] | None = None,
    ) -> None:
        self.own = own
        self.opponent = opponent
        self.to_move = to_move
        self.key = key
        self.size = size
        self._legal = legal

    @property
    def legal(self) -> npt.NDArray[np.uint64]:
        """(N,) uint64, the squares on which the player to move may place a disc; 0 if the player must pass."""
        if self._legal is None:
            self._legal = bitboard.legal_moves_batch(self.own, self.opponent, bitboard.BOARDS[self.size])
        return self._legal

    def placed(self) -> list[int]:
        """The number `State.placed` of each position, which is the number of its discs."""
        return [taken.bit_count() for taken in (self.own | self.opponent).tolist()]

    @classmethod
    def from_states(cls, states: Sequence[Othello], keys: Iterable[int] | None = None) -> OthelloPositions:
        """Make arrays from positions of one size, with a key for each position. Without `keys`, all keys are 0.

        Raises:
            WrongGameError: a position is not of exactly the class `Othello`. A subclass may have other rules.
            ValueError: the boards differ in size, or the number of keys differs from the number of positions.
        """
        for state in states:
            if type(state) is not Othello:
                raise WrongGameError(f"expected positions of Othello, not of {type(state).__name__}")
        sizes = {state.size for state in states}
        key = np.zeros(len(states), np.uint64) if keys is None else np.fromiter(keys, np.uint64)
        if len(sizes) > 1 or len(key) != len(states):
            raise ValueError(
                f"expected positions of one size and a key for each, got {len(states)} positions of sizes "
                f"{sorted(sizes)} and {len(key)} keys"
            )
        return cls(
            own=np.array([state.own for state in states], np.uint64),
            opponent=np.array([state.opponent for state in states], np.uint64),
            to_move=np.array([state.to_move for state in states], np.int8),
            key=key,
            size=states[0].size if states else 8,
        )

    def copy(self) -> OthelloPositions:
        found = copy(self)
        found.own, found.opponent, found._legal = self.own.copy(), self.opponent.copy(), self.legal.copy()
        return found

    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> OthelloPositions:
        legal = None if self._legal is None else self._legal[places]
        own, opponent, to_move = self.own[places], self.opponent[places], self.to_move[places]
        return OthelloPositions(own, opponent, to_move, self.key[places], self.size, legal)

    def state(self, i: int) -> Othello:
        return Othello.from_bits(int(self.own[i]), int(self.opponent[i]), int(self.to_move[i]), self.size)

    def observations(self) -> npt.NDArray[np.int8]:
        return self._encoded()[0]

    def masks(self) -> npt.NDArray[np.int8]:
        return self._encoded()[1]

    def _encoded(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        n, size = len(self), self.size
        planes, masks = np.zeros((n, 2, size, size), np.int8), np.zeros((n, size**2 + 1), np.int8)
        boards = OthelloBoards(*map(np.ascontiguousarray, (self.own, self.opponent, self.legal)))
        encode_boards(self._constants, boards, np.zeros(n, np.bool_), encoder_buffers(planes, masks, size))
        return planes, masks

    @property
    def _constants(self) -> OthelloConstants:
        return OthelloConstants(bitboard.BOARDS[self.size], self.size)

    def _fields(self) -> tuple[Any, ...]:
        """The fields of a `BatchState` with these positions, as the kernels of a batch take them."""
        boards = OthelloBoards(self.own, self.opponent, self.legal)
        return (boards, np.zeros(len(self), np.bool_), *_NO_GAMES[2:])

    def are_legal(self, actions: npt.NDArray[np.int64]) -> bool:
        return kernels.are_legal(self._constants, self._fields(), actions, self.size**2 + 1)

    def draw_actions(self) -> npt.NDArray[np.int64]:
        return kernels.draw_actions(self._constants, self._fields(), self.key)

    def randomise(self, actions: npt.NDArray[np.int64], threshold: int) -> None:
        self._check_length(actions)
        kernels.randomise(self._constants, self._fields(), self.key, np.uint64(threshold), actions)
