"""Choose uniformly random legal actions for a batch of games."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.hashing import below, mix
from othello_env.support.jit import kernel

__all__ = ["sample_legal"]


def sample_legal(masks: Any, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Choose a uniformly random legal action for each row of masks, or 0 for a row without legal actions.

    >>> masks = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0]], np.int8)
    >>> sample_legal(masks, np.random.default_rng(0))
    array([1, 0, 0])

    Args:
        masks: (N, A) int8, uint8 or bool, nonzero for each legal action.
        rng: the random generator. Each call of `sample_legal` draws one number from `rng`.

    Returns:
        The actions, (N,) int64.

    Raises:
        ValueError: the masks have another shape or dtype.
        TypeError: rng is not a Generator.
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"expected a numpy.random.Generator, not {rng!r} of type {type(rng).__name__}")
    array = np.asarray(masks)
    if array.ndim != 2 or array.dtype.kind not in "iub" or array.dtype.itemsize != 1:
        raise ValueError(
            f"expected masks of shape (N, A), int8, uint8 or bool, not of shape {array.shape}, dtype {array.dtype}"
        )
    if not array.flags.carray:  # copy the masks: the kernel takes only contiguous, writeable arrays
        array = np.array(array, order="C")
    actions = np.empty(len(array), np.int64)
    _sample(array.view(np.int8), rng.integers(2**64, dtype=np.uint64), actions)
    return actions


@kernel
def _sample(masks: npt.NDArray[np.int8], key: np.uint64, actions: npt.NDArray[np.int64]) -> None:
    """Choose a random legal action for each row. The loop over the actions has no branches, so it is fast."""
    width = masks.shape[1]
    places = np.empty(width + 1, np.int64)
    for i in range(len(masks)):
        count = np.int64(0)
        for j in range(width):
            places[count] = j
            count += np.int64(masks[i, j] != 0)
        if count == 0:
            places[0] = 0
        actions[i] = places[below(mix(key, np.uint64(i)), np.uint64(count))]
