"""Othello for trainers that take one flat array of floats, and no dict: ``othello_env/Othello-flat-v0``.

The games, the rewards and `info` are those of ``othello_env/Othello-v0``, and the classes take the same arguments. Only
the observation differs: it is the planes as one row of float32, (2 * size * size,): the own discs row by row from a1,
then the opponent's discs. The legal actions are in ``info["action_mask"]``, and the method `action_masks` returns them.
"""

from __future__ import annotations

import math
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from othello_env.envs.othello import OthelloEnv, OthelloVectorEnv
from othello_env.games.game import State

__all__ = ["OthelloFlatEnv", "OthelloFlatVectorEnv"]


class _Rows:
    """Observations as rows of float32, in place of dicts of planes and masks."""

    def _space_of(self, start: State) -> gymnasium.Space[Any]:
        return gymnasium.spaces.Box(0, 1, (math.prod(start.observation_shape),), np.float32)

    def _observation(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> Any:
        return planes.reshape(*planes.shape[:-3], -1).astype(np.float32)


class OthelloFlatEnv(_Rows, OthelloEnv, gymnasium.Env[Any, np.int64]):
    """Othello with flat observations, the Gymnasium environment ``othello_env/Othello-flat-v0``; see `OthelloEnv`."""


class OthelloFlatVectorEnv(_Rows, OthelloVectorEnv, gymnasium.vector.VectorEnv[Any, Any, Any]):  # pyright: ignore[reportIncompatibleVariableOverride]
    """N games of Othello with flat observations, (N, 2 * size * size) float32; see `OthelloVectorEnv`.

    This is the environment of ``gymnasium.make_vec("othello_env/Othello-flat-v0", num_envs=N)``.
    """
