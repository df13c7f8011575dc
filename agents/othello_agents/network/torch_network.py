"""Policy and value networks in PyTorch: make, train, save and load them, and export them to ONNX.

A network is a `torch.nn.Module`. You write a function that takes the board's size, 4, 6 or 8, and returns the module.
Instead of a function, you can also give a subclass of `torch.nn.Module` whose constructor takes the size. The
module's ``forward`` takes:

- observations, (N, 2, S, S) float32. Plane 0 is 1 where the player to move has a disc, plane 1 is 1 where the opponent
  has a disc. All other numbers are 0.
- masks, (N, A) bool. True means that the action is legal.

``forward`` returns:

- logits, (N, A) floats. The logits of illegal actions do not matter.
- values, (N,) floats: the expected results for the players to move, from -1 to +1.

A network for another game is a function that also takes the game, as the option `game` of `TorchNetwork`; then the
observations and the actions are those of this game, and the size does not matter.

The networks in `PACKAGED` have the same interface. They belong to this package, so a file with such a network needs no
function. The file (`othello_env.support.networks`) holds only the name of another function. This name is only for you
to read: a file never decides which code runs. When you load the file, you give the function again.

An exported model has the inputs `observations`, (N, 2, S, S) int8, and `masks`, (N, A) int8. Its outputs are `logits`,
(N, A) float32, and `values`, (N,) float32. The logit of each illegal action is a large negative number.

PyTorch (the extra ``torch``) is imported only when a network is made or loaded.

Letters for shapes: N positions, S size, A = S * S + 1 actions. N can be any number from 1 up.
"""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from reprlib import repr as short
from types import FunctionType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from othello_env.games.othello.position import check_size
from othello_env.games.registry import GameSpec
from othello_env.support.extras import MissingExtraError, import_extra
from othello_env.support.files import write_file
from othello_env.support.imports import import_object, search_current_folder
from othello_env.support.networks import NetworkFile

__all__ = [
    "PACKAGED",
    "TorchNetwork",
    "load_network",
    "make_network",
    "network_of_file",
]

PACKAGED = {
    "afterstates": "othello_agents.network.afterstates:Afterstates",
    "residual": "othello_agents.network.residual:Residual",
}
"""The functions of this package that make networks, by the short names that stand for them."""

_Tensor = Any  # torch.Tensor, if PyTorch is installed
_POSITIONS = 3  # the number of positions in the call that checks a module's shapes


