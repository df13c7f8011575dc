"""What all environments agree on: the spaces, the arguments, an action's check, rewards, `info`."""

from __future__ import annotations

import warnings
from functools import lru_cache
from operator import index
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from othello_env.games.game import State

__all__ = [
    "NOBODY",
    "PLAYING",
    "REWARDS",
    "IgnoredMaskWarning",
    "MaskWatch",
    "Observation",
    "check_action",
    "check_actions",
    "check_choice",
    "check_count",
    "game_info",
    "illegal_penalty",
    "observation_space",
    "rewards",
    "winner",
]

Observation = dict[str, Any]
"""Two int8 arrays, `observation` and `action_mask`."""

REWARDS = ("result", "margin")
"""What a reward counts: the result (+1 a win, -1 a loss) or the margin in discs."""

PLAYING, NOBODY = -2, -1
"""In `info`: `winner` while the game goes on, and what stands for no winner, no opponent, no illegal action."""


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise a ValueError if an argument's value is none of its choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")


def check_action(action: Any, num_actions: int) -> int:
    """An action as an int, if it is an integer (also NumPy's, or an array of no dimensions) from 0 to num_actions - 1.

    Raises:
        ValueError: it is not.
    """
    try:
        number = -1 if isinstance(action, bool) else index(action)
    except TypeError:
        number = -1
    if not 0 <= number < num_actions:
        raise ValueError(
            f"expected an action as an integer from 0 to {num_actions - 1}, not {action!r} of type "
            f"{type(action).__name__}"
        )
    return number


def check_actions(actions: Any, n: int) -> npt.NDArray[np.int64]:
    """The actions for n games, (n,) int64 as kernels take them.

    Raises:
        ValueError: shape or dtype is wrong.
    """
    array = np.asarray(actions)
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"expected actions of shape ({n},) and an integer dtype, got shape {array.shape}, dtype {array.dtype}"
        )
    if array.dtype == np.int64 and array.flags.carray:
        return array
    return array.astype(np.int64, order="C")


def check_count(name: str, number: Any) -> int:
    """A number of something as an int, if it is an integer (also NumPy's) from 1 on.

    Raises:
        ValueError: it is not.
    """
    try:
        count = 0 if isinstance(number, bool) else index(number)
    except TypeError:
        count = 0
    if count < 1:
        raise ValueError(f"{name} must be an integer of at least 1, not {number!r}")
    return count


def observation_space(state: State) -> gymnasium.spaces.Dict:
    """The planes and the mask of a game, both int8."""
    return gymnasium.spaces.Dict(
        {
            "observation": gymnasium.spaces.Box(0, 1, state.observation_shape, np.int8),
            "action_mask": gymnasium.spaces.Box(0, 1, (state.num_actions,), np.int8),
        }
    )


def rewards(state: State, reward: str) -> tuple[float, ...]:
    """What each player gets when the game ends in this position."""
    return state.returns() if reward == "result" else state.margins()


def illegal_penalty(state: State, reward: str) -> float:
    """What an illegal action costs the mover: as much as the worst result; the others get 0."""
    return 1.0 if reward == "result" else state.largest_margin


def winner(state: State) -> int:
    """The player who alone has the best result in a finished game, or -1 where there is none."""
    results = state.returns()
    best = max(results)
    return results.index(best) if results.count(best) == 1 else -1


def game_info(state: State, opponent: Any, illegal_action: int | None = None) -> dict[str, Any]:
    """What `info` has of a game at every reset and step, in NumPy's numbers and arrays; P players.

    Args:
        state: the position.
        opponent: whom the learner meets, as a number or one a seat; -1 where both sides are the learner's.
        illegal_action: if one ended the game here, that action.

    Returns:
        `winner`: int64, the player's index, -2 while the game goes on, -1 if nobody won (a draw, or an illegal action
        ended the game). `discs`: (P,) int64, what each player has on the board. `plies`: int64, the number of actions
        since the position that the game began with. `illegal_action`: int64, the illegal action that ended the game, or
        -1. `opponent`: as given.
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
    """NumPy's integer, kept, since making one takes four times as long as finding it."""
    return np.int64(value)


class IgnoredMaskWarning(UserWarning):
    """Most games of an environment ended by illegal actions, so its learner seems to ignore the mask."""


class MaskWatch:
    """Counts an environment's games, and warns once if most of them ended by illegal actions."""

    GAMES = 20
    """How many games have to end before it says so."""

    def __init__(self) -> None:
        self._games = self._illegal = 0
        self._warned = False

    def count(self, games: int, illegal: int) -> None:
        """Add games that ended, of which some ended by an illegal action."""
        self._games += games
        self._illegal += illegal
        if illegal and not self._warned and self._games >= self.GAMES and 2 * self._illegal > self._games:
            self._warned = True
            warnings.warn(
                f"{self._illegal} of {self._games} games ended by an illegal action, each as a loss. The legal actions "
                'are those that are 1 in observation["action_mask"]: choose among them, or train with an algorithm '
                "that reads masks, such as MaskablePPO instead of PPO",
                IgnoredMaskWarning,
                stacklevel=4,
            )
