"""The package's convolutional network as a module of PyTorch (the extra ``torch``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from othello_agents.network.neural import residual_forward
from othello_env.support.extras import MissingExtraError, import_extra

if TYPE_CHECKING:
    from othello_agents.network.neural import NeuralNetwork

__all__ = ["NetworkModule", "torch_module"]


def torch_module() -> Any:
    """The class `torch.nn.Module`, or `object` if PyTorch is not installed, so that this file can still be imported."""
    try:
        return import_extra("torch", "torch").nn.Module
    except MissingExtraError:
        return object


class NetworkModule(torch_module()):  # type: ignore[misc]  # mypy does not know the class
    """A `torch.nn.Module` that computes what a `NeuralNetwork` computes. `NeuralNetwork.as_module` makes it.

    The module and the network share their weights, under the same names: a trainer that changes the module's parameters
    changes the network. ``forward(observations, masks)`` returns the logits and values of `NeuralNetwork.forward`.

    Args:
        network: the network. Its weights become parameters of the module.
    """

    def __init__(self, network: NeuralNetwork) -> None:
        super().__init__()
        torch = import_extra("torch", "torch")
        self.size = network.size
        for name, weight in network.weights.items():
            layer, _, kind = name.partition(".")
            if layer not in self._modules:
                self.add_module(layer, torch.nn.Module())
            if not isinstance(weight, torch.nn.Parameter):
                network.weights[name] = torch.nn.Parameter(weight.detach())
            self._modules[layer].register_parameter(kind, network.weights[name])

    def forward(self, observations: Any, masks: Any) -> tuple[Any, Any]:
        return residual_forward(dict(self.named_parameters()), observations, masks, self.size)
