"""What the environments for one game at a time have in common: where games begin, the position, and its rendering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, cast

from gymnasium.error import ResetNeeded

from othello_env.envs.conventions import REWARDS, MaskWatch, game_with_options
from othello_env.envs.rendering import Renderer
from othello_env.games.game import State, check_choice
from othello_env.games.initial_states import InitialStates
from othello_env.games.keys import GameKeys
from othello_env.games.openings import OpeningsSpec
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import check_flag

__all__ = ["OneGame"]

_S = TypeVar("_S", bound=State)


class OneGame(Generic[_S]):
    """An environment for one game at a time. A subclass calls `_prepare` in its constructor.

    Attributes:
        game: the game and its options.
    """

    game: GameSpec

    def _prepare(
        self,
        game: GameLike,
        options: Mapping[str, Any],
        openings: OpeningsSpec,
        reward: str,
        strict: bool,
        render_mode: str | None,
        env: Callable[..., Any],
    ) -> State:
        """Check and store these arguments of the environment `env`.

        Return a start position. The caller reads the shapes of its spaces and the players' names from this position.
        """
        self.game = game_with_options(game, options, env)
        start = self.game.start(0)
        check_choice("reward", reward, REWARDS)
        self.render_mode = render_mode
        self._num_actions = start.num_actions
        self._reward = reward
        self._strict = check_flag("strict", strict)
        self._renderer = Renderer(render_mode)
        self._initial_states = InitialStates(openings, self.game.start)
        self._watch = MaskWatch()
        self._keys: GameKeys | None = None
        self._state: State | None = None
        self._playing = False
        return start

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.game)!r})"

    @property
    def position(self) -> _S:
        """The current position. Its attribute `moves` has the moves of the game so far.

        Raises:
            ResetNeeded: there was no reset yet.
        """
        if self._state is None:
            raise ResetNeeded("there is no position before reset()")
        return cast(_S, self._state)

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
