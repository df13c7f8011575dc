"""Compiled functions (kernels) that check or choose an agent's actions in some games of a batch.

`othello_env.games.batch.arrays` explains the letters in shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch.arrays import Course
from othello_env.games.batch.primitives import choose, is_legal, turn
from othello_env.games.hashing import CHOICE, EPSILON, mix
from othello_env.support.jit import kernel

__all__ = ["are_legal", "draw_actions", "randomise"]

_Tuple = tuple[Any, ...]
_32 = np.uint64(32)


@kernel
def are_legal(
    rules: Any, boards: _Tuple, numbers: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], num_actions: int
) -> bool:
    """Whether all M actions are legal. Action k is for the game at the index `numbers[k]`."""
    for k in range(len(numbers)):
        if actions[k] < 0 or actions[k] >= num_actions or not is_legal(rules, boards, numbers[k], actions[k]):
            return False
    return True


@kernel
def draw_actions(
    rules: Any, course_fields: _Tuple, boards: _Tuple, numbers: npt.NDArray[np.int64], key: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int64]:
    """(M,) uniformly random legal actions, one for each of the M games at the indices `numbers`.

    `key`, (M,), has each game's key for random choices. For the same key and position,
    `othello_env.agent.protocol.Chance.choose` returns the same action.
    """
    course = Course(*course_fields)
    actions = np.empty(len(numbers), np.int64)
    for k in range(len(numbers)):
        i = numbers[k]
        bits = mix(mix(key[k], turn(rules, course, boards, i)), np.uint64(CHOICE))
        actions[k] = choose(rules, course, boards, i, bits)
    return actions


@kernel
def randomise(
    rules: Any,
    course_fields: _Tuple,
    boards: _Tuple,
    numbers: npt.NDArray[np.int64],
    key: npt.NDArray[np.uint64],
    threshold: np.uint64,
    actions: npt.NDArray[np.int64],
) -> None:
    """Replace each action, with probability `threshold` / 2**32, by a uniformly random legal action.

    `actions`, (M,), is changed in place. Action k is for the game at the index `numbers[k]`.
    """
    course = Course(*course_fields)
    for k in range(len(numbers)):
        i = numbers[k]
        turn_key = mix(mix(key[k], np.uint64(EPSILON)), turn(rules, course, boards, i))
        if mix(turn_key, np.uint64(EPSILON)) >> _32 < threshold:
            actions[k] = choose(rules, course, boards, i, mix(turn_key, np.uint64(CHOICE)))
