"""The networks that the training scripts train: the option ``--network``, and the network with which a run begins."""

from __future__ import annotations

from typing import Any

from _arguments import text

from othello_agents.network.base import TorchNetwork
from othello_agents.network.custom import PACKAGED, CustomNetwork
from othello_agents.network.neural import NeuralNetwork, load_network

__all__ = ["RESIDUAL", "first_network", "network_option", "new_network"]

RESIDUAL = "residual"
"""The name of the package's convolutional network, for ``--network``."""


def network_option(default: str = "afterstates") -> Any:
    """The field for the option ``--network``."""
    names = " or ".join((RESIDUAL, *PACKAGED))
    return text(
        default,
        f"the network: {names}, or a function that makes your own network, as package.module:name or path.py:name",
    )


def new_network(settings: Any) -> TorchNetwork:
    """The network with which a run begins, with random weights.

    Args:
        settings: the recipe's settings, with `network`, `size`, `seed`, `channels` and `blocks`.

    Raises:
        ValueError: the function of ``--network`` cannot be imported, or its module has a wrong interface.
    """
    if settings.network == RESIDUAL:
        return NeuralNetwork(settings.size, settings.channels, settings.blocks, seed=settings.seed)
    try:
        return CustomNetwork.make(settings.network, settings.size, settings.seed)
    except (OSError, ModuleNotFoundError, ValueError) as error:
        raise ValueError(f"--network: {error}") from error


def first_network(settings: Any) -> TorchNetwork:
    """The network with which a run begins: the network in the file ``--init``, or one with random weights.

    Args:
        settings: the recipe's settings, with `init` and everything that `new_network` needs.

    Raises:
        ValueError: ``--network`` is wrong, or the file of ``--init`` cannot be read or holds a network of another
            kind or size.
    """
    network = new_network(settings)
    if not settings.init:
        return network
    of_package = settings.network in (RESIDUAL, *PACKAGED)
    try:
        first = load_network(settings.init, None if of_package else settings.network)
    except OSError as error:
        raise ValueError(f"--init: {error}") from None
    if repr(first) != repr(network):
        raise ValueError(
            f"--init is {first}, but the settings make {network}; give the settings with which it was trained, "
            "such as --network"
        )
    return first
