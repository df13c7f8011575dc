"""WTHOR, the database format of the French Othello federation.

A ``.wtb`` file has games, a ``.jou`` file has names of players, and a ``.trn`` file has names of tournaments.

All numbers are little-endian. Each file has a header of 16 bytes. A game has 68 bytes: the numbers of its tournament
and players, Black's discs at the end, Black's theoretical discs (see `load`), and 60 moves without passes. A move is
``10 * row + column``, from 11 (a1) to 88 (h8); after the last move the bytes are 0. Names are in Latin-1 and end at a
zero byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.data.games import Games, GamesError, check_standard, placed_discs, with_passes
from othello_env.games.othello.position import Othello

__all__ = ["dump", "is_wthor", "load", "load_names"]

_HEADER = np.dtype(
    [
        ("century", "u1"), ("year", "u1"), ("month", "u1"), ("day", "u1"), ("games", "<u4"), ("names", "<u2"),
        ("year_of_games", "<u2"), ("size", "u1"), ("type", "u1"), ("depth", "u1"), ("reserved", "u1"),
    ]
)  # fmt: skip
_GAME = np.dtype(
    [
        ("tournament", "<u2"), ("black", "<u2"), ("white", "<u2"), ("score", "u1"), ("theoretical", "u1"),
        ("moves", "u1", (60,)),
    ]
)  # fmt: skip
_LENGTHS = 20, 26  # of the names of players and of tournaments


def is_wthor(data: bytes) -> bool:
    """Whether `data` is the content of a ``.wtb`` file with games on 8x8."""
    if len(data) < _HEADER.itemsize:
        return False
    header = np.frombuffer(data, _HEADER, 1)[0]
    return len(data) == _HEADER.itemsize + int(header["games"]) * _GAME.itemsize and header["size"] in (0, 8)


def load(data: bytes, players: Sequence[str] = (), tournaments: Sequence[str] = ()) -> tuple[Games, list[str]]:
    """Read the games of a ``.wtb`` file.

    These are the columns:

    - `year`: the year in which the games were played;
    - `tournament`, `black` and `white`: names, or numbers if no names are given;
    - `score`: Black's discs at the end, as the file says;
    - `theoretical`: Black's discs at the end if both sides play perfectly after a certain position of the game;
    - `depth`: the number of empty squares in this position. It is the same number for all games of the file.

    Args:
        data: the bytes of the file.
        players: the players' names, in the order of their numbers.
        tournaments: the tournaments' names, in the order of their numbers.

    Returns:
        The games whose moves are all legal, and a message for each game with an illegal move.

    Raises:
        GamesError: the games are not on 8x8, or the file has another length than its header says.
    """
    if len(data) < _HEADER.itemsize:
        raise GamesError(f"a WTHOR file begins with a header of {_HEADER.itemsize} bytes; this file has {len(data)}")
    header = np.frombuffer(data, _HEADER, 1)[0]
    n = int(header["games"])
    if header["size"] not in (0, 8):
        raise GamesError(f"expected games on 8x8, got size {header['size']}")
    if len(data) != _HEADER.itemsize + n * _GAME.itemsize:
        actual = (len(data) - _HEADER.itemsize) / _GAME.itemsize
        raise GamesError(f"the header announces {n:,} games of {_GAME.itemsize} bytes, but the file has {actual:,.2f}")
    rows = np.frombuffer(data, _GAME, n, _HEADER.itemsize)
    row, column = np.divmod(rows["moves"].astype(np.int64), 10)
    inside = (row >= 1) & (row <= 8) & (column >= 1) & (column <= 8)
    length = 60 - np.argmax(rows["moves"][:, ::-1] != 0, axis=1) * (rows["moves"] != 0).any(axis=1)
    length[(rows["moves"] == 0).all(axis=1)] = 0
    ended = np.arange(60) >= length[:, np.newaxis]
    # Each byte after the last move becomes -1. If an earlier byte is not a square (for example, if it is 0), it becomes
    # 127, which is an illegal move.
    squares = np.where(ended, -1, np.where(inside, 8 * (row - 1) + column - 1, 127)).astype(np.int8)
    actions, lengths, wrong = with_passes(squares, Othello())
    columns = {
        "year": np.full(n, header["year_of_games"], np.int32),
        "tournament": _named(rows["tournament"], tournaments),
        "black": _named(rows["black"], players),
        "white": _named(rows["white"], players),
        "score": rows["score"].astype(np.int32),
        "theoretical": rows["theoretical"].astype(np.int32),
        "depth": np.full(n, header["depth"], np.int32),
    }
    whole = Games(actions, lengths, columns=columns)
    messages = [
        f"game {i + 1}, move {wrong[i] + 1}: {rows['moves'][i, wrong[i]]} is not a legal move"
        for i in np.flatnonzero(wrong >= 0).tolist()
    ]
    return (whole[wrong < 0] if messages else whole), messages


def dump(games: Games) -> bytes:
    """The bytes of a ``.wtb`` file with today's date. Passes are not stored.

    The columns `tournament`, `black`, `white` and `theoretical` are written if they hold integers. The header has one
    place for `year` and one place for `depth`. So each of these two columns is written only if all its values are the
    same integer. The score is Black's discs at the end, plus the empty squares if Black won. In a draw and in an
    unfinished game the score is 32.

    Args:
        games: games of Othello on 8x8 from the usual start.

    Raises:
        GamesError: a move is illegal.
        ValueError: the games are not of Othello on 8x8 from the usual start, or a value of a column is negative
            or too large for its place in the file.
    """
    check_standard(games, "WTHOR files have")
    header, rows, day = np.zeros(1, _HEADER), np.zeros(len(games), _GAME), date.today()
    header["century"], header["year"] = divmod(day.year, 100)
    header["month"], header["day"] = day.month, day.day
    header["games"], header["size"] = len(games), 8
    for name, field in (("year", "year_of_games"), ("depth", "depth")):
        values = np.unique(games.columns.get(name, np.zeros(0, np.int64)))
        if len(values) == 1 and np.issubdtype(values.dtype, np.integer):
            header[field] = _fitting(name, values, _HEADER[field])[0]
    for name in ("tournament", "black", "white", "theoretical"):
        column = games.columns.get(name)
        if column is not None and np.issubdtype(column.dtype, np.integer):
            rows[name] = _fitting(name, column, _GAME[name])
    rows["score"] = 32 + games.outcomes.margins[:, 0] / 2
    game, move, square = placed_discs(games)
    rows["moves"][game, move] = 10 * (square // 8 + 1) + square % 8 + 1
    return header.tobytes() + rows.tobytes()


def load_names(data: bytes) -> list[str]:
    """Read the names of a ``.jou`` file (players) or a ``.trn`` file (tournaments), in the order of their numbers.

    Raises:
        GamesError: the bytes are not a file of names.
    """
    header = np.frombuffer(data, _HEADER, 1)[0] if len(data) >= _HEADER.itemsize else np.zeros((), _HEADER)
    count = int(header["names"] or header["games"])  # some files store the number of names in the field `games`
    size, rest = divmod(len(data) - _HEADER.itemsize, max(1, count))
    if not count and len(data) == _HEADER.itemsize:
        return []
    if rest or size not in _LENGTHS:
        raise GamesError(f"expected {count} names of 20 bytes (players) or 26 bytes (tournaments) after the header")
    body = data[_HEADER.itemsize :]
    return [body[i : i + size].split(b"\0")[0].decode("latin-1") for i in range(0, len(body), size)]


def _fitting(name: str, column: npt.NDArray[np.integer], dtype: np.dtype[Any]) -> npt.NDArray[np.integer]:
    """Check that the numbers of a column fit into the file, and return the column."""
    most = np.iinfo(dtype).max
    wrong = column[(column < 0) | (column > most)]
    if len(wrong):
        raise ValueError(f"numbers in the column {name!r} of a WTHOR file must be 0 to {most}, not {wrong[0]}")
    return column


def _named(numbers: npt.NDArray[np.integer], names: Sequence[str]) -> npt.NDArray[np.generic]:
    if not names:
        return numbers.astype(np.int32)
    known = np.array([*names, "?"])  # "?" is for numbers that have no name
    return known[np.minimum(numbers.astype(np.int64), len(names))]
