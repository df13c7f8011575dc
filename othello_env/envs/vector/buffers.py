"""What a step of a batch writes, and the positions in which its games begin, as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from othello_env.envs.seeding import REDRAWS
from othello_env.games.openings import Openings
from othello_env.games.othello.batch import passes as batch
from othello_env.games.othello.batch.arrays import Games, StartTable
from othello_env.games.othello.position import Othello

__all__ = ["Buffers", "start_table"]


class Buffers:
    """The arrays that a step of N games returns.

    Attributes:
        planes: (N, 2, S, S) int8.
        masks: (N, A) int8.
        rewards: (N,) float64.
        terminated: (N,) bool.
        truncated: (N,) bool, all False.
        reward_to: (N,) int8, the player whose reward it is.
        to_move: (N,) int8.
        observation: the dict of planes and masks.
    """

    def __init__(self, n: int, size: int) -> None:
        squares = size * size
        self.planes = np.empty((n, 2, size, size), np.int8)
        self.masks = np.empty((n, squares + 1), np.int8)
        self.rewards = np.zeros(n)
        self.terminated = np.zeros(n, np.bool_)
        self.truncated = np.zeros(n, np.bool_)
        self.reward_to = np.empty(n, np.int8)
        self.to_move = np.empty(n, np.int8)
        self.observation = {"observation": self.planes, "action_mask": self.masks}
        self._flat = self.planes.reshape(n, 2, squares)
        if size == 8:
            self._words = self.planes.reshape(-1).view(np.uint64)
            self._mask_words = np.ndarray((n, 8), np.uint64, self.masks, strides=(65, 8))

    def encode(self, games: Games, part: slice) -> None:
        """Write the observations of some of the games."""
        fields = (games.own, games.opponent, games.legal, games.over)
        if self.masks.shape[1] == 65:
            start, stop, _ = part.indices(len(self.masks))
            words, mask_words = self._words[16 * start : 16 * stop], self._mask_words[part]
            batch.encode_8x8(*fields, words, self.masks[part], mask_words, batch.EXPAND)
        else:
            batch.encode_small(*fields, self._flat[part], self.masks[part], self.planes.shape[-1])


def start_table(
    positions: Sequence[Othello], random_plies: int, side: int, bounds: npt.NDArray[np.uint64], first: int
) -> StartTable:
    """Where games begin, as kernels take it.

    Args:
        positions: of which each game draws one.
        random_plies: played from there; this and what follows are described in
            `othello_env.games.othello.batch.arrays.StartTable`.
        side: the learner's player, `SIDE_DRAWN` or -1.
        bounds: (K,) uint64, the pool's.
        first: the number of the pool's first opponent.

    Raises:
        ValueError: a position has more moves behind it than a game has.
    """
    squares = positions[0].size ** 2
    moves = np.zeros((len(positions), 2 * squares), np.int8)
    for row, position in zip(moves, positions, strict=True):
        if len(position.moves) + 2 * (squares - position.turn) > len(row):
            raise ValueError(f"{len(position.moves)} moves cannot lead to this position:\n{position}")
        row[: len(position.moves)] = position.moves
    return StartTable(
        own=np.array([position.own for position in positions], np.uint64),
        opponent=np.array([position.opponent for position in positions], np.uint64),
        to_move=np.array([position.to_move for position in positions], np.int8),
        plies=np.array([len(position.moves) for position in positions], np.int16),
        moves=moves,
        random_plies=min(random_plies, moves.shape[1]),  # more than any game has
        attempts=Openings.ATTEMPTS,
        redraws=REDRAWS,
        side=side,
        pool=bounds,
        first=first,
    )
