"""The eight symmetries of a square board, for observations, actions and policies.

Symmetry k (0-7) first transposes the board if k & 4 is set. Then it mirrors the board left to right if k & 1 is set,
and top to bottom if k & 2 is set. The pass does not change.

In shapes, `...` stands for any number of leading axes, S for the width of the board, and A = S * S + 1 for the number
of actions. The last action is the pass.

>>> import numpy as np
>>> policy = np.arange(17)
>>> bool((transform_policy(transform_policy(policy, 5), inverse(5)) == policy).all())
True
"""

from functools import cache
from math import isqrt
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["COUNT", "inverse", "transform_actions", "transform_observation", "transform_policy"]

COUNT = 8
"""The number of symmetries. Symmetry 0 is the identity."""

_T = TypeVar("_T", bound=np.generic)


def inverse(symmetry: int) -> int:
    """The number of the symmetry that undoes `symmetry`."""
    _check(symmetry)
    # A symmetry transposes first and then mirrors, so its inverse mirrors first and then transposes. Mirroring left to
    # right before transposing is the same as mirroring top to bottom after it. So if the symmetry transposes, its
    # inverse has the bits of the two mirrors swapped.
    if symmetry & 4:
        return 4 | (symmetry & 1) << 1 | (symmetry & 2) >> 1
    return symmetry


def transform_observation(observation: npt.NDArray[_T], symmetry: int) -> npt.NDArray[_T]:
    """Transform planes (..., S, S). The result is a view of the same memory."""
    _check(symmetry)
    if len(_shape(observation)) < 2 or observation.shape[-1] != observation.shape[-2]:
        raise ValueError(f"expected square planes (..., S, S), got shape {_shape(observation)}")
    if symmetry & 4:
        observation = observation.swapaxes(-1, -2)
    if symmetry & 1:
        observation = observation[..., :, ::-1]
    if symmetry & 2:
        observation = observation[..., ::-1, :]
    return observation


def transform_policy(policy: npt.NDArray[_T], symmetry: int) -> npt.NDArray[_T]:
    """Transform a policy, a mask or another array with one number per action, (..., A). The result is a copy."""
    actions = (0, *_shape(policy))[-1]
    size = isqrt(max(actions - 1, 0))
    if size * size + 1 != actions:
        raise ValueError(f"expected S * S + 1 actions in the last axis, got {actions}")
    return policy[..., _sources(size, symmetry)]


def transform_actions(actions: Any, symmetry: int, size: int = 8) -> npt.NDArray[np.int64]:
    """Transform an array of actions, of any shape, on a board of width `size`. The result is int64."""
    actions = np.asarray(actions)
    if actions.size and not np.issubdtype(actions.dtype, np.integer):
        raise TypeError(f"expected integers, got dtype {actions.dtype}")
    if actions.size and (actions.min() < 0 or actions.max() > size * size):
        raise ValueError(f"actions here must be 0 to {size * size}, not {actions.min()} to {actions.max()}")
    targets = _sources(size, inverse(symmetry))
    return np.asarray(targets[actions.astype(np.int64)])


def _shape(array: Any) -> tuple[int, ...]:
    shape = getattr(array, "shape", None)
    if not isinstance(shape, tuple):
        raise TypeError(f"expected an array, not {array!r:.80} of type {type(array).__name__}")
    return shape


@cache
def _sources(size: int, symmetry: int) -> npt.NDArray[np.int64]:
    """Entry i is the action on the original board that the symmetry turns into action i."""
    squares = np.arange(size * size, dtype=np.int64).reshape(size, size)
    table = np.append(transform_observation(squares, symmetry).ravel(), size * size)
    table.flags.writeable = False
    return table


def _check(symmetry: int) -> None:
    if symmetry not in range(COUNT):
        raise ValueError(f"a symmetry must be 0 to {COUNT - 1}, not {symmetry!r}")
