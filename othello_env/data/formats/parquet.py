"""Files of games in Apache Parquet, which other tools such as Hugging Face's `datasets` can read.

Each game is a row of the file. The column `actions` has a list, the actions of the game. A file of sequences for
language models has the column `tokens` instead; see `othello_env.data.formats.tokens`.
"""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np

from othello_env.data.formats import archive, tokens
from othello_env.data.games import Games, GamesError
from othello_env.support.extras import import_extra

__all__ = ["dump", "is_parquet", "load"]

_LONGEST = 10_000
_ACTIONS, _START, _TOKENS, _HEADER = "actions", "start", "tokens", b"othello-env"


def is_parquet(data: bytes) -> bool:
    """Whether these bytes begin like a Parquet file."""
    return data.startswith(b"PAR1")


def dump(games: Games) -> bytes:
    """The bytes of a Parquet file that holds these games.

    The column `actions` has a list of each game's actions, passes included. The columns in `games.columns` are written
    under the same names. A column with a number for each action becomes a column of lists.

    Raises:
        ValueError: a column has the name `actions` or `start`, or has neither numbers nor text; or a first position
            cannot be written (see `othello_env.data.formats.archive.header`).
        MissingExtraError: pyarrow is not installed.
    """
    arrow = import_extra("pyarrow", "parquet")
    archive.check_columns(games)
    if taken := {_ACTIONS, _START} & games.columns.keys():
        raise ValueError(f"in a Parquet file, a column of the games cannot have the name {min(taken)!r}")
    offsets = np.concatenate([[0], np.cumsum(games.lengths)]).astype(np.int32)
    columns: dict[str, Any] = {_ACTIONS: arrow.ListArray.from_arrays(offsets, games.actions[games.actions >= 0])}
    if len(games.starts) > 1:
        columns[_START] = games.start
    for name, column in games.columns.items():
        if column.ndim == 2:
            columns[name] = arrow.ListArray.from_arrays(offsets, column[games.actions >= 0])
        else:
            columns[name] = column.tolist() if column.dtype.kind == "U" else column
    table = arrow.table(columns).replace_schema_metadata({_HEADER: json.dumps(archive.header(games))})
    out = io.BytesIO()
    import_extra("pyarrow.parquet", "parquet").write_table(table, out)
    return out.getvalue()


def load(data: bytes) -> tuple[Games, list[str]]:
    """Read the games of a Parquet file that `dump` made, or of a file with the column `tokens`.

    Returns:
        The games whose moves are all legal, and a message for each game with an illegal move.

    Raises:
        GamesError: the file is damaged, or `dump` did not make it.
        MissingExtraError: pyarrow is not installed.
    """
    arrow, parquet = import_extra("pyarrow", "parquet"), import_extra("pyarrow.parquet", "parquet")
    try:
        table = parquet.read_table(io.BytesIO(data))
        if _ACTIONS not in table.column_names and _TOKENS in table.column_names:
            return _from_tokens(table)
        game, starts = archive.from_header((table.schema.metadata or {}).get(_HEADER, b"{}"))
        actions, lengths = _lists(table, _ACTIONS, "integers")
        columns = {
            name: _lists(table, name, "floats")[0] if arrow.types.is_list(kind) else _column(table.column(name))
            for name, kind in zip(table.schema.names, table.schema.types, strict=True)
            if name not in (_ACTIONS, _START)
        }
        start = np.asarray(table.column(_START)) if _START in table.column_names else None
        return archive.checked(Games(actions, lengths, game, starts, start, columns))
    except (arrow.ArrowException, KeyError, OSError, TypeError, ValueError) as error:
        if isinstance(error, GamesError):
            raise
        raise GamesError(f"this is no Parquet file of games, or it is damaged: {error}") from None


def _from_tokens(table: Any) -> tuple[Games, list[str]]:
    """The games of a table with a column of sequences. Without a note, the vocabulary is that of Othello-GPT on 8x8."""
    note = {name.decode(): value.decode() for name, value in (table.schema.metadata or {}).items()}
    rows = np.maximum(_lists(table, _TOKENS, "integers")[0], 0)
    game = f"othello:size={note.get('size', '8')}"
    games, is_legal, messages = tokens.from_sequences(rows, note.get("vocabulary", "othello-gpt"), game)
    return games[is_legal], messages


def _lists(table: Any, name: str, of: str) -> tuple[Any, Any]:
    """A column of N lists as an array (N, T), and the lengths of the lists as an array (N,).

    Short rows are filled up: with -1 if `of` is ``integers``, with NaN if `of` is ``floats``.
    """
    arrow = import_extra("pyarrow", "parquet")
    lists = table.column(name).combine_chunks()
    is_right = arrow.types.is_integer if of == "integers" else arrow.types.is_floating
    if not arrow.types.is_list(lists.type) or not is_right(lists.type.value_type):
        raise ValueError(f"expected lists of {of} in the column {name!r}, got {lists.type}")
    if lists.null_count or lists.values.null_count:
        raise ValueError(f"there are empty entries in the column {name!r}")
    lengths = np.asarray(lists.value_lengths(), np.int64)
    longest = int(lengths.max(initial=0))
    if longest > _LONGEST:
        raise ValueError(f"a game has {longest:,} plies; at most {_LONGEST:,} are read")
    values = np.asarray(lists.flatten())
    rows = np.full(
        (len(lengths), longest), -1 if of == "integers" else np.nan, np.int64 if of == "integers" else values.dtype
    )
    rows[np.arange(longest) < lengths[:, np.newaxis]] = values
    return rows, lengths


def _column(column: Any) -> Any:
    """A column as a NumPy array of text or numbers. Numbers keep their dtype."""
    values = column.to_numpy()
    return values.astype(str) if values.dtype.kind == "O" else values
