"""Policy and value networks in PyTorch: make, train, save and load them, and agents that play by them.

>>> from othello_agents.network import NeuralAgent, make_network
>>> network = make_network("afterstates", size=6, seed=1)  # doctest: +SKIP
>>> network.save("a.safetensors")  # ``a.safetensors`` is now the spec of an agent # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from othello_env.support.imports import later

if TYPE_CHECKING:
    from othello_agents.network.neural import NeuralAgent
    from othello_agents.network.policy import draw_actions
    from othello_agents.network.torch_network import TorchNetwork, load_network, make_network, to_device

__all__ = [
    "NeuralAgent",
    "TorchNetwork",
    "draw_actions",
    "load_network",
    "make_network",
    "to_device",
]

if not TYPE_CHECKING:  # at run time, a name is imported only when it is first used
    __getattr__ = later(
        __name__,
        {
            "othello_agents.network.neural": ("NeuralAgent",),
            "othello_agents.network.policy": ("draw_actions",),
            "othello_agents.network.torch_network": ("TorchNetwork", "load_network", "make_network", "to_device"),
        },
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
