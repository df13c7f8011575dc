"""The package's own file of games: the arrays of `Games` in a ``.npz`` file, without pickle."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np

from othello_env.data.games import Games, GamesError
from othello_env.games.game import NotationError
from othello_env.games.registry import Rules, position_to_text
from othello_env.support.files import parse_json

__all__ = ["dump", "is_archive", "load"]

_FORMAT = "othello-env games 1"
_COLUMN = "column."
_KINDS = "biufU"  # of the dtypes of columns: bool, integers, floats, text


def is_archive(data: bytes) -> bool:
    """Whether these may be the bytes of a file that `dump` made."""
    return data.startswith(b"PK")


def dump(games: Games) -> bytes:
    """The bytes of a ``.npz`` file.

    Raises:
        ValueError: a column has neither numbers nor text.
    """
    starts = [] if games.starts == (games.rules.start(0),) else [position_to_text(state) for state in games.starts]
    header = {"format": _FORMAT, "rules": str(games.rules), "starts": starts}
    arrays: dict[str, Any] = {"actions": games.actions, "lengths": games.lengths}
    if starts:
        arrays["start"] = games.start
    for name, column in games.columns.items():
        if column.dtype.kind not in _KINDS:
            raise ValueError(f"the column {name!r} has dtype {column.dtype}; a file takes numbers and text")
        arrays[_COLUMN + name] = column
    out = io.BytesIO()
    np.savez(out, allow_pickle=False, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)
    return out.getvalue()


def load(data: bytes) -> tuple[Games, list[str]]:
    """The games of a ``.npz`` file that `dump` made, and no messages.

    Raises:
        GamesError: the file is damaged or of another kind.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = parse_json(arrays.pop("header").tobytes())
        if not isinstance(header, dict) or header.get("format") != _FORMAT:
            raise GamesError(f"expected a file of the format {_FORMAT!r}")
        rules = Rules.parse(header["rules"])
        starts = [rules.position(board, player) for board, player in header["starts"]]
        columns = {name.removeprefix(_COLUMN): arrays[name] for name in arrays if name.startswith(_COLUMN)}
        return Games(arrays["actions"], arrays["lengths"], rules, starts, arrays.get("start"), columns), []
    except (zipfile.BadZipFile, EOFError, OSError, KeyError, TypeError, ValueError, NotationError) as error:
        if isinstance(error, GamesError):
            raise
        raise GamesError(f"this is no file of games, or it is damaged: {error}") from None
