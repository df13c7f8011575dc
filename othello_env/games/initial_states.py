"""The positions in which the games of an environment begin.

The openings of the environment or the options of a reset define these positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.game import State
from othello_env.games.openings import Openings, OpeningsSpec, opening_position
from othello_env.support.numbers import check_whole

__all__ = ["POSITION_OPTIONS", "InitialStates", "check_reset_mask", "check_reset_options"]

POSITION_OPTIONS = ("position", "moves", "random_plies")
"""The options of `reset` that define where a game begins.

If a reset has none of these options, the game begins with one of the environment's openings.
"""


def check_reset_options(options: Mapping[str, Any] | None, known: Sequence[str]) -> dict[str, Any]:
    """Check the options of a reset and return them as a dict. Options with the value None are left out.

    Raises:
        TypeError: the options are not a dict, or `random_plies` is not an integer.
        ValueError: an option is unknown, or `random_plies` is negative.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"expected the options of a reset as a dict, not {options!r} of type {type(options).__name__}")
    given = {name: value for name, value in options.items() if value is not None}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(f"unknown reset option {unknown[0]!r}; expected {', '.join(known)}")
    if "random_plies" in given:
        given["random_plies"] = check_whole("random_plies", given["random_plies"], 0)
    return given


def check_reset_mask(mask: Any, n: int) -> npt.NDArray[np.bool_]:
    """Check the mask that selects the games to reset, and return a copy, (n,) bool.

    If the mask is None, all n games are reset.

    Raises:
        TypeError: the mask is not a bool array.
        ValueError: the shape is wrong, or the mask is all False.
    """
    if mask is None:
        return np.ones(n, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f"options['reset_mask'] must be a bool array, not {getattr(mask, 'dtype', type(mask))}")
    if mask.shape != (n,) or not mask.any():
        raise ValueError(
            f"options['reset_mask'] must have shape ({n},) and at least one True, got shape {mask.shape}: {mask}"
        )
    return mask.copy()  # a copy, because the mask may be the array `terminated`, which the reset overwrites


class InitialStates:
    """The positions in which games begin.

    Args:
        openings: where games begin. This is None, ``"random:PLIES"``, or a sequence of transcripts or States; see
            `othello_env.games.openings.Openings`.
        begin: a function that takes the key of a game and returns the usual start position. The key is an integer
            that determines everything random in the game.

    Raises:
        ValueError: the openings are wrong.
    """

    def __init__(self, openings: OpeningsSpec, begin: Callable[[int], State]) -> None:
        self.openings = Openings(openings, begin)
        self._begin = begin

    def draw(self, game_key: int, options: Mapping[str, Any]) -> State:
        """The position in which the game with this key begins. The game is not over in this position.

        Args:
            game_key: the key of the game; see `othello_env.games.keys`.
            options: the options of the reset, as `check_reset_options` returns them. `position` is a State, or text for
                `State.position_from_text`. Without this option, the position is the usual start of the game. `moves` is
                a transcript (the moves as text), or a sequence of actions. These moves are played from the position.
                `random_plies` is the number of random plies that are played after the moves. If none of these options
                is given, the game begins with one of the environment's openings.

        Raises:
            ValueError: an option is wrong.
        """
        if not any(name in options for name in POSITION_OPTIONS):
            return self.openings.draw(game_key)
        return Openings.random(self.given(game_key, options), options.get("random_plies", 0), game_key)

    def given(self, game_key: int, options: Mapping[str, Any]) -> State:
        """The position that the options `position` and `moves` define, before the random plies; see `draw`."""
        state = self._begin(game_key)
        position = options.get("position")
        if isinstance(position, str):
            position = state.position_from_text(position)
        if position is not None:
            if not isinstance(position, State):
                raise ValueError(f"position must be a State, or a board as text, not {position!r}")
            state = opening_position(state, position)
        if "moves" in options:
            try:
                state = opening_position(state, state.play_transcript(options["moves"]))
            except TypeError as error:
                raise ValueError(f"moves must be a transcript, or actions or their names: {error}") from None
        return state
