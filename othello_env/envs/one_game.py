"""The common base class of all environments for one game.

This class manages where games begin, the current position and the rendering of this position.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from gymnasium.error import ResetNeeded

from othello_env.envs.conventions import REWARDS, Arguments, MaskWatch
from othello_env.envs.initial_states import InitialStates
from othello_env.envs.rendering import Renderer
from othello_env.envs.seeding import GameKeys
from othello_env.games.game import State, check_choice
from othello_env.games.openings import OpeningsSpec
from othello_env.support.numbers import check_flag

__all__ = ["OneGame"]


class OneGame(Arguments, ABC):
    """An environment for one game at a time. A subclass defines the game and calls `_prepare` in its constructor."""

    def _prepare(self, openings: OpeningsSpec, reward: str, strict: bool, render_mode: str | None) -> State:
        """Check and store these arguments.

        Return a start position. The caller reads the shapes of its spaces and the players' names from this position.
        """
        start = self.new_game(0)
        check_choice("reward", reward, REWARDS)
        self.render_mode = render_mode
        self._num_actions = start.num_actions
        self._reward = reward
        self._strict = check_flag("strict", strict)
        self._renderer = Renderer(render_mode)
        self._initial_states = InitialStates(openings, self.new_game)
        self._watch = MaskWatch()
        self._keys: GameKeys | None = None
        self._state: State | None = None
        self._playing = False
        return start

    @abstractmethod
    def new_game(self, game_key: int) -> State:
        """The position in which a game begins. The same `game_key` always gives the same position."""

    @property
    def position(self) -> State:
        """The current position. Its attribute `moves` has the moves of the game so far.

        Raises:
            ResetNeeded: there was no reset yet.
        """
        if self._state is None:
            raise ResetNeeded("there is no position before reset()")
        return self._state

    def render(self) -> Any:
        """Draw the position as text (``"ansi"``), as an array (H, W, 3) uint8 (``"rgb_array"``) or in a window
        (``"human"``).

        Raises:
            ResetNeeded: there was no reset yet.
        """
        return self._renderer.render(self.position)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
