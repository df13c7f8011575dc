"""The files that a spec names, also in the values of its options."""

from __future__ import annotations

from pathlib import Path

from othello_env.agent.protocol import SpecError
from othello_env.agent.spec import split_spec

__all__ = ["named_files", "option_files"]


def named_files(spec: str) -> list[Path]:
    """The existing files whose paths are in a spec or in the value of an option.

    For example, ``engine:eval=ntuple:weights=a.npz`` names ``a.npz``, and ``b.py:name`` names ``b.py``.
    """
    if _is_file(spec):
        return [Path(spec)]
    try:
        head, _ = split_spec(spec)
    except SpecError:
        return []
    module = head.rpartition(":")[0]
    heads = [Path(each) for each in dict.fromkeys((head, module)) if _is_file(each)]
    return heads + option_files(spec)


def option_files(spec: str) -> list[Path]:
    """The existing files whose paths are in the values of a spec's options."""
    try:
        _, options = split_spec(spec)
    except SpecError:
        return []
    return [path for value in options.values() for path in named_files(value)]


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # the text is too long for a name, or has a null character
        return False
