"""The Gymnasium environments of the other games: Tribolo and checkers."""

from __future__ import annotations

from collections.abc import Sequence

from othello_env.envs.single import SingleGame
from othello_env.envs.vector.opponents import Opponent
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import State
from othello_env.games.tribolo.position import Tribolo

__all__ = ["CheckersEnv", "TriboloEnv"]


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


class CheckersEnv(SingleGame):
    """Checkers against an opponent, ``othello_env/Checkers-v0``; an action is one step or jump.

    The observation does not show the history that draws hang on.

    Args:
        size: of the board, 4, 6, 8 or 10.
        opponent: as in `SingleGame`, like all that follows.
        side: ``"red"``, ``"white"`` or ``"random"``.
        openings: where games begin.
        reward: ``"result"``, or ``"margin"`` in pieces.
        strict: raise for an illegal action instead of ending the game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        draws: the rule of draws, ``"repetition"``, ``"threefold"`` or ``"40-move"``; see `othello_env.games.checkers`.
    """

    def __init__(
        self,
        size: int = 8,
        opponent: Opponent = "random",
        side: str = "random",
        openings: str | Sequence[str | State] | None = None,
        reward: str = "result",
        strict: bool = False,
        render_mode: str | None = None,
        draws: str = "repetition",
    ) -> None:
        self._start = Checkers(size, draws)
        super().__init__(opponent, side, openings, reward, strict, render_mode)

    def new_game(self, game_key: int) -> Checkers:
        return self._start
