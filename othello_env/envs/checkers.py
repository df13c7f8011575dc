"""The Gymnasium environments of checkers: for one game, and for a batch of games."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from othello_env.envs.conventions import Observation
from othello_env.envs.single import SingleGame
from othello_env.envs.vector.env import VectorGames
from othello_env.envs.vector.opponents import Opponent, Opponents
from othello_env.games.checkers.batch import CheckersBatch
from othello_env.games.checkers.position import Checkers
from othello_env.games.openings import OpeningsSpec

__all__ = ["CheckersEnv", "CheckersVectorEnv"]


class CheckersEnv(SingleGame, gymnasium.Env[Observation, np.int64]):
    """Checkers against an opponent, the Gymnasium environment ``othello_env/Checkers-v0``.

    An action is one step or one jump of a piece.

    The rules for draws depend on earlier positions of the game, but the observation shows only the current position.

    Args:
        size: the board's height and width, 4, 6, 8 or 10.
        opponent: a spec (text that names an agent, such as ``"random"``), an Agent or a callable. `SingleGame` explains
            this argument and all later arguments except `draws`.
        side: the learner's side, ``"red"``, ``"white"`` or ``"random"``.
        openings: where games begin; None for the game's usual start.
        reward: ``"result"``, or ``"margin"``, which counts pieces.
        strict: whether an illegal action raises IllegalActionError instead of ending the game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        draws: the rule for draws, ``"repetition"``, ``"threefold"`` or ``"40-move"``; see
            `othello_env.games.checkers.position`.
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
        draws: str = "repetition",
    ) -> None:
        self._start = Checkers(size, draws)
        super().__init__(opponent, side, openings, reward, strict, render_mode)

    def new_game(self, game_key: int) -> Checkers:
        return self._start


class CheckersVectorEnv(VectorGames, gymnasium.vector.VectorEnv[Any, Any, Any]):  # pyright: ignore[reportIncompatibleVariableOverride]
    """N games of checkers, the environment of ``gymnasium.make_vec("othello_env/Checkers-v0", num_envs=N)``.

    Args:
        num_envs: the number of games.
        size: the boards' height and width, 4, 6, 8 or 10.
        opponent: a spec (text that names an agent), an Agent, a callable, a dict from opponents to weights, or None for
            self-play. From a dict, one opponent is drawn for each game. `VectorGames` explains this argument and all
            later arguments except `draws`.
        side: the learner's side, ``"red"``, ``"white"`` or ``"random"``.
        openings: where games begin; None for the game's usual start.
        reward: ``"result"`` or ``"margin"``.
        strict: whether an illegal action raises IllegalActionError instead of ending the game.
        render_mode: None, ``"rgb_array"`` or ``"ansi"``.
        draws: the rule for draws, ``"repetition"``, ``"threefold"`` or ``"40-move"``; see
            `othello_env.games.checkers.position`.
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
        draws: str = "repetition",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        num_threads: int = 1,
    ) -> None:
        self._start = Checkers(size, draws)
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

    def new_batch(self, n: int) -> CheckersBatch:
        return CheckersBatch(n, self._start)

    def new_game(self, game_key: int) -> Checkers:
        """The position in which a game begins. This position is the same for every `game_key`."""
        return self._start
