"""A policy and value network of your own, and the file that stores it.

You write a function that takes the board's size, 4, 6 or 8, and returns a `torch.nn.Module`. Instead of a function, you
can also give a subclass of `torch.nn.Module` whose constructor takes the size. The module's ``forward`` takes:

- observations, (N, 2, S, S) float32. Plane 0 is 1 where the player to move has a disc, plane 1 is 1 where the opponent
  has a disc. All other numbers are 0.
- masks, (N, A) bool. True means that the action is legal.

``forward`` returns:

- logits, (N, A) floats. The logits of illegal actions do not matter.
- values, (N,) floats: the expected results for the players to move, from -1 to +1.

Letters for shapes: N positions, S size, A = S * S + 1 actions. N can be any number from 1 up.

The file holds the tensors and a card, a JSON text with the function's name. This name is only for you to read: a file
never decides which code runs. When you load the file, you give the function again.

The networks in `PACKAGED` have the same interface. They belong to this package, so a file with such a network needs no
function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from reprlib import repr as short
from types import FunctionType
from typing import Any

from othello_agents.network.base import TorchNetwork, write_tensors
from othello_env.games.othello.position import check_size
from othello_env.support.extras import import_extra
from othello_env.support.imports import import_object

__all__ = ["FORMAT", "PACKAGED", "CustomNetwork"]

FORMAT = "othello-env network of a function 1"
"""The name of the format in a file's card. The number at the end changes when the meaning of the tensors changes."""

PACKAGED = {"afterstates": "othello_agents.network.afterstates:Afterstates"}
"""The functions of this package that make networks, by the short names that stand for them."""

_Tensor = Any  # torch.Tensor, if PyTorch is installed
_Module = Any  # torch.nn.Module
_POSITIONS = 3  # the number of positions in the call that checks a module's shapes


