"""Files of networks: tensors in the format safetensors, and a card, a JSON text with the other fields of `NetworkFile`.

Reading a file runs no code, neither from the file nor from the function that its card names. Whoever uses the file
decides which function makes the network. The file is the same for PyTorch, JAX and NumPy.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import safetensors.numpy

from othello_env.support.files import as_type, parse_json, read_file, write_file

__all__ = ["NetworkFile"]

_CARD = "card"
_MOST_TENSORS = 1 << 16
_LONGEST_HEADER = 16 << 20  # bytes; enough for a card with a learning curve of thousands of points
_LARGEST_FILE = 2 << 30  # bytes


@dataclass(frozen=True)
class NetworkFile:
    """What the file of a network holds.

    Attributes:
        tensors: the weights, by their names.
        function: the name of the function that makes the network, as ``package.module:name`` or ``path.py:name``, or a
            short name of a function in this package.
        size: the board's size, the function's argument.
        options: the function's other arguments, by their names.
        training: how the weights were trained.
    """

    tensors: dict[str, npt.NDArray[Any]]
    function: str
    size: int
    options: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)

    def write(self, path: str | Path) -> None:
        """Write a ``.safetensors`` file, completely or not at all.

        Raises:
            OSError: the file cannot be written.
            ValueError: there are more tensors than `read` accepts.
            TypeError: JSON cannot hold a value of `options` or `training`.
        """
        if len(self.tensors) > _MOST_TENSORS:
            raise ValueError(f"a file holds at most {_MOST_TENSORS:,} tensors, not {len(self.tensors):,}")
        card = {name: value for name, value in vars(self).items() if name != "tensors"}
        tensors = {name: np.asarray(tensor, order="C") for name, tensor in self.tensors.items()}
        write_file(path, safetensors.numpy.save(tensors, metadata={_CARD: json.dumps(card)}))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a file that `write` wrote.

        Raises:
            FileNotFoundError: the file does not exist.
            OSError: the path is not a regular file, or the file cannot be read.
            ValueError: the file is too large or damaged, or a tensor is not finite. The message names the file.
        """
        data = read_file(path, _LARGEST_FILE, "load a network from")
        try:
            card = _card(data)
            tensors = safetensors.numpy.load(data)
            for name, tensor in tensors.items():
                if not np.isfinite(tensor).all():
                    raise ValueError(f"its tensor {name} is not finite")
            return cls(tensors, **card)
        except Exception as error:  # a damaged file raises errors of many classes
            raise ValueError(f"{str(path)!r} is not the file of a network: {error}") from error


_FIELDS = {"function": str, "size": int, "options": dict[str, Any], "training": dict[str, Any]}


def _card(data: bytes) -> dict[str, Any]:
    """The card in the header of a file. The 8 bytes before the header give its length.

    Raises:
        ValueError: the header is damaged or too long, or has too many tensors, or its card has a wrong field.
    """
    length = int.from_bytes(data[:8], "little")
    if not 0 < length <= min(_LONGEST_HEADER, len(data) - 8):
        raise ValueError(f"its header has {length} bytes")
    header = as_type(parse_json(data[8 : 8 + length]), dict[str, dict[str, Any]])
    if len(header) > _MOST_TENSORS + 1:
        raise ValueError(f"it has {len(header):,} tensors; at most {_MOST_TENSORS:,} are read")
    card = as_type(parse_json(as_type(header.get("__metadata__", {}).get(_CARD), str)), dict[str, Any])
    if set(card) != set(_FIELDS):
        raise ValueError(f"its card must have {', '.join(_FIELDS)}, not {', '.join(card) or 'nothing'}")
    return {name: as_type(card[name], kind) for name, kind in _FIELDS.items()}
