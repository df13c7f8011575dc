"""Ask a model of sequences, of any array library."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["SequenceModel", "logits_of"]

SequenceModel = Callable[[Any], Any]
"""A function from tokens, (N, L) integers, to logits, (N, L, V) floats. The logits at place t depend on the tokens up
to place t, and say which token follows.

A `torch.nn.Module` gets a tensor of int64 on the device of its weights, and is asked in evaluation mode without
gradients. Any other function gets a NumPy array of int64; its answer may be an array of NumPy, JAX or PyTorch. If the
answer is a tuple, its first item has the logits.
"""


def logits_of(model: SequenceModel, tokens: npt.ArrayLike, count: int) -> npt.NDArray[np.float32]:
    """The logits of a model, (N, L, V) float32.

    Args:
        model: the model; see `SequenceModel`.
        tokens: (N, L) integers.
        count: the number V of tokens of the vocabulary.

    Raises:
        ValueError: the answer has another shape, or has NaN.
    """
    given = np.ascontiguousarray(tokens, np.int64)
    torch = sys.modules.get("torch")  # without PyTorch in this process, the model is not one of its modules
    if torch is not None and isinstance(model, torch.nn.Module):
        module: Any = model
        was_training, weight = module.training, next(module.parameters(), torch.zeros(0))
        module.eval()
        with torch.inference_mode():
            answer = module(torch.from_numpy(given).to(weight.device))
        module.train(was_training)
    else:
        answer = model(given)
    if isinstance(answer, tuple):
        answer = answer[0]
    if hasattr(answer, "detach"):  # a tensor of PyTorch
        answer = answer.detach().float().cpu()
    logits = np.asarray(answer, np.float32)
    if logits.shape != (*given.shape, count):
        raise ValueError(
            f"for tokens of shape {given.shape}, the model must return logits {(*given.shape, count)}, not an array of "
            f"shape {logits.shape}"
        )
    if np.isnan(logits).any():
        raise ValueError("the model's logits have NaN")
    return logits
