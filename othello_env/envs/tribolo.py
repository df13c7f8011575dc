"""The Gymnasium environments of Tribolo: one game, and a batch of games."""

from __future__ import annotations

from collections.abc import Sequence

from gymnasium.vector import AutoresetMode

from othello_env.envs.single import SingleGame
from othello_env.envs.vector.env import VectorGames
from othello_env.envs.vector.opponents import Opponent, Opponents
from othello_env.games.game import State
from othello_env.games.tribolo.batch import TriboloGames
from othello_env.games.tribolo.position import Tribolo

__all__ = ["TriboloEnv", "TriboloVectorEnv"]


class TriboloEnv(SingleGame):
    """Tribolo against two opponents, ``othello_env/Tribolo-v0``; each game has a board of its own.

    Args:
        opponent: one for both other seats, or a pair: the one who follows the learner, and the one after. See
            `SingleGame` for it and all that follows.
        side: ``"blue"``, ``"red"``, ``"green"`` or ``"random"``.
        openings: where games begin.
        reward: ``"result"``, or ``"margin"`` in cells.
        strict: raise for an illegal action instead of ending the game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        width: of the board, like all that follows as in `Tribolo`.
        height: of the board.
        cells: of each player at the start.
        walls: on the board.
    """

    def __init__(
        self,
        opponent: Opponent | tuple[Opponent, ...] = "random",
        side: str = "random",
        openings: str | Sequence[str | State] | None = None,
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


class TriboloVectorEnv(VectorGames):
    """N games of Tribolo, ``gymnasium.make_vec("othello_env/Tribolo-v0", num_envs=N)``, each on a board of its own.

    Args:
        num_envs: how many games.
        opponent: as in `VectorGames`, like all that follows.
        side: ``"blue"``, ``"red"``, ``"green"`` or ``"random"``.
        openings: where games begin.
        reward: ``"result"`` or ``"margin"``.
        strict: raise for an illegal action instead of ending the game.
        render_mode: None, ``"rgb_array"`` or ``"ansi"``.
        width: of the boards, like the three that follow as in `Tribolo`.
        height: of the boards.
        cells: of each player at the start.
        walls: on each board.
        autoreset_mode: ``"SameStep"``, ``"NextStep"`` or ``"Disabled"``. Wrappers that fail with ``Expected
            autoreset_mode to be NEXT_STEP or DISABLED``, and `NumpyToTorch`, want ``"NextStep"``.
        copy: return arrays that are the caller's.
        num_threads: in how many slices the games are stepped.
    """

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Opponents | None = "random",
        side: str = "random",
        openings: str | Sequence[str | State] | None = None,
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

    def new_batch(self, n: int) -> TriboloGames:
        return TriboloGames(n, **self._board)

    def new_game(self, game_key: int) -> Tribolo:
        """A game's own start, drawn by its key."""
        return Tribolo(game_key, **self._board)
