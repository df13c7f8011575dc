"""Begin a training with a new network."""

from __future__ import annotations

from othello_agents.network.base import TorchNetwork
from othello_agents.network.custom import CustomNetwork
from othello_agents.network.neural import ResidualNetwork
from othello_env.support.imports import search_current_folder

__all__ = ["make_network"]


def make_network(name: str, size: int = 8, seed: int = 0, *, channels: int = 32, blocks: int = 2) -> TorchNetwork:
    """A network with random weights.

    Args:
        name: ``residual``, a convolutional network (`ResidualNetwork`); ``afterstates``, a network that evaluates the
            board after each legal move; or a function that makes your own network, as ``package.module:name`` or
            ``path.py:name`` (see `othello_agents.network.custom`). A module may also be in the current folder.
        size: the board's size: 4, 6 or 8.
        seed: the seed of the weights.
        channels: the number of channels of ``residual``; the other networks ignore it.
        blocks: the number of blocks of ``residual``; the other networks ignore it.

    Raises:
        MissingExtraError: PyTorch is not installed.
        FileNotFoundError, ModuleNotFoundError, ValueError: the function cannot be imported, or returns no such network.
    """
    if name == "residual":
        return ResidualNetwork(size, channels, blocks, seed=seed)
    search_current_folder()
    return CustomNetwork.make(name, size, seed)
