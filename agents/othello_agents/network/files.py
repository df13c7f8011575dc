"""Reads and writes the file of a network: named tensors, and a card (a JSON text that describes the tensors).

The format is safetensors. Reading a file of this format runs no code from the file. PyTorch (the extra ``torch``) is
imported only when a file is read or written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from othello_env.support.extras import import_extra
from othello_env.support.files import parse_json, read_file, write_file

__all__ = ["MOST_TENSORS", "read_tensors", "write_tensors"]

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
    safetensors = import_extra("safetensors.torch", "torch")
    data = read_file(path, most, "load a network from")
    try:
        card = _card(data)
        return safetensors.load(data), card
    except Exception as error:  # a damaged file raises errors of many classes
        raise ValueError(f"{str(path)!r} cannot be read: {error}") from error


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