class CustomNetwork(TorchNetwork):
    """A network of your own, or one of `PACKAGED`: a module of PyTorch, and the name of the function that makes it.

    Args:
        module: the module, with the interface that `othello_agents.network.custom` describes. The constructor moves the
            module to the CPU.
        function: the name of the function that makes the module, as ``package.module:name`` or ``path.py:name``, or a
            name in `PACKAGED`.
        size: the board's size: 4, 6 or 8.
        training: how the weights were trained, as values that JSON can hold.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ValueError: the size is wrong, or `module` is no module, has no weights, or returns wrong shapes or dtypes.
    """

    def __init__(
        self, module: _Module, function: str, size: int = 8, training: Mapping[str, Any] | None = None
    ) -> None:
        torch = import_extra("torch", "torch")
        self.function = function
        if not isinstance(module, torch.nn.Module):
            raise ValueError(f"{function} must return a torch.nn.Module, but it returned {module!r}")
        self._module, self.size = module.to("cpu"), check_size(size)
        self._check_shapes()  # before the weights are listed, since this call lets lazy layers make theirs
        super().__init__(self._module, size, training)

    @property
    def _kind(self) -> str:
        return str(self.function)

    def _check_shapes(self) -> None:
        """Call the module with empty boards, and check the shapes and dtypes of what it returns."""
        torch, n, actions = self._torch, _POSITIONS, self.size**2 + 1
        boards = torch.zeros((n, 2, self.size, self.size))
        with torch.no_grad():
            found = self._module.eval()(boards, torch.ones((n, actions), dtype=torch.bool))
        are_tensors = isinstance(found, tuple) and all(isinstance(each, torch.Tensor) for each in found)
        shapes = [tuple(each.shape) for each in found] if are_tensors else []
        if shapes != [(n, actions), (n,)] or not all(each.dtype.is_floating_point for each in found):
            got = ", ".join(f"{each.dtype} {tuple(each.shape)}" for each in found) if are_tensors else short(found)
            raise ValueError(
                f"for {n} positions, the module of {self.function} must return a tuple of logits {(n, actions)} and "
                f"values {(n,)}, both floats, but it returned {got}"
            )

    @classmethod
    def make(cls, function: str | Callable[[int], _Module], size: int = 8, seed: int = 0) -> CustomNetwork:
        """Make a network with random weights.

        Args:
            function: the function that makes the module, or a text such as ``package.module:name`` that names it, or a
                name in `PACKAGED`.
            size: the board's size, with which the function is called.
            seed: the seed of PyTorch's random numbers while the function runs. After the call, PyTorch's random numbers
                continue as if there had been no call.

        Raises:
            FileNotFoundError: `function` names a file that does not exist.
            ModuleNotFoundError: the function's file imports a Python module that does not exist.
            ValueError: there is no such function, or its module returns wrong shapes or dtypes.
        """
        torch, size = import_extra("torch", "torch"), check_size(size)
        call, name = _imported(function), function
        if not isinstance(name, str):
            name = f"{call.__module__}:{call.__qualname__}"
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            torch.manual_seed(seed)
            return cls(call(size), name, size)  # lazy layers draw their random weights when `cls` calls the module

    def __repr__(self) -> str:
        count = sum(weight.numel() for weight in self.weights.values())
        return f"<CustomNetwork {self.size}x{self.size} of {self.function}, {count} weights>"

    def save(self, path: str | Path) -> None:
        card = {"format": FORMAT, "function": self.function, "size": self.size, "training": self.training}
        write_tensors(path, self.weights, card)

    @classmethod
    def of_file(
        cls, tensors: Mapping[str, _Tensor], card: Mapping[str, Any], path: str | Path, function: str | None = None
    ) -> CustomNetwork:
        """Make the network of a file; `othello_agents.network.neural.load_network` reads the file.

        Args:
            tensors: the tensors of the file.
            card: the card of the file.
            path: the file's path, for error messages.
            function: the function that makes the module. If it is None, the card must name a function in `PACKAGED`.
                Otherwise a ValueError is raised, and its message names the function in the card.

        Raises:
            ValueError: no function is given, the card is wrong, the function cannot be imported, or the tensors do not
                belong to the `torch.nn.Module` that the function returns.
        """
        size, training, named = card.get("size"), card.get("training"), card.get("function")
        if type(size) is not int or not isinstance(training, dict) or not isinstance(named, str):
            raise ValueError(f"{str(path)!r} has a card with a wrong size, training or function: {short(dict(card))}")
        function = function or (named if named in PACKAGED else None)
        if not function:
            raise ValueError(
                f"{str(path)!r} holds a network of your own, which the function {short(named)} made. Name the function "
                "that makes it, because this runs its code: FILE.safetensors:network=package.module:function as a "
                "spec, or the option --network of a command"
            )
        try:
            network = cls.make(function, size)
        except Exception as error:  # the function may raise any error
            raise ValueError(f"{str(path)!r}: the function {short(function)} made no network: {error}") from error
        try:
            network = network.with_weights(tensors)
        except ValueError as error:
            raise ValueError(f"{str(path)!r} does not fit to its function: {error}") from error
        network.training = training
        return network


def _imported(function: str | Callable[[int], _Module]) -> Callable[[int], _Module]:
    """The function that makes a module.

    Raises:
        FileNotFoundError: `function` names a file that does not exist.
        ModuleNotFoundError: the function's file imports a Python module that does not exist.
        ValueError: there is no such function.
    """
    found = import_object(PACKAGED.get(function, function)) if isinstance(function, str) else function
    if found is None:
        raise ValueError(
            f"expected a function as package.module:name or path.py:name, or one of the names {', '.join(PACKAGED)}, "
            f"got {short(function)}"
        )
    module = import_extra("torch", "torch").nn.Module
    if not (isinstance(found, FunctionType) or (isinstance(found, type) and issubclass(found, module))):
        raise ValueError(f"{short(function)} is neither a function nor a subclass of torch.nn.Module")
    return found
