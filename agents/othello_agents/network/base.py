"""The base class of policy and value networks in PyTorch, their files, and their export to ONNX.

A network's file is in the format safetensors: named tensors, and a card (a JSON text that describes the tensors).
Reading a file of this format runs no code from the file. PyTorch (the extra ``torch``) is imported only when a network
is made, read or written.

An exported model has the inputs `observations`, (N, 2, S, S) int8, and `masks`, (N, A) int8. Its outputs are `logits`,
(N, A) float32, and `values`, (N,) float32. The logit of each illegal action is a large negative number.

Letters for shapes: N positions, S size, A = S * S + 1 actions.
"""

from __future__ import annotations

import copy
import io
import json
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from reprlib import repr as short
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from othello_env.games.othello.position import check_size
from othello_env.support.extras import MissingExtraError, import_extra
from othello_env.support.files import parse_json, read_file, write_file

__all__ = [
    "MOST_TENSORS",
    "TorchNetwork",
    "check_weights",
    "read_card",
    "read_tensors",
    "to_device",
    "torch_module",
    "write_tensors",
]

_Tensor = Any  # torch.Tensor, if PyTorch is installed
_CARD = "card"
MOST_TENSORS = 1 << 16
"""A file has fewer tensors than this."""
_LONGEST_HEADER = 16 << 20  # bytes; enough for a card with a learning curve of thousands of points
_LARGEST_FILE = 2 << 30  # bytes; more than the largest network of this package has


def write_tensors(path: str | Path, tensors: Mapping[str, _Tensor], card: Mapping[str, Any]) -> None:
    """Write tensors and a JSON card to a ``.safetensors`` file, completely or not at all.

    Raises:
        OSError: the file cannot be written.
        ValueError: there are more tensors than `read_tensors` accepts.
    """
    if len(tensors) >= MOST_TENSORS:
        raise ValueError(f"a file must have fewer than {MOST_TENSORS:,} tensors, not {len(tensors):,}")
    safetensors = import_extra("safetensors.torch", "torch")
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_file(path, safetensors.save(contiguous, metadata={_CARD: json.dumps(dict(card))}))


def read_tensors(path: str | Path, most: int = _LARGEST_FILE) -> tuple[dict[str, _Tensor], dict[str, Any]]:
    """Read the tensors and the card that `write_tensors` wrote. The tensors are on the CPU.

    Args:
        path: the file.
        most: the largest allowed size of the file, in bytes.

    Raises:
        FileNotFoundError: the file does not exist.
        OSError: the path is not a regular file, or the file cannot be read.
        ValueError: the file is damaged or too large, or has no card.
    """
    import_extra("torch", "torch")  # safetensors.torch imports it, too, but does not name the extra
    safetensors = import_extra("safetensors.torch", "torch")
    data = read_file(path, most, "load a network from")
    try:
        card = _card(data)
        return safetensors.load(data), card
    except Exception as error:  # a damaged file raises errors of many classes
        raise ValueError(f"{str(path)!r} cannot be read: {error}") from error


def read_card(path: str | Path) -> dict[str, Any]:
    """The card of a ``.safetensors`` file; an empty dict if the file has none. This needs no PyTorch.

    Raises:
        FileNotFoundError: the file does not exist.
        OSError: the path is not a regular file, or the file cannot be read.
        ValueError: the file is too large.
    """
    data = read_file(path, _LARGEST_FILE, "load a network from")
    try:
        return _card(data)
    except Exception:  # a damaged file raises errors of many classes
        return {}


def _card(data: bytes) -> dict[str, Any]:
    """The card in the header of a ``.safetensors`` file. The 8 bytes before the header give its length.

    Raises:
        ValueError: there is no card.
    """
    length = int.from_bytes(data[:8], "little")
    if not 0 < length <= min(_LONGEST_HEADER, len(data) - 8):
        raise ValueError(f"its header has {length} bytes")
    header = parse_json(data[8 : 8 + length])
    if isinstance(header, dict) and len(header) > MOST_TENSORS:
        raise ValueError(f"it has {len(header):,} tensors; at most {MOST_TENSORS:,} are read")
    card = None
    if isinstance(header, dict) and isinstance(header.get("__metadata__"), dict):
        text = header["__metadata__"].get(_CARD)
        card = parse_json(text) if isinstance(text, str) else None
    if not isinstance(card, dict):
        raise ValueError("it has no card")
    return card


_INPUTS, _OUTPUTS = ["observations", "masks"], ["logits", "values"]


def torch_module() -> Any:
    """The class `torch.nn.Module`, or `object` if PyTorch is not installed, so that a file can still be imported."""
    try:
        return import_extra("torch", "torch").nn.Module
    except MissingExtraError:
        return object


