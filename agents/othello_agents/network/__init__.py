"""Policy and value networks in PyTorch: make, train, save and load them, and agents that play by them.

>>> from othello_agents.network import NeuralAgent, make_network
>>> network = make_network("afterstates", size=6, seed=1)  # doctest: +SKIP
>>> network.save("a.safetensors")  # ``a.safetensors`` is now the spec of an agent # doctest: +SKIP
"""

from othello_agents.network.neural import NeuralAgent
from othello_agents.network.policy import draw_actions
from othello_agents.network.torch_network import TorchNetwork, load_network, make_network

__all__ = ["NeuralAgent", "TorchNetwork", "draw_actions", "load_network", "make_network"]
