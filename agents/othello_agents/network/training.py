"""Begin a training with a new network, and save and load the state of a training, so that it can be resumed.

The scripts in ``scripts/train`` show how these functions are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from reprlib import repr as short
from typing import Any

from othello_agents.network.base import TorchNetwork, read_tensors, write_tensors
from othello_agents.network.custom import CustomNetwork
from othello_agents.network.neural import NeuralNetwork
from othello_env.support.imports import search_current_folder

__all__ = ["load_training", "make_network", "save_training"]

_FORMAT = "othello-env training 1"
_LARGEST_FILE = 1 << 40  # bytes

_Tensor = Any  # torch.Tensor, if PyTorch is installed


def make_network(name: str, size: int = 8, seed: int = 0, *, channels: int = 32, blocks: int = 2) -> TorchNetwork:
    """A network with random weights.

    Args:
        name: ``residual``, a convolutional network (`NeuralNetwork`); ``afterstates``, a network that evaluates the
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
        return NeuralNetwork(size, channels, blocks, seed=seed)
    search_current_folder()
    return CustomNetwork.make(name, size, seed)


def save_training(
    path: str | Path,
    networks: Mapping[str, TorchNetwork],
    optimizer: Any,
    settings: Mapping[str, Any],
    progress: Mapping[str, Any],
    tensors: Mapping[str, _Tensor] | None = None,
) -> None:
    """Write the state of a training to a ``.safetensors`` file, completely or not at all.

    Args:
        path: the file.
        networks: the networks by name. A name has no dot.
        optimizer: a `torch.optim.Optimizer`, such as Adam, whose state is tensors.
        settings: the settings of the training, as values that JSON can hold. `load_training` demands the same.
        progress: everything else that JSON can hold, such as the number of iterations and the learning curve.
        tensors: other tensors by name.

    Raises:
        OSError: the file cannot be written.
    """
    named = {f"{owner}.{name}": weight for owner, each in networks.items() for name, weight in each.weights.items()}
    for number, state in optimizer.state_dict()["state"].items():
        named |= {f"optimizer.{number}.{key}": tensor for key, tensor in state.items()}
    named |= {f"other.{name}": tensor for name, tensor in (tensors or {}).items()}
    write_tensors(path, named, {"format": _FORMAT, "settings": dict(settings), "progress": dict(progress)})


def load_training(
    path: str | Path, networks: Mapping[str, TorchNetwork], optimizer: Any, settings: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, _Tensor]]:
    """Read the file that `save_training` wrote into new networks and their new optimizer.

    Returns:
        The progress, and the other tensors.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: the file cannot be read.
        ValueError: the file holds no such training, or its settings differ.
    """
    tensors, card = read_tensors(path, _LARGEST_FILE)
    was, progress = card.get("settings"), card.get("progress")
    if card.get("format") != _FORMAT or not isinstance(was, dict) or not isinstance(progress, dict):
        raise ValueError(f"{str(path)!r} is not the state of a training")
    if set(was) != set(settings):
        raise ValueError(f"{str(path)!r} is the state of another training, with {short(sorted(was))}")
    changed = [f"{name} was {short(was[name])}, not {now}" for name, now in settings.items() if was[name] != now]
    if changed:
        raise ValueError(f"{str(path)!r} has other settings: {', '.join(changed)}")
    try:
        for owner, network in networks.items():
            network.assign(network.with_weights(_of(tensors, owner)))
        optimizer.load_state_dict(optimizer.state_dict() | {"state": _optimizer_state(tensors, optimizer)})
    except (KeyError, ValueError) as error:  # KeyError: a tensor of the optimizer is missing
        raise ValueError(f"{str(path)!r} does not fit to the network: {error}") from error
    return progress, _of(tensors, "other")


def _of(tensors: Mapping[str, _Tensor], owner: str) -> dict[str, _Tensor]:
    return {name.removeprefix(f"{owner}."): each for name, each in tensors.items() if name.startswith(f"{owner}.")}


def _optimizer_state(tensors: Mapping[str, _Tensor], optimizer: Any) -> dict[int, dict[str, _Tensor]]:
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    state: dict[int, dict[str, _Tensor]] = {}
    for name, tensor in _of(tensors, "optimizer").items():
        number, _, key = name.partition(".")
        if not (number.isdecimal() and int(number) < len(weights)):
            raise ValueError(f"there is no weight {short(number)} for the optimizer's state")
        weight = weights[int(number)]
        if tensor.shape not in ((), weight.shape) or not bool(tensor.isfinite().all()):
            raise ValueError(f"{short(f'optimizer.{name}')} must be finite, of shape {tuple(weight.shape)}")
        state.setdefault(int(number), {})[key] = tensor
    return state
