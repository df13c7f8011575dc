"""A policy network that was trained in JAX, its file, and the agent that plays by it.

The network is a function ``apply(params, observations)`` and its params, any pytree of arrays. `observations` is
(N, S, S, 2) bool, as in `othello_env.jax.env`. The function returns the logits of the actions, (N, A), or a tuple of
logits and values: the expected results for the players to move, (N,), -1 to +1. Logits of illegal actions do not
matter.

A file (`othello_env.support.networks`) holds the params and the name of the function that makes the network:
``make(size)`` returns ``(apply, params)``. This name is only for you to read: a file never decides which code runs.
Whoever loads the file names the function again.

Letters for shapes: N positions, S size, A = S * S + 1 actions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from othello_env.agent import Agent, make_agent
from othello_env.games.othello.position import check_size
from othello_env.jax.library import jax, jnp
from othello_env.support.imports import import_object
from othello_env.support.networks import NetworkFile

__all__ = ["Apply", "Network", "agent"]

Apply = Callable[[Any, Any], Any]
"""A function of params and observations; see the module."""

_BATCHES = (1, 16, 64, 256)


class Network:
    """A policy network in JAX, as the agents of this package call it.

    `apply` is compiled for 1, 16, 64 and 256 positions, when such a number is first needed; other numbers are padded.

    Args:
        apply: the function of the network; see the module.
        params: its params.
        size: the board's size: 4, 6 or 8.
        function: the name of the function that makes the network, as ``package.module:name`` or ``path.py:name``. Only
            `save` needs it.
        training: how the params were trained, as values that JSON can hold.

    Attributes:
        apply: the compiled function of params and observations, also for use inside ``jit``. It always returns a tuple
            of logits and values; the values are 0 if the network has none.
        params: its params.

    Raises:
        ValueError: the size is wrong, or `apply` returns wrong shapes.
    """

    def __init__(
        self,
        apply: Apply,
        params: Any,
        size: int = 8,
        function: str | None = None,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        self.size = check_size(size)
        self.params = params
        self.function = function
        self.training = dict(training or {})
        self.apply = jax.jit(lambda params, observations: _pair(apply(params, observations)))
        boards = jax.ShapeDtypeStruct((3, size, size, 2), jnp.bool_)
        shapes = [tuple(output.shape) for output in jax.eval_shape(self.apply, params, boards)]
        if shapes != [(3, size**2 + 1), (3,)]:
            raise ValueError(
                f"for 3 positions, apply must return logits {(3, size**2 + 1)}, or a tuple of logits and values (3,), "
                f"but it returned {shapes}"
            )

    def __repr__(self) -> str:
        count = sum(leaf.size for leaf in jax.tree.leaves(self.params))
        return f"<othello_env.jax.Network {self.size}x{self.size}, {count} params>"

    def answers(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The probabilities of the actions, (N, A), and the expected results, (N,); 0 if `apply` returns no values.

        Args:
            observations: (N, 2, S, S), the player's discs and the opponent's, as elsewhere in this package.
            masks: (N, A), nonzero for each legal action.
        """
        boards = np.moveaxis(np.asarray(observations) != 0, 1, -1)
        step = next((count for count in _BATCHES if count >= len(boards)), _BATCHES[-1])
        results = []
        for first in range(0, len(boards), step):
            part = boards[first : first + step]
            padded = np.zeros((step, *boards.shape[1:]), np.bool_)
            padded[: len(part)] = part
            results.append([np.asarray(output, np.float64)[: len(part)] for output in self.apply(self.params, padded)])
        logits, values = (np.concatenate(arrays) for arrays in zip(*results, strict=True))
        policy = special.softmax(np.where(masks != 0, logits, -np.inf), axis=1)
        return policy, np.clip(values, -1, 1)

    def policy(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        """The probabilities that `answers` returns, (N, A)."""
        return self.answers(observations, masks)[0]

    def save(self, path: str | Path) -> None:
        """Write the params and a card to a ``.safetensors`` file, completely or not at all.

        Raises:
            ValueError: the network has no `function`, so nobody could load the file.
            OSError: the file cannot be written.
        """
        if self.function is None:
            raise ValueError(
                "the network needs function='package.module:name', the function that makes it, to be saved"
            )
        NetworkFile(_named(self.params), self.function, self.size, training=self.training).write(path)

    @classmethod
    def load(cls, path: str | Path, function: str | Callable[[int], tuple[Apply, Any]]) -> Network:
        """Read the network from a file that `save` wrote.

        Args:
            path: the file.
            function: the function that makes the network, or its name as ``package.module:name`` or ``path.py:name``.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: the file is damaged, or does not fit to the function. The message names the file and the fault.
        """
        file = NetworkFile.read(path)
        make: Any = import_object(function) if isinstance(function, str) else function
        if not callable(make):
            raise ValueError(f"expected a function as package.module:name or path.py:name, got {function!r}")
        made: Any = make(file.size)
        apply, params = made
        given, wanted = (
            {name: (leaf.shape, str(leaf.dtype)) for name, leaf in tensors.items()}
            for tensors in (file.tensors, _named(params))
        )
        if given != wanted:
            has, needs = (sorted(a.items() - b.items())[:3] for a, b in ((given, wanted), (wanted, given)))
            raise ValueError(f"{str(path)!r} does not fit to {function}: the file has {has}, the network {needs}")
        leaves = [jnp.asarray(file.tensors[name]) for name in _named(params)]
        params = jax.tree.unflatten(jax.tree.structure(params), leaves)
        name = function if isinstance(function, str) else f"{function.__module__}:{function.__qualname__}"
        return cls(apply, params, file.size, name, file.training)


def agent(apply: Apply, params: Any, size: int = 8) -> Agent:
    """An agent that plays the likeliest action of a network (the lowest if several are equal).

    It plays in matches, the league and the benchmark as every agent does.

    Args:
        apply: the function of the network; see the module.
        params: its params.
        size: the board's size: 4, 6 or 8.

    Raises:
        ValueError: the size is wrong, or `apply` returns wrong shapes.
    """
    network = Network(apply, params, size)

    def jax_policy(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        return np.asarray(network.policy(observations, masks).argmax(axis=1), np.int64)

    return make_agent(jax_policy)


def _pair(outputs: Any) -> tuple[Any, Any]:
    """The logits and the values that `apply` returned."""
    return outputs if isinstance(outputs, tuple) else (outputs, jnp.zeros(outputs.shape[:1], outputs.dtype))


def _named(params: Any) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a pytree by their paths, such as ``params/Dense_0/kernel``."""
    leaves = jax.tree_util.tree_leaves_with_path(params)
    return {jax.tree_util.keystr(path, simple=True, separator="/"): np.asarray(leaf) for path, leaf in leaves}
