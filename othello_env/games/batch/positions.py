"""Many positions at once, for agents that choose actions for all of them in one call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
import numpy.typing as npt

from othello_env.games.game import State

__all__ = ["Positions"]


class Positions(ABC):
    """N positions for which an agent chooses actions in one call. None of the games is over.

    Attributes:
        to_move: (N,) int8, the players to move.
        key: (N,) uint64, each game's key for random choices. The key stays the same throughout a game.
    """

    to_move: npt.NDArray[np.int8]
    key: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.key)

    def copy(self) -> Positions:
        """The same positions for an agent. The agent may change the arrays."""
        return self

    @abstractmethod
    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> Self:
        """Some of the positions. `places` selects them; it is a slice, an array of indices or a mask."""

    @abstractmethod
    def state(self, i: int) -> State:
        """The i-th position."""

    @abstractmethod
    def observations(self) -> npt.NDArray[np.int8]:
        """(N, planes, H, W) int8, each position as its player to move sees it."""

    @abstractmethod
    def masks(self) -> npt.NDArray[np.int8]:
        """(N, A) int8, 1 for each legal action."""

    @abstractmethod
    def are_legal(self, actions: npt.NDArray[np.int64]) -> bool:
        """Whether the actions (N,) are all in range and legal."""

    @abstractmethod
    def draw_actions(self) -> npt.NDArray[np.int64]:
        """(N,) uniformly random legal actions. Each action depends only on the position and the game's key."""

    @abstractmethod
    def randomise(self, actions: npt.NDArray[np.int64], threshold: int) -> None:
        """Replace each action, with probability `threshold` / 2**32, by a uniformly random legal action.

        `actions`, (N,), is changed in place.

        Raises:
            ValueError: the shape of `actions` is not (N,).
        """

    def _check_length(self, actions: npt.NDArray[np.int64]) -> None:
        """Check the shape of `actions`, because a kernel would write outside an array that is too short."""
        if actions.shape != (len(self),):
            raise ValueError(f"actions must be of shape ({len(self)},), not {actions.shape}")