class TorchNetwork(ABC):
    """A PyTorch module that gives the policy and the expected result of a position.

    While gradients are computed, the module is in training mode. Otherwise it is in evaluation mode.

    Args:
        module: the module, with the interface that `othello_agents.network.custom` describes.
        size: the board's size: 4, 6 or 8.
        training: how the weights were trained, as values that JSON can hold.

    Attributes:
        weights: a dict from names to tensors. A trainer changes the tensors in place.
        function: the name of the function that makes the network; None for a `ResidualNetwork`.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ValueError: the size is wrong, or the module has no weights.
    """

    weights: dict[str, _Tensor]
    function: str | None = None

    def __init__(self, module: Any, size: int, training: Mapping[str, Any] | None) -> None:
        self.size = check_size(size)
        self.training = dict(training or {})
        self._set_module(module)

    @property
    @abstractmethod
    def _kind(self) -> str:
        """What made the module, for error messages."""

    @property
    def _torch(self) -> Any:  # not stored in self, because Python's modules cannot be pickled
        return import_extra("torch", "torch")

    def _set_module(self, module: Any) -> None:
        weights: dict[str, _Tensor] = {}
        for name, tensor in module.state_dict(keep_vars=True).items():
            if not any(tensor is other for other in weights.values()):  # list a shared tensor only once
                weights[name] = tensor
        if not weights:
            raise ValueError(f"the module of {self._kind} has no weights")
        self._module, self.weights = module, weights

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
        is_learning, legal = self._torch.is_grad_enabled(), masks != 0
        if self._module.training != is_learning:
            self._module.train(is_learning)
        logits, values = self._module(observations.to(self._torch.float32), legal)
        # The logits of illegal actions are finite, because -infinity would make the gradient of the entropy NaN.
        return logits.masked_fill(~legal, -1e9), values

    def with_weights(self, weights: Mapping[str, _Tensor]) -> Self:
        """A network of the same kind with these weights, on the device of the weights.

        Raises:
            ValueError: the weights have wrong names or shapes, or are not finite.
        """
        check_weights(weights, self.weights, self._kind)
        made = copy.copy(self)
        made.training = dict(self.training)
        made._set_module(copy.deepcopy(self._module).to(next(iter(weights.values())).device))
        with self._torch.no_grad():
            for name, weight in made.weights.items():
                weight.grad = None
                weight.copy_(weights[name])
        return made

    def trained_weights(self) -> dict[str, _Tensor]:
        """A dict from names to the weights that a trainer changes: all but the module's buffers and frozen weights."""
        return {name: weight for name, weight in self.weights.items() if weight.requires_grad}

    def as_module(self) -> Any:
        """The network as a `torch.nn.Module`. The module and the network share their weights.

        The module's `forward` takes observations and masks, and returns logits and values.
        """
        return self._module

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
        return self.with_weights(self.weights)

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
        """Write the network to an ``.onnx`` file for other programs, completely or not at all.

        Raises:
            MissingExtraError: the package `onnx` is not installed.
            OSError: the file cannot be written.
        """
        torch = import_extra("torch", "export")
        import_extra("onnx", "export")
        network = self.copy().to("cpu")
        for weight in network.weights.values():
            weight.requires_grad_(False)

        class Module(torch.nn.Module):  # type: ignore[misc, name-defined]  # a class of an optional package
            def forward(self, observations: Any, masks: Any) -> tuple[Any, Any]:
                return network.forward(observations, masks)

        boards = torch.zeros((1, 2, self.size, self.size), dtype=torch.int8)
        masks = torch.ones((1, self.size**2 + 1), dtype=torch.int8)
        data, inputs, outputs = io.BytesIO(), ["observations", "masks"], ["logits", "values"]
        with torch.no_grad(), warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            torch.onnx.export(  # with `dynamo=False`, since PyTorch's newer exporter needs another package
                Module(),
                (boards, masks),
                data,
                input_names=inputs,
                output_names=outputs,
                dynamic_axes={name: {0: "N"} for name in (*inputs, *outputs)},
                dynamo=False,
            )
        write_file(path, data.getvalue())


def check_weights(weights: Mapping[str, _Tensor], expected: Mapping[str, _Tensor], kind: str) -> None:
    """Check that weights have the names and shapes of the expected weights, are floats where these are, and finite.

    Raises:
        ValueError: they do not. The message names the `kind` of network.
    """
    found, wanted = (
        {(name, *each.shape, "float" if each.dtype.is_floating_point else "int") for name, each in tensors.items()}
        for tensors in (weights, expected)
    )
    if found != wanted:
        told = f"the file has {short(sorted(found - wanted))}, the network {short(sorted(wanted - found))}"
        raise ValueError(f"expected other tensors for {kind}: {told}")
    for name, weight in weights.items():
        if not bool(weight.to(expected[name].dtype).isfinite().all()):
            raise ValueError(f"the weights {name} are not all finite")


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
