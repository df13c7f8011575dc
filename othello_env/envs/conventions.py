"""What all environments agree on: the spaces, the arguments, an action's check, rewards, the last `info`."""

from __future__ import annotations

from operator import index
from typing import Any

import gymnasium
import numpy as np

from othello_env.games.game import State

__all__ = [
    "REWARDS",
    "Observation",
    "check_action",
    "check_choice",
    "final_info",
    "illegal_penalty",
    "observation_space",
    "rewards",
    "winner",
]

Observation = dict[str, Any]
"""Two int8 arrays, `observation` and `action_mask`."""

REWARDS = ("result", "margin")
"""What a reward counts: the result (+1 a win, -1 a loss) or the margin in discs."""


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


def final_info(state: State, illegal_action: int | None = None) -> dict[str, Any]:
    """What `info` has at a game's end beside the mask.

    Returns:
        `winner`: the player's index, or -1 for a draw. `discs`: what each player has on the board, a tuple of ints.
        `moves`: the actions since the position that the game began with, a tuple of ints. If an illegal action ended
        the game there is no winner (-1), and `illegal_action` is that action.
    """
    info = {"winner": winner(state), "discs": state.scores(), "moves": state.moves}
    return info if illegal_action is None else info | {"illegal_action": illegal_action}