class TorchNetwork:
    """A PyTorch module that gives the policy and the expected result of a position.

    While gradients are computed, the module is in training mode. Otherwise it is in evaluation mode.

    Args:
        module: the module, with the interface that `othello_agents.network.torch_network` describes. The constructor
            moves the module to the CPU.
        function: the name of the function that makes the module, as ``package.module:name`` or ``path.py:name``, or a
            name in `PACKAGED`.
        size: the board's size: 4, 6 or 8.
        training: how the weights were trained, as values that JSON can hold.
        options: the function's arguments besides the size, by their names.

    Attributes:
        module: the `torch.nn.Module`.
        weights: a dict from names to its tensors. A trainer changes the tensors in place.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ValueError: the size is wrong, or `module` is no module, has no weights, or returns wrong shapes or dtypes.
    """

    weights: dict[str, _Tensor]

    def __init__(
        self,
        module: Any,
        function: str,
        size: int = 8,
        training: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.function, self.size = function, check_size(size)
        self.training, self.options = dict(training or {}), dict(options or {})
        if not isinstance(module, self._torch.nn.Module):
            raise ValueError(f"{function} must return a torch.nn.Module, but it returned {module!r}")
        module = module.to("cpu")
        self._check_shapes(module)  # before the weights are listed, since this call lets lazy layers make theirs
        self._set_module(module)

    def __repr__(self) -> str:
        count = sum(weight.numel() for weight in self.weights.values())
        options = "".join(f", {name}={value}" for name, value in self.options.items())
        return f"<TorchNetwork {self.size}x{self.size} of {self.function}{options}, {count} weights>"

    @property
    def _torch(self) -> Any:  # not stored in self, because Python's modules cannot be pickled
        return import_extra("torch", "torch")

    @property
    def game(self) -> str | None:
        """The game that the network is for; None for Othello on a board of the size `size`."""
        return self.options.get("game")

    @property
    def _shapes(self) -> tuple[tuple[int, ...], int]:
        """The shape of an observation, and the number of actions."""
        start = GameSpec.parse(self.game or f"othello:size={self.size}").start(0)
        return start.observation_shape, start.num_actions

    def _check_shapes(self, module: Any) -> None:
        """Call the module with empty boards, and check the shapes and dtypes of what it returns."""
        torch, n, (planes, actions) = self._torch, _POSITIONS, self._shapes
        boards = torch.zeros((n, *planes))
        with torch.no_grad():
            output = module.eval()(boards, torch.ones((n, actions), dtype=torch.bool))
        are_tensors = isinstance(output, tuple) and all(isinstance(item, torch.Tensor) for item in output)
        shapes = [tuple(item.shape) for item in output] if are_tensors else []
        if shapes != [(n, actions), (n,)] or not all(item.dtype.is_floating_point for item in output):
            got = ", ".join(f"{item.dtype} {tuple(item.shape)}" for item in output) if are_tensors else short(output)
            raise ValueError(
                f"for {n} positions, the module of {self.function} must return a tuple of logits {(n, actions)} and "
                f"values {(n,)}, both floats, but it returned {got}"
            )

    def _set_module(self, module: Any) -> None:
        weights: dict[str, _Tensor] = {}
        for name, tensor in module.state_dict(keep_vars=True).items():
            if not any(tensor is other for other in weights.values()):  # list a shared tensor only once
                weights[name] = tensor
        if not weights:
            raise ValueError(f"the module of {self.function} has no weights")
        self.module, self.weights = module, weights

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
        if self.module.training != is_learning:
            self.module.train(is_learning)
        logits, values = self.module(observations.to(self._torch.float32), legal)
        # The logits of illegal actions are finite, because -infinity would make the gradient of the entropy NaN.
        return logits.masked_fill(~legal, -1e9), values

    def with_weights(self, weights: Mapping[str, _Tensor]) -> Self:
        """A network of the same kind with these weights, on the device of the weights.

        Raises:
            ValueError: the weights have other names or shapes, or are not floats where these are.
        """
        given, wanted = (
            {(name, *leaf.shape, "float" if leaf.dtype.is_floating_point else "int") for name, leaf in tensors.items()}
            for tensors in (weights, self.weights)
        )
        if given != wanted:
            told = f"got {short(sorted(given - wanted))}, the network has {short(sorted(wanted - given))}"
            raise ValueError(f"expected other tensors for {self!r}: {told}")
        made = copy.copy(self)
        made.training = dict(self.training)
        made._set_module(copy.deepcopy(self.module).to(next(iter(weights.values())).device))
        with self._torch.no_grad():
            for name, weight in made.weights.items():
                weight.grad = None
                weight.copy_(weights[name])
        return made

    def trained_weights(self) -> dict[str, _Tensor]:
        """A dict from names to the weights that a trainer changes: all but the module's buffers and frozen weights."""
        return {name: weight for name, weight in self.weights.items() if weight.requires_grad}

    def save(self, path: str | Path) -> None:
        """Write the weights and a card (see `NetworkFile`) to a ``.safetensors`` file, completely or not at all.

        Weights in bfloat16, which NumPy lacks, are written as float32.

        Raises:
            OSError: the file cannot be written.
        """
        tensors = {}
        for name, weight in self.weights.items():
            tensor = weight.detach().cpu()
            tensors[name] = (tensor.float() if tensor.dtype == self._torch.bfloat16 else tensor).numpy()
        NetworkFile(tensors, self.function, self.size, self.options, self.training).write(path)

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
            arrays = (torch.from_numpy(np.ascontiguousarray(array)).to(device) for array in (observations, masks))
            logits, values = self.forward(*arrays)
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

        class Module(torch.nn.Module):
            def forward(self, observations: Any, masks: Any) -> tuple[Any, Any]:
                return network.forward(observations, masks)

        planes, actions = self._shapes
        boards = torch.zeros((1, *planes), dtype=torch.int8)
        masks = torch.ones((1, actions), dtype=torch.int8)
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


def make_network(
    function: str | Callable[[int], Any], size: int = 8, seed: int = 0, *, channels: int = 32, blocks: int = 2
) -> TorchNetwork:
    """A network with random weights.

    Args:
        function: ``residual``, a convolutional network; ``afterstates``, a network that evaluates the board after each
            legal move; or a function that makes your own network, or its name as ``package.module:name`` or
            ``path.py:name`` (see `othello_agents.network.torch_network`). A module may also be in the current folder.
        size: the board's size: 4, 6 or 8.
        seed: the seed of PyTorch's random numbers while the function runs. After the call, PyTorch's random numbers
            continue as if there had been no call.
        channels: the number of channels of ``residual``; the other networks ignore it.
        blocks: the number of blocks of ``residual``; the other networks ignore it.

    Raises:
        MissingExtraError: PyTorch is not installed.
        FileNotFoundError: `function` names a file that does not exist.
        ModuleNotFoundError: the function's file imports a Python module that does not exist.
        ValueError: there is no such function, or its module returns wrong shapes or dtypes.
    """
    torch, size = import_extra("torch", "torch"), check_size(size)
    search_current_folder()
    name = function if isinstance(function, str) else f"{function.__module__}:{function.__qualname__}"
    options = {"channels": channels, "blocks": blocks} if name == "residual" else {}
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        module = _made_by(function, size, options)
        return TorchNetwork(module, name, size, options=options)  # lazy layers draw their random weights here


def load_network(path: str | Path, function: str | None = None) -> TorchNetwork:
    """Read a network from a ``.safetensors`` file that `TorchNetwork.save` wrote.

    Args:
        path: the file.
        function: for a network that you wrote, the function that makes it, as ``package.module:name`` or
            ``path.py:name``. A network in `PACKAGED` needs no function.

    Raises:
        FileNotFoundError: the file does not exist.
        OSError: the path is not a regular file, or the file cannot be read.
        ValueError: the file is damaged. Or `function` is missing, cannot be imported, or makes another network. The
            message names the file and the fault.
    """
    network = network_of_file(NetworkFile.read(path), path, function)
    if not isinstance(network, TorchNetwork):
        raise ValueError(f"{str(path)!r} holds a network for JAX, not for PyTorch")
    return network


def network_of_file(file: NetworkFile, path: str | Path, function: str | None) -> Any:
    """The network of a file: a `TorchNetwork`, or the `othello_env.jax.Network` if the function makes one for JAX.

    Raises:
        ValueError: as for `load_network`.
    """
    function = function or (file.function if file.function in PACKAGED else None)
    if not function:
        raise ValueError(
            f"{str(path)!r} holds a network of your own, which the function {short(file.function)} made. Name the "
            "function that makes it, because this runs its code: FILE.safetensors:network=package.module:function as a "
            "spec, or the option --network of a command"
        )
    try:
        made = _made_by(function, check_size(file.size), file.options)
        if isinstance(made, tuple):
            return import_extra("othello_env.jax", "jax").Network.load(path, function)
        network = TorchNetwork(made, function, file.size, file.training, file.options)
    except MissingExtraError:
        raise
    except Exception as error:  # the function may raise any error
        raise ValueError(f"{str(path)!r}: the function {short(function)} made no network: {error}") from error
    try:
        return network.with_weights({name: network._torch.tensor(array) for name, array in file.tensors.items()})
    except ValueError as error:
        raise ValueError(f"{str(path)!r} does not fit to its function: {error}") from error


def _made_by(function: str | Callable[[int], Any], size: int, options: Mapping[str, Any]) -> Any:
    """Call a function that makes a network, given the function, its name, or a name in `PACKAGED`.

    Raises:
        FileNotFoundError: `function` names a file that does not exist.
        ModuleNotFoundError: the function's file imports a Python module that does not exist.
        ValueError: there is no such function.
    """
    make = import_object(PACKAGED.get(function, function)) if isinstance(function, str) else function
    if make is None:
        raise ValueError(
            f"expected a function as package.module:name or path.py:name, or one of the names {', '.join(PACKAGED)}, "
            f"got {short(function)}"
        )
    is_class = isinstance(make, type) and issubclass(make, import_extra("torch", "torch").nn.Module)
    if not is_class and not isinstance(make, FunctionType):
        raise ValueError(f"{short(function)} is neither a function nor a subclass of torch.nn.Module")
    return make(size, **options)
