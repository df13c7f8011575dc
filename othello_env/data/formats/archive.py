"""The package's own file format for games: a ``.npz`` file with the arrays of `Games`, without pickle."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from othello_env.data.games import Games, GamesError
from othello_env.games.game import NotationError, State
from othello_env.games.registry import GameSpec, UnknownGameError, position_to_text
from othello_env.support.arrays import DAMAGE, Member
from othello_env.support.files import parse_json

__all__ = [
    "check_columns",
    "checked",
    "count",
    "dump",
    "from_header",
    "header",
    "is_archive",
    "is_whole",
    "load",
    "read_arrays",
]

_FORMAT = "othello-env games 1"
_COLUMN = "column."
_MOST_BYTES = 4 << 30
_KINDS = "biufU"  # the values of `dtype.kind` that a column may have: bool, integers, floats, text


def is_archive(data: bytes) -> bool:
    """Whether these bytes begin like a file that `dump` made."""
    return data.startswith(b"PK")


def dump(games: Games) -> bytes:
    """The bytes of a ``.npz`` file that holds these games.

    Raises:
        ValueError: a column has neither numbers nor text, or a first position cannot be written (see `header`).
    """
    check_columns(games)
    arrays: dict[str, Any] = {"actions": games.actions, "lengths": games.lengths, "start": games.start}
    arrays |= {_COLUMN + name: column for name, column in games.columns.items()}
    out = io.BytesIO()
    np.savez(out, header=np.frombuffer(json.dumps(header(games)).encode(), np.uint8), **arrays)
    return out.getvalue()


def load(data: bytes) -> tuple[Games, list[str]]:
    """Read the games of a ``.npz`` file that `dump` made.

    Returns:
        The games whose moves are all legal, and a message for each game with an illegal move.

    Raises:
        GamesError: the file is damaged or has another format, or its arrays take more than 4 GiB.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            arrays = read_arrays(archive, [name.removesuffix(".npy") for name in archive.namelist()])
        game, starts = from_header(arrays.pop("header").tobytes())
        columns = {name.removeprefix(_COLUMN): arrays[name] for name in arrays if name.startswith(_COLUMN)}
        games = Games(arrays["actions"], arrays["lengths"], game, starts, arrays["start"], columns)
    except GamesError:
        raise
    except (*DAMAGE, KeyError, TypeError) as error:
        raise GamesError(f"this is no file of games, or it is damaged: {error}") from None
    return checked(games)


def count(path: Path) -> int:
    """The number of games in a file, found without reading the games; -1 if the file is missing or damaged."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            (number,) = Member(archive, "lengths").shape
            return number
    except (*DAMAGE, KeyError):
        return -1


def is_whole(path: Path, games: int) -> bool:
    """Whether a file has this number of games, and the checksums of all its arrays are right."""
    if count(path) != games:
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.testzip() is None
    except DAMAGE:
        return False


def read_arrays(archive: zipfile.ZipFile, names: Sequence[str]) -> dict[str, Any]:
    """Read the arrays with these names from an archive.

    Raises:
        GamesError: the arrays together take more than 4 GiB. In this case no array is unpacked.
        ValueError, zipfile.BadZipFile, KeyError: the archive is damaged; see `othello_env.support.arrays.Member`.
    """
    members = {name: Member(archive, name) for name in names}
    total = sum(math.prod(member.shape) * member.dtype.itemsize for member in members.values())
    if total > _MOST_BYTES:
        raise GamesError(f"the arrays of this file take {total:,} bytes; at most {_MOST_BYTES:,} are read")
    return {name: member.read() for name, member in members.items()}


def check_columns(games: Games) -> None:
    """Check that all columns can be written to a file.

    Raises:
        ValueError: a column has neither numbers nor text.
    """
    for name, column in games.columns.items():
        if column.dtype.kind not in _KINDS:
            raise ValueError(f"the column {name!r} has dtype {column.dtype}; a file can have only numbers and text")


def header(games: Games) -> dict[str, Any]:
    """A dict for JSON with the name of the file format, the rules of the games and their first positions.

    Raises:
        ValueError: the text of a first position does not show all of it, or cannot be read. In checkers, a text shows
            neither the history of a position nor that a piece must continue jumping.
    """
    usual = games.starts == (games.game.start(0),)
    starts = [] if usual else [_text_of(state, games.game) for state in games.starts]
    return {"format": _FORMAT, "rules": str(games.game), "starts": starts}


def _text_of(state: State, game: GameSpec) -> tuple[str, str]:
    text = position_to_text(state)
    if game.position(*text) != state:
        raise ValueError(
            f"a game begins with {state!r} in mid-game; expected a first position of {game.name} without a history, "
            "and not in the middle of a series of jumps"
        )
    return text


def from_header(text: bytes) -> tuple[GameSpec, list[State]]:
    """Read the rules of the games and their first positions from the JSON text of a `header`.

    Raises:
        GamesError: the text is not the JSON text of a `header`, or its game is not registered.
    """
    try:
        content = parse_json(text)
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise ValueError(f"expected a file of the format {_FORMAT!r}")
        game = GameSpec.parse(content["rules"])
        return game, [game.position(board, player) for board, player in content["starts"]]
    except UnknownGameError as error:
        raise GamesError(str(error)) from None
    except (KeyError, TypeError, ValueError, NotationError) as error:
        raise GamesError(f"this is no file of games, or it is damaged: {error}") from None


def checked(games: Games) -> tuple[Games, list[str]]:
    """The games whose moves are all legal, and a message for each game with an illegal move."""
    wrong = games.illegal()
    messages = [f"game {i + 1}, ply {wrong[i] + 1}: the move is illegal" for i in np.flatnonzero(wrong >= 0).tolist()]
    return (games[wrong < 0] if messages else games), messages
