"""The Gymnasium environments of Tribolo, a game for three players: for one game, and for a batch of games."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from othello_env.envs.conventions import Observation
from othello_env.envs.single import SingleGame
from othello_env.envs.vector.env import VectorGames
from othello_env.envs.vector.opponents import Opponent, Opponents
from othello_env.games.openings import OpeningsSpec
from othello_env.games.tribolo.batch import TriboloBatch
from othello_env.games.tribolo.position import Tribolo

__all__ = ["TriboloEnv", "TriboloVectorEnv"]


class TriboloEnv(SingleGame, gymnasium.Env[Observation, np.int64]):
    """Tribolo against two opponents, the Gymnasium environment ``othello_env/Tribolo-v0``.

    Each game has its own random board.

    Args:
        opponent: one opponent that plays both other sides, or a pair of opponents: the first moves after the learner,
            and the second moves after the first. `SingleGame` explains the arguments from `opponent` to `render_mode`.
        side: the learner's side, ``"blue"``, ``"red"``, ``"green"`` or ``"random"``.
        openings: where games begin; None for the start on each game's own board.
        reward: ``"result"``, or ``"margin"`` (the learner's number of cells minus the mean of the opponents' numbers).
        strict: whether an illegal action raises IllegalActionError instead of ending the game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        width: the board's width. `Tribolo` explains the arguments from `width` to `walls`.
        height: the board's height.
        cells: the number of each player's cells at the start.
        walls: the number of walls on the board.
    """

    def __init__(
        self,
        opponent: Opponent | tuple[Opponent, ...] = "random",
        side: str = "random",
        openings: OpeningsSpec = None,
        reward: str = "result",
        strict: bool = False,
        render_mode: str | None = None,
        width: int = 16,
        height: int = 11,
        cells: int = 12,
        walls: int = 12,
    ) -> None:
        self._board = {"width": width, "height": height, "cells": cells, "walls": walls}
        super().__init__(opponent, side, openings, reward, strict, render_mode)

    def new_game(self, game_key: int) -> Tribolo:
        return Tribolo(game_key, **self._board)


class TriboloVectorEnv(VectorGames, gymnasium.vector.VectorEnv[Any, Any, Any]):  # pyright: ignore[reportIncompatibleVariableOverride]
    """N games of Tribolo, the environment of ``gymnasium.make_vec("othello_env/Tribolo-v0", num_envs=N)``.

    Each game has its own random board.

    Args:
        num_envs: the number of games.
        opponent: one opponent that plays both other sides, a pair of opponents, a dict from opponents to weights
            (opponents are drawn for each game), or None for self-play. `VectorGames` explains all arguments except
            `width`, `height`, `cells` and `walls`.
        side: the learner's side, ``"blue"``, ``"red"``, ``"green"`` or ``"random"``.
        openings: where games begin; None for the start on each game's own board.
        reward: ``"result"`` or ``"margin"``.
        strict: whether an illegal action raises IllegalActionError instead of ending the game.
        render_mode: None, ``"rgb_array"`` or ``"ansi"``.
        width: the boards' width. `Tribolo` explains the arguments from `width` to `walls`.
        height: the boards' height.
        cells: the number of each player's cells at the start.
        walls: the number of walls on each board.
        autoreset_mode: ``"SameStep"``, ``"NextStep"`` or ``"Disabled"``.
        copy: whether every step returns new arrays.
        num_threads: the greatest number of threads that play the games of a step.
    """

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Opponents | None = "random",
        side: str = "random",
        openings: OpeningsSpec = None,
        reward: str = "result",
        strict: bool = False,
        render_mode: str | None = None,
        width: int = 16,
        height: int = 11,
        cells: int = 12,
        walls: int = 12,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        num_threads: int = 1,
    ) -> None:
        self._board = {"width": width, "height": height, "cells": cells, "walls": walls}
        super().__init__(
            num_envs,
            opponent,
            side,
            openings,
            reward,
            strict,
            render_mode,
            autoreset_mode,
            copy,
            num_threads,
        )

    def new_batch(self, n: int) -> TriboloBatch:
        return TriboloBatch(n, self.new_game(0))

    def new_game(self, game_key: int) -> Tribolo:
        """The position in which a game begins. Its random board depends only on `game_key`."""
        return Tribolo(game_key, **self._board)
