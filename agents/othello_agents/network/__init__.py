"""Policy and value networks in PyTorch: make, train, save and load them, and agents that play by them.

>>> from othello_agents.network import NeuralAgent, make_network
>>> network = make_network("afterstates", size=6, seed=1)  # doctest: +SKIP
>>> network.save("a.safetensors")  # ``a.safetensors`` is now the spec of an agent # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from othello_env.support.imports import later

if TYPE_CHECKING:
    from othello_agents.network.base import TorchNetwork, read_tensors, to_device, write_tensors
    from othello_agents.network.custom import CustomNetwork
    from othello_agents.network.neural import NeuralAgent, ResidualNetwork, load_network
    from othello_agents.network.policy import draw_actions
    from othello_agents.network.training import make_network

__all__ = [
    "CustomNetwork",
    "NeuralAgent",
    "ResidualNetwork",
    "TorchNetwork",
    "draw_actions",
    "load_network",
    "make_network",
    "read_tensors",
    "to_device",
    "write_tensors",
]

if not TYPE_CHECKING:  # at run time, a name is imported only when it is first used
    __getattr__ = later(
        __name__,
        {
            "othello_agents.network.base": ("TorchNetwork", "read_tensors", "to_device", "write_tensors"),
            "othello_agents.network.custom": ("CustomNetwork",),
            "othello_agents.network.neural": ("NeuralAgent", "ResidualNetwork", "load_network"),
            "othello_agents.network.policy": ("draw_actions",),
            "othello_agents.network.training": ("make_network",),
        },
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
