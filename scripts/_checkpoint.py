"""Save and load the state of a training run with PyTorch: the tensors of its learner, and a card.

The card is a dict with the run's settings, the number of iterations and the points of the learning curve. The whole
content of a file is checked before it is used, because anybody may have written the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from reprlib import repr as short
from typing import Any

from _arguments import option

from othello_agents.network.base import MOST_TENSORS, TorchNetwork
from othello_agents.network.neural import read_tensors

__all__ = ["check_past", "learner_tensors", "network_of", "read_run", "restore_learner"]

_OTHERS = 6
"""For each weight of a network, a file has at most this number of tensors besides those of past selves.

They are the weight, its mean, three tensors of Adam, and a reserve for a few other tensors.
"""
_LARGEST_FILE = 1 << 40  # bytes; more than the file of a run with the largest network and the most past selves

_Tensors = dict[str, Any]  # the values are torch.Tensor


def check_past(past: int, network: TorchNetwork) -> None:
    """Check that the file of a run has room for the weights of `past` past selves of a network.

    Raises:
        ValueError: there are too many tensors for a file.
    """
    most = MOST_TENSORS // len(network.weights) - _OTHERS
    if past > most:
        raise ValueError(f"--past: a file can hold at most {most} past selves of this network, not {past}")


def learner_tensors(network: TorchNetwork, optimizer: Any) -> _Tensors:
    """The weights of a network and the state of its optimiser Adam, as a dict that `restore_learner` accepts."""
    tensors = {f"weights.{name}": weight for name, weight in network.weights.items()}
    for name, weight in network.weights.items():
        tensors |= {f"adam.{name}.{key}": value for key, value in optimizer.state.get(weight, {}).items()}
    return tensors


def restore_learner(tensors: _Tensors, network: TorchNetwork, optimizer: Any) -> None:
    """Copy the tensors from `learner_tensors` into a network and its optimiser.

    Raises:
        ValueError: a tensor is missing, has another shape, or is not finite.
    """
    network.assign(network_of(tensors, "weights", network))
    state = {}
    for number, (name, weight) in enumerate(network.trained_weights().items()):
        shapes = {"step": (), "exp_avg": weight.shape, "exp_avg_sq": weight.shape}
        if any(f"adam.{name}.{key}" in tensors for key in shapes):  # Adam has no state for a weight without gradients
            state[number] = {key: _sound(tensors, f"adam.{name}.{key}", shape) for key, shape in shapes.items()}
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def network_of(tensors: _Tensors, owner: str, like: TorchNetwork) -> TorchNetwork:
    """Make a network of the same kind as `like`, on the CPU.

    The network's weight ``w`` is the tensor that `tensors` has under the name ``{owner}.w``.

    Raises:
        ValueError: a tensor is missing, has another shape, or is not finite.
    """
    weights = {
        name: _sound(tensors, f"{owner}.{name}", weight.shape, floats=weight.dtype.is_floating_point)
        for name, weight in like.weights.items()
    }
    return like.with_weights(weights)


def _sound(tensors: _Tensors, name: str, shape: Sequence[int], *, floats: bool = True) -> Any:
    tensor = tensors.get(name)
    if tensor is None or tuple(tensor.shape) != tuple(shape) or tensor.dtype.is_floating_point != floats:
        found = "nothing" if tensor is None else f"{tensor.dtype} of shape {tuple(tensor.shape)}"
        raise ValueError(
            f"expected {name} as {'floats' if floats else 'integers'} of shape {tuple(shape)}, got {found}"
        )
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
    """Read the tensors and the card of a run from its file, so that the run can be resumed.

    Args:
        path: the file.
        form: the name of the file's format. The card must name the same format.
        settings: the run's settings by name. The card must have the same settings.
        counts: the names that the card must have besides ``iteration``. Their values must be integers of at least 0.
        over: the name of a number that each point of the curve must have besides ``iteration`` and ``seconds``.
        opponents: the opponents for which each point of the curve must have a score.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: the path is a folder, a device or the like, or the file cannot be read.
        ValueError: the file does not hold a run in this format, or the settings differ.
    """
    tensors, card = read_tensors(path, _LARGEST_FILE)
    was = card.get("settings")
    if card.get("format") != form or not isinstance(was, dict) or set(was) != set(settings):
        raise ValueError(f"{str(path)!r} is not a run of this recipe")
    if was.get("network") == "":  # earlier versions had no name for this network
        was["network"] = "residual"
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
    """Whether `progress` has the seconds that a run took, valid losses, and valid points of the learning curve."""
    points, losses = progress.get("curve"), progress.get("losses", {})
    return (
        _are_numbers(progress, "seconds")
        and isinstance(losses, dict)
        and _are_numbers(losses, *losses)
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
