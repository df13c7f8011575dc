"""Ask a model of sequences, of any array library."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["SequenceModel", "layers_of", "logits_of"]

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
    answer = _answer(model, model, tokens)
    logits = _as_array(answer[0] if isinstance(answer, tuple) else answer)
    given = np.shape(tokens)
    if logits.shape != (*given, count):
        raise ValueError(
            f"for tokens of shape {given}, the model must return logits {(*given, count)}, not an array of "
            f"shape {logits.shape}"
        )
    if np.isnan(logits).any():
        raise ValueError("the model's logits have NaN")
    return logits


def layers_of(model: Any, tokens: npt.ArrayLike) -> list[npt.NDArray[np.float32]]:
    """What the layers of a model say after each token, each (N, L, D) float32.

    Args:
        model: an object with the method `layers`, from tokens (N, L) to a list of arrays (N, L, D). It is asked like a
            `SequenceModel`.
        tokens: (N, L) integers.

    Raises:
        TypeError: the model has no method `layers`.
        ValueError: an array has another shape, or has numbers that are not finite.
    """
    if not callable(getattr(model, "layers", None)):
        raise TypeError(f"expected a model with a method layers, got {type(model).__name__}")
    found = [_as_array(layer) for layer in _answer(model, lambda given: list(model.layers(given)), tokens)]
    for k, layer in enumerate(found):
        if layer.shape[:2] != np.shape(tokens) or layer.ndim != 3 or not np.isfinite(layer).all():
            raise ValueError(f"layer {k} must be finite numbers {(*np.shape(tokens), 'D')}, got shape {layer.shape}")
    return found


def _answer(model: Any, ask: Callable[[Any], Any], tokens: npt.ArrayLike) -> Any:
    """What `ask`, which is the model or a method of it, answers to tokens."""
    given = np.ascontiguousarray(tokens, np.int64)
    torch = sys.modules.get("torch")  # without PyTorch in this process, the model is not one of its modules
    if torch is None or not isinstance(model, torch.nn.Module):
        return ask(given)
    module: Any = model
    was_training, weight = module.training, next(module.parameters(), torch.zeros(0))
    module.eval()
    with torch.inference_mode():
        answer = ask(torch.from_numpy(given).to(weight.device))
    module.train(was_training)
    return answer


def _as_array(values: Any) -> npt.NDArray[np.float32]:
    if hasattr(values, "detach"):  # a tensor of PyTorch
        values = values.detach().float().cpu()
    return np.asarray(values, np.float32)
