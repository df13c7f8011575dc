"""The base class of policy and value networks in PyTorch: those of the package, and networks that you write.

Letters for shapes: N positions, S size, A = S * S + 1 actions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from othello_agents.network.export import write_onnx
from othello_env.games.othello.position import check_size
from othello_env.support.extras import import_extra

__all__ = ["TorchNetwork", "to_device"]

_Tensor = Any  # torch.Tensor, if PyTorch is installed


class TorchNetwork(ABC):
    """A PyTorch network that gives the policy and the expected result of a position.

    Args:
        size: the board's size: 4, 6 or 8.
        training: how the weights were trained, as values that JSON can hold.

    Attributes:
        weights: a dict from names to tensors. A trainer changes the tensors in place.
        function: the name of the function that makes the network; None for a `NeuralNetwork`.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ValueError: the size is wrong.
    """

    weights: dict[str, _Tensor]
    function: str | None = None

    def __init__(self, size: int, training: Mapping[str, Any] | None) -> None:
        import_extra("torch", "torch")
        self.size = check_size(size)
        self.training = dict(training or {})

    @property
    def _torch(self) -> Any:  # not stored in self, because Python's modules cannot be pickled
        return import_extra("torch", "torch")

    @abstractmethod
    def forward(self, observations: _Tensor, masks: _Tensor) -> tuple[_Tensor, _Tensor]:
        """The logits and values of N positions.

        Args:
            observations: (N, 2, S, S), the player's discs and the opponent's discs, of any dtype, on the network's
                device.
            masks: (N, A), nonzero for each legal action.

        Returns:
            The logits (N, A), with a large negative number for each illegal action; and the expected results (N,) for
            the players to move, -1 to +1.
        """

    @abstractmethod
    def with_weights(self, weights: Mapping[str, _Tensor]) -> Self:
        """A network of the same kind with these weights, on the device of the weights.

        Raises:
            ValueError: the weights have wrong names or shapes, or are not finite.
        """

    @abstractmethod
    def trained_weights(self) -> dict[str, _Tensor]:
        """A dict from names to the weights that a trainer changes.

        After this call, PyTorch computes gradients for these weights.
        """

    @abstractmethod
    def as_module(self) -> Any:
        """The network as a `torch.nn.Module`. The module and the network share their weights.

        The module's `forward` takes observations and masks, and returns logits and values. Make the module before you
        make an optimiser, and give the optimiser the module's parameters.
        """

    @abstractmethod
    def save(self, path: str | Path) -> None:
        """Write the weights and a card (a JSON text about them) to a ``.safetensors`` file, completely or not at all.

        Raises:
            OSError: the file cannot be written.
        """

    @property
    def device(self) -> Any:
        """The device of the weights, a `torch.device`."""
        return next(iter(self.weights.values())).device

    def to(self, device: str) -> Self:
        """This network if it is already on the device, otherwise a copy on the device."""
        if all(weight.device == self._torch.device(device) for weight in self.weights.values()):
            return self
        return self.with_weights({name: weight.to(device) for name, weight in self.weights.items()})

    def copy(self) -> Self:
        """A copy whose weights do not change when this network is trained."""
        return self.with_weights({name: weight.detach().clone() for name, weight in self.weights.items()})

    def assign(self, other: TorchNetwork) -> None:
        """Copy the weights of another network of the same kind."""
        with self._torch.no_grad():
            for name, weight in self.weights.items():
                weight.copy_(other.weights[name])

    def approach(self, other: TorchNetwork, share: float) -> None:
        """Move the weights towards the weights of another network of the same kind.

        Args:
            other: the other network.
            share: how far the weights move, from 0 (not at all) to 1 (all the way). Tensors of integers, such as
                counters, are copied, whatever the share is.
        """
        with self._torch.no_grad():
            for name, weight in other.weights.items():
                if weight.dtype.is_floating_point:
                    self.weights[name].lerp_(weight, share)
                else:
                    self.weights[name].copy_(weight)

    def answers(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """`forward` for NumPy arrays: the probabilities of the actions (N, A), and the expected results (N,)."""
        torch, device = self._torch, self.device
        with torch.inference_mode():
            logits, values = self.forward(to_device(observations, device), to_device(masks, device))
            if device.type == "mps":  # the GPUs of Apple have no float64
                logits, values = logits.cpu(), values.cpu()
            policy = torch.softmax(logits.double(), dim=1)
        return policy.cpu().numpy(), values.double().clamp(-1, 1).cpu().numpy()

    def policy(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        """The probabilities that `answers` returns, (N, A)."""
        return self.answers(observations, masks)[0]

    def export(self, path: str | Path) -> None:
        """Write the network to an ``.onnx`` file for other programs; see `othello_agents.network.export`."""
        network = self.copy().to("cpu")
        for weight in network.weights.values():
            weight.requires_grad_(False)
        write_onnx(network, path)


def to_device(array: npt.NDArray[Any], device: Any) -> _Tensor:
    """Make a tensor on a device from a NumPy array.

    On the CPU, the tensor shares the memory of the array. For a GPU, the array is first copied into pinned memory. The
    function returns without waiting for the GPU.

    Args:
        array: the array. An array that is not contiguous is copied first.
        device: a `torch.device` or its name.
    """
    torch = import_extra("torch", "torch")
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    if torch.device(device).type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)
