"""The Gymnasium environments of Othello: for one game, and for a batch of games."""

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
from othello_env.games.othello.batch import OthelloBatch
from othello_env.games.othello.position import Othello, check_size

__all__ = ["OthelloEnv", "OthelloVectorEnv"]


class OthelloEnv(SingleGame, gymnasium.Env[Observation, np.int64]):
    """Othello against an opponent, the Gymnasium environment ``othello_env/Othello-v0``.

    Args:
        size: the board's height and width, 4, 6 or 8.
        opponent: a spec (text that names an agent, such as ``"alphabeta:depth=2"``), an Agent or a callable.
            `SingleGame` explains this argument and all later arguments.
        side: the learner's side, ``"black"``, ``"white"`` or ``"random"``.
        openings: where games begin; None for the game's usual start.
        reward: ``"result"`` or ``"margin"``.
        strict: whether an illegal action raises IllegalActionError instead of ending the game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
    """

    def __init__(
        self,
        size: int = 8,
        opponent: Opponent = "random",
        side: str = "random",
        openings: OpeningsSpec = None,
        reward: str = "result",
        strict: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self._size = check_size(size)
        super().__init__(opponent, side, openings, reward, strict, render_mode)

    @property
    def position(self) -> Othello:
        state = super().position
        assert isinstance(state, Othello)
        return state

    def new_game(self, game_key: int) -> Othello:
        return Othello(self._size)


class OthelloVectorEnv(VectorGames, gymnasium.vector.VectorEnv[Any, Any, Any]):  # pyright: ignore[reportIncompatibleVariableOverride]
    """N games of Othello, the environment of ``gymnasium.make_vec("othello_env/Othello-v0", num_envs=N)``.

    Args:
        num_envs: the number of games.
        size: the boards' height and width, 4, 6 or 8.
        opponent: a spec (text that names an agent), an Agent, a callable, a dict from opponents to weights (one
            opponent is drawn for each game), or None for self-play. `VectorGames` explains this argument and all later
            arguments.
        side: the learner's side, ``"black"``, ``"white"`` or ``"random"``.
        openings: where games begin; None for the game's usual start.
        reward: ``"result"`` or ``"margin"``.
        strict: whether an illegal action raises IllegalActionError instead of ending the game.
        render_mode: None, ``"rgb_array"`` or ``"ansi"``.
        autoreset_mode: ``"SameStep"``, ``"NextStep"`` or ``"Disabled"``.
        copy: whether every step returns new arrays.
        num_threads: the greatest number of threads that play the games of a step.
    """

    def __init__(
        self,
        num_envs: int = 1,
        size: int = 8,
        opponent: Opponents | None = "random",
        side: str = "random",
        openings: OpeningsSpec = None,
        reward: str = "result",
        strict: bool = False,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        num_threads: int = 1,
    ) -> None:
        self._start = Othello(check_size(size))
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

    def new_batch(self, n: int) -> OthelloBatch:
        return OthelloBatch(n, self._start)

    def new_game(self, game_key: int) -> Othello:
        """The position in which a game begins. This position is the same for every `game_key`."""
        return self._start

    def position(self, i: int) -> Othello:
        state = super().position(i)
        assert isinstance(state, Othello)
        return state

    def final_position(self, i: int) -> Othello:
        state = super().final_position(i)
        assert isinstance(state, Othello)
        return state
