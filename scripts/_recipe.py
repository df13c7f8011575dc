"""The file from which a training script with PyTorch goes on: the learner's tensors, and a card of how far it is.

Whatever is read is checked before it is used, as anybody may have written it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from reprlib import repr as short
from typing import Any

from othello_agents.network.neural import NeuralNetwork, read_tensors

__all__ = ["learner_tensors", "network_of", "option", "read_run", "restore_learner"]

_LARGEST_FILE = 16 << 30  # bytes

_Tensors = dict[str, Any]  # torch.Tensor by name


def option(name: str) -> str:
    """What the command calls a setting."""
    return "--" + name.replace("_", "-")


def learner_tensors(network: NeuralNetwork, optimizer: Any) -> _Tensors:
    """The weights of a network and what Adam knows of them, as `restore_learner` takes them."""
    tensors = {f"weights.{name}": weight for name, weight in network.weights.items()}
    for name, weight in network.weights.items():
        tensors |= {f"adam.{name}.{key}": value for key, value in optimizer.state.get(weight, {}).items()}
    return tensors


def restore_learner(tensors: _Tensors, network: NeuralNetwork, optimizer: Any) -> None:
    """Put what `learner_tensors` made into a network and its optimiser.

    Raises:
        ValueError: a tensor is missing, or has another shape, or is not finite.
    """
    read = network_of(tensors, "weights", network).weights
    has_begun = any(name.startswith("adam.") for name in tensors)
    state = {}
    for number, (name, weight) in enumerate(network.weights.items()):
        weight.data.copy_(read[name])
        if has_begun:
            shapes = {"step": (), "exp_avg": weight.shape, "exp_avg_sq": weight.shape}
            state[number] = {key: _sound(tensors, f"adam.{name}.{key}", shape) for key, shape in shapes.items()}
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def network_of(tensors: _Tensors, owner: str, like: NeuralNetwork) -> NeuralNetwork:
    """The network, on the CPU, whose weights are called ``owner.name``, with the sizes of another one.

    Raises:
        ValueError: a tensor is missing, or has another shape, or is not finite.
    """
    weights = {name: _sound(tensors, f"{owner}.{name}", shape) for name, shape in like.shapes().items()}
    return NeuralNetwork(like.size, like.channels, like.blocks, weights)


def _sound(tensors: _Tensors, name: str, shape: Sequence[int]) -> Any:
    tensor = tensors.get(name)
    if tensor is None or tuple(tensor.shape) != tuple(shape) or not tensor.dtype.is_floating_point:
        found = "nothing" if tensor is None else f"{tensor.dtype} of shape {tuple(tensor.shape)}"
        raise ValueError(f"expected {name} as floats of shape {tuple(shape)}, got {found}")
    if not bool(tensor.isfinite().all()):
        raise ValueError(f"{name} are not all finite")
    return tensor


def read_run(
    path: str | Path,
    form: str,
    settings: Mapping[str, Any],
    *,
    counts: Sequence[str],
    over: str,
    opponents: Sequence[str],
) -> tuple[_Tensors, dict[str, Any]]:
    """The tensors and the card of a run that is to go on with the same settings.

    Args:
        path: of the file.
        form: what the card calls its format.
        settings: by name; the card has to have the same.
        counts: integers in the card, each at least 0, beside ``iteration``.
        over: a number that each point of the curve has beside ``iteration`` and ``seconds``.
        opponents: against whom each point has a score.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: it is no regular file, or cannot be read.
        ValueError: it is no such run, or one with other settings.
    """
    tensors, card = read_tensors(path, _LARGEST_FILE)
    was = card.get("settings")
    if card.get("format") != form or not isinstance(was, dict) or set(was) != set(settings):
        raise ValueError(f"{str(path)!r} is no run of this recipe")
    changed = [f"{option(n)} was {short(was[n])}, not {now}" for n, now in settings.items() if was[n] != now]
    if changed:
        raise ValueError(", ".join(changed))
    for name in ("iteration", *counts):
        if type(card.get(name)) is not int or not 0 <= card[name] < 2**62:
            raise ValueError(f"{str(path)!r} has a card with a wrong {name}: {short(card.get(name))}")
    progress = card.get("progress")
    if not isinstance(progress, dict) or not _is_progress(progress, over, opponents):
        raise ValueError(f"{str(path)!r} has a card with a wrong curve: {short(progress)}")
    return tensors, card


def _is_progress(progress: dict[str, Any], over: str, opponents: Sequence[str]) -> bool:
    """Whether this is the seconds of a run and the points of its curve."""
    points = progress.get("curve")
    return (
        _are_numbers(progress, "seconds")
        and isinstance(points, list)
        and all(
            isinstance(point, dict)
            and _are_numbers(point, "iteration", "seconds", over)
            and isinstance(point.get("scores"), dict)
            and _are_numbers(point["scores"], *opponents)
            for point in points
        )
    )


def _are_numbers(values: dict[str, Any], *names: str) -> bool:
    return all(type(values.get(name)) in (int, float) for name in names)
