"""Conventions of all environments: spaces, checks of arguments and actions, rewards, and the entries of `info`."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from othello_env.games.game import IllegalActionError, State
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import as_integer, no_argument

__all__ = [
    "NOBODY",
    "PLAYING",
    "REWARDS",
    "IgnoredMaskWarning",
    "MaskWatch",
    "Observation",
    "check_action",
    "check_actions",
    "game_info",
    "game_with_options",
    "illegal_penalty",
    "observation",
    "observation_space",
    "play_checked",
    "rewards",
    "winner",
]

Observation = dict[str, Any]
"""A dict of two int8 arrays, `observation` and `action_mask`."""

REWARDS = ("result", "margin")
"""A reward is the result (such as +1 for a win) or the margin (in Othello, the lead in discs)."""

PLAYING, NOBODY = -2, -1
"""Values in `info`.

PLAYING is the value of `winner` if the game is not over. NOBODY is the value of `winner` if nobody won, the value of
`opponent` if there is no opponent, and the value of `illegal_action` if there was no illegal action.
"""


def game_with_options(game: GameLike, options: Mapping[str, Any], env: Callable[..., Any]) -> GameSpec:
    """A game whose options are also given as arguments of the environment `env`, such as ``size=6``.

    Raises:
        TypeError: the game and the environment have no argument of this name.
        ValueError: there is no such game, or an option is wrong.
    """
    spec = GameSpec.parse(game)
    for name in options:
        if name not in spec.definition.defaults:
            others = [parameter for parameter in inspect.signature(env).parameters if parameter != "options"]
            raise no_argument(name, [*spec.definition.defaults, *others])
    return spec.with_options(options) if options else spec


def check_action(action: Any, num_actions: int) -> int:
    """Check an action and return it as an int. NumPy integers and integer arrays with one element are accepted, too.

    Raises:
        ValueError: the action is not an integer from 0 to num_actions - 1.
    """
    is_array = isinstance(action, np.ndarray) and action.size == 1
    number = as_integer(action.item() if is_array else action)
    if number is None or not 0 <= number < num_actions:
        raise ValueError(
            f"expected an action as an integer from 0 to {num_actions - 1}, not {action!r} of type "
            f"{type(action).__name__}"
        ) from None
    return number


def play_checked(state: State, action: Any, *, strict: bool) -> State | int:
    """The position after an action. If the action is illegal and the environment is not strict, the action's number.

    Raises:
        ValueError: the action is not an integer in range.
        IllegalActionError: the action is illegal and the environment is strict.
    """
    if isinstance(action, bool | np.ndarray):  # `State.play` would take a bool, and no array of one element
        action = check_action(action, state.num_actions)
    try:
        return state.play(action)
    except (TypeError, IllegalActionError) as error:
        number = check_action(action, state.num_actions)
        if strict or isinstance(error, TypeError):
            raise
        return number


def check_actions(actions: Any, n: int) -> npt.NDArray[np.int64]:
    """Check the actions of n games. Returns them as (n,) int64, contiguous and writeable, as the kernels require.

    Raises:
        ValueError: the shape or dtype is wrong.
    """
    array = np.asarray(actions)
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"expected actions of shape ({n},) and an integer dtype, got shape {array.shape}, dtype {array.dtype}"
        )
    if array.dtype == np.int64 and array.flags.carray:
        return array
    return array.astype(np.int64, order="C")


def observation_space(state: State, *, flat: bool = False) -> gymnasium.Space[Any]:
    """The space of `observation` for the positions of a game."""
    if flat:
        return gymnasium.spaces.Box(0, 1, (math.prod(state.observation_shape),), np.float32)
    return gymnasium.spaces.Dict(
        {
            "observation": gymnasium.spaces.Box(0, 1, state.observation_shape, np.int8),
            "action_mask": gymnasium.spaces.Box(0, 1, (state.num_actions,), np.int8),
        }
    )


def observation(planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8], *, flat: bool = False) -> Any:
    """The observation of a game, or of N games, with these planes and masks.

    It is a dict of the two. If `flat` is true, it is the planes as one row of float32 for each game, without the mask.
    """
    if flat:
        return planes.reshape(*planes.shape[:-3], -1).astype(np.float32)
    return {"observation": planes, "action_mask": masks}


def rewards(state: State, reward: str) -> tuple[float, ...]:
    """The reward of each player if the game ends in this position; see `State.outcome`."""
    return state.outcome(margins=reward == "margin")


def illegal_penalty(state: State, reward: str) -> float:
    """The penalty for an illegal action: 1, or the largest margin if rewards are margins.

    The reward of the player that acted is minus this penalty. The rewards of the other players are 0.
    """
    return 1.0 if reward == "result" else state.largest_margin


def winner(state: State) -> int:
    """The number of the player that won a finished game, or -1 if two or more players share the best result."""
    winners = state.winners()
    return winners[0] if len(winners) == 1 else NOBODY


def game_info(state: State, opponent: Any, illegal_action: int | None = None) -> dict[str, Any]:
    """The entries that `info` has at every reset and step of a game of P players, as NumPy numbers and arrays.

    Args:
        state: the position.
        opponent: the opponent's number; an array with the numbers of several opponents; or -1 if there is none.
        illegal_action: the illegal action that ended the game in this position, or None.

    Returns:
        `winner`: int64, the number of the player that won. It is -2 if the game is not over. It is -1 if nobody won:
        after a draw, a shared win or an illegal action. `discs`: (P,) int64, the number of discs, pieces or cells that
        each player has on the board. `plies`: int64, the number of plies so far, including passes and the plies of the
        opening. `illegal_action`: int64, the illegal action that ended the game, or -1. `opponent`: the argument
        `opponent`.
    """
    won = PLAYING
    if illegal_action is not None:
        won = NOBODY
    elif state.is_over:
        won = winner(state)
    return {
        "winner": _number(won),
        "discs": np.array(state.scores(), np.int64),
        "plies": _number(len(state.moves)),
        "illegal_action": _number(NOBODY if illegal_action is None else illegal_action),
        "opponent": opponent,
    }


@lru_cache(1024)
def _number(value: int) -> np.int64:
    """A value as np.int64. Values are cached: a call of np.int64 takes four times as long as reading the cache."""
    return np.int64(value)


class IgnoredMaskWarning(UserWarning):
    """Most games of an environment ended by illegal actions. The learner seems to ignore the mask."""


class MaskWatch:
    """Counts an environment's finished games, and warns once if most of these games ended by illegal actions."""

    GAMES = 20
    """The number of games that must have ended before a warning is possible."""

    def __init__(self) -> None:
        self._games = self._illegal = 0
        self._warned = False

    def count(self, games: int, illegal: int) -> None:
        """Count finished games. `illegal` is the number of these games that ended by an illegal action."""
        self._games += games
        self._illegal += illegal
        if illegal and not self._warned and self._games >= self.GAMES and 2 * self._illegal > self._games:
            self._warned = True
            warnings.warn(
                f"{self._illegal} of {self._games} games ended by an illegal action, each as a loss. The legal actions "
                "have a 1 in action_mask (in the observation or in info). Choose among them, or train with an "
                "algorithm that reads masks, such as MaskablePPO instead of PPO",
                IgnoredMaskWarning,
                stacklevel=4,
            )
