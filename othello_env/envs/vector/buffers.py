"""The arrays that a step of a batch of games writes."""

from __future__ import annotations

from typing import Any

import numpy as np

from othello_env.games.batch import Batch

__all__ = ["Buffers"]


class Buffers:
    """The arrays that a step of N games returns.

    Attributes:
        planes: (N, planes, H, W) int8, the planes of the observations.
        masks: (N, A) int8, 1 for each legal action.
        rewards: (N,) float64, the reward in each game.
        terminated: (N,) bool, whether each game ended in the step.
        truncated: (N,) bool, all False, because a game is never truncated.
        reward_to: (N,) int8, the player that gets the reward in each game.
        to_move: (N,) int8, the player to move in each game.

    Args:
        batch: N games.
    """

    def __init__(self, batch: Batch) -> None:
        n, start = len(batch), batch.start
        self.planes = np.zeros((n, *start.observation_shape), np.int8)
        self.masks = np.zeros((n, start.num_actions), np.int8)
        self.rewards = np.zeros(n)
        self.terminated = np.zeros(n, np.bool_)
        self.truncated = np.zeros(n, np.bool_)
        self.reward_to = np.empty(n, np.int8)
        self.to_move = np.empty(n, np.int8)
        self.outcome = (self.rewards, self.reward_to, self.terminated)
        self._batch = batch
        self._parts: dict[tuple[int, int], tuple[Any, Any]] = {}

    @property
    def observation(self) -> dict[str, Any]:
        """A new dict of `planes` and `masks`, as a step returns it. The caller may put other values into the dict."""
        return {"observation": self.planes, "action_mask": self.masks}

    def again(self) -> Buffers:
        """Make these buffers ready for another step, and return them.

        All values of `truncated` become False again: the caller may have changed them, and no step writes them.
        """
        self.truncated[:] = False
        return self

    def part(self, places: slice) -> tuple[Any, Any]:
        """The parts of the arrays that belong to some of the games. Returns a tuple (outcome, views).

        `outcome` is a tuple of the arrays that `othello_env.games.batch.arrays.Outcome` describes. `views` are the
        planes and masks in the form that `Batch.encode` takes.

        Args:
            places: a slice that selects the games.
        """
        key = places.start, places.stop
        if key not in self._parts:
            outcome = tuple(array[places] for array in self.outcome)
            self._parts[key] = outcome, self._batch.views(self.planes[places], self.masks[places])
        return self._parts[key]
