"""Where an environment's games begin: at its openings, or where a reset's options say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.game import State
from othello_env.games.openings import Openings, opening_position

__all__ = ["POSITION_OPTIONS", "Starts", "check_options", "check_reset_mask"]

POSITION_OPTIONS = ("position", "moves", "random_plies")
"""The options of `reset` that say where a game begins; without them the environment's openings do."""


def check_options(options: Mapping[str, Any] | None, known: Sequence[str]) -> dict[str, Any]:
    """The options of a reset that are given, None being not given.

    Raises:
        TypeError: they are no dict.
        ValueError: an option is unknown, or `random_plies` is no number of plies.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"expected the options of a reset as a dict, not {options!r} of type {type(options).__name__}")
    given = {name: value for name, value in options.items() if value is not None}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(f"unknown reset option {unknown[0]!r}; expected {', '.join(known)}")
    plies = given.get("random_plies", 0)
    try:
        valid = index(plies) >= 0
    except TypeError:
        valid = False
    if not valid:
        raise ValueError(f"random_plies must be an integer from 0 on, not {plies!r}")
    return given


def check_reset_mask(mask: Any, n: int) -> npt.NDArray[np.bool_]:
    """Which of n games to reset, (n,) bool, a copy; all of them without a mask.

    Raises:
        TypeError: it is no bool array.
        ValueError: its shape is wrong, or it is all False.
    """
    if mask is None:
        return np.ones(n, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f"options['reset_mask'] must be a bool array, not {getattr(mask, 'dtype', type(mask))}")
    if mask.shape != (n,) or not mask.any():
        raise ValueError(f"options['reset_mask'] must have shape ({n},) and a True, got shape {mask.shape}: {mask}")
    return mask.copy()  # it may be the `terminated` that the reset is about to overwrite


class Starts:
    """The positions in which games begin.

    Args:
        openings: None, ``"random:PLIES"``, or transcripts or States, of which each game draws one.
        new_game: makes a game's own start from the game's key.

    Raises:
        ValueError: the openings are wrong.
    """

    def __init__(self, openings: str | Sequence[str | State] | None, new_game: Callable[[int], State]) -> None:
        self.openings = Openings(openings, new_game)
        self._new_game = new_game

    def draw(self, game_key: int, options: Mapping[str, Any]) -> State:
        """The position in which the game with this key begins; never one that is over.

        Args:
            game_key: see `othello_env.envs.seeding`.
            options: of the reset, checked. The game begins at `position` (a State, or a board as text, with the first
                player to move), after the `moves` of a transcript and then `random_plies`, each if given. With none of
                them the openings count.

        Raises:
            ValueError: an option is wrong.
        """
        if not any(name in options for name in POSITION_OPTIONS):
            return self.openings.draw(game_key)
        return Openings.random(self.given(game_key, options), options.get("random_plies", 0), game_key)

    def given(self, game_key: int, options: Mapping[str, Any]) -> State:
        """The position that the options of a reset say, before their `random_plies`; see `draw`."""
        state = self._new_game(game_key)
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
