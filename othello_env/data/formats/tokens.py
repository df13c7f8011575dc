"""Games as sequences of tokens for language models, and files of them (``.npy``).

`othello_env.games.othello.tokens` describes the two vocabularies. A file has the tokens of N games, (N, L) int8, as
`numpy.save` writes them: for Othello-GPT, L is 60. A file that is read may have any integers, and any L; its vocabulary
is that of Othello-GPT. A ``.parquet`` file of sequences has the column `tokens`, a list of L integers for each game, as
the data sets of Othello-GPT on Hugging Face's hub have it.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from othello_env.data import kernels
from othello_env.data.games import Games, GamesError, check_standard
from othello_env.games.othello.position import Othello
from othello_env.games.othello.tokens import Vocabulary, vocabulary_of
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.extras import import_extra
from othello_env.support.files import file_to_write
from othello_env.support.numbers import check_type

__all__ = [
    "FILES",
    "as_rows",
    "dump",
    "from_sequences",
    "from_tokens",
    "is_npy",
    "load",
    "tokens",
    "tokens_of",
    "usual_start",
    "write_tokens",
]

FILES = (".npy", ".parquet")
"""The endings of the files that `write_tokens` writes."""


def tokens(games: Games, vocabulary: str = "othello-gpt") -> npt.NDArray[np.int8]:
    """Turn N games into sequences of tokens, (N, L) int8; L is 60 on 8x8.

    With these sequences as ``x``, a model trains on the inputs ``x[:, :-1]`` and the targets ``x[:, 1:]``.

    Args:
        games: games of Othello on any board, or of a variant of its rules, from the usual start.
        vocabulary: ``othello-gpt`` or ``metaothello``; see `othello_env.games.othello.tokens`.

    Raises:
        ValueError: the games are of another kind, or there is no such vocabulary.
        GamesError: a move is illegal.
    """
    start = usual_start(check_type("games", games, Games).game)
    if not games.begin_as_usual:
        raise ValueError(f"sequences are for games from the usual start, not for games of {games.game} from others")
    words = vocabulary_of(vocabulary, start.size)
    games.check()
    return tokens_of(games.actions.astype(np.int8, copy=False), games.lengths, words)


def tokens_of(actions: npt.NDArray[np.int8], lengths: npt.NDArray[np.int32], words: Vocabulary) -> npt.NDArray[np.int8]:
    """The tokens of N games, (N, L) int8, whose actions, (N, T), are legal.

    Raises:
        GamesError: a disc is placed on a square that has no token.
    """
    rows = np.empty((len(actions), words.length), np.int8)
    if kernels.to_tokens(actions, lengths, words.tokens, rows):
        raise GamesError(f"a disc is placed on a square that has no token in the vocabulary {words.name}")
    return rows


def usual_start(game: GameLike) -> Othello:
    """The usual start of a game that has sequences of tokens: Othello on any board, or a variant of its rules.

    Raises:
        ValueError: the game is another one, or begins elsewhere.
    """
    spec = GameSpec.parse(game)
    start = spec.start(0)
    if not isinstance(start, Othello):
        raise ValueError(f"sequences are for games of othello and its variants, not of {spec}")
    if spec.initial is not None:
        raise ValueError(f"sequences are for games from the usual start, not from\n{start}")
    return start


def from_tokens(sequences: npt.ArrayLike, vocabulary: str = "othello-gpt", game: GameLike = "othello") -> Games:
    """Turn N sequences of K tokens into games. Passes that the vocabulary leaves out are added.

    Args:
        sequences: (N, K) integers.
        vocabulary: ``othello-gpt`` or ``metaothello``; see `othello_env.games.othello.tokens`.
        game: the game and its options, such as ``othello:size=6``.

    Raises:
        ValueError: the shape is wrong, a token is not in the vocabulary, or a move follows the token 0.
        GamesError: a move is illegal.
    """
    games, _, messages = from_sequences(sequences, vocabulary, game)
    if messages:
        raise GamesError(messages[0])
    return games


def as_rows(sequences: npt.ArrayLike, words: Vocabulary) -> npt.NDArray[np.int8]:
    """Check N sequences of tokens, and return their actions, (N, K), with -1 after the last one.

    Raises:
        ValueError: the shape is wrong, a token is not in the vocabulary, or a move follows the token 0.
    """
    given = np.asarray(sequences)
    if given.ndim != 2 or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"expected integers (N, L), got {given.dtype} of shape {given.shape}")
    if given.size and not 0 <= given.min() <= given.max() < words.count:
        raise ValueError(f"tokens must be 0 to {words.count - 1}, not {given.min()} to {given.max()}")
    if ((given[:, :-1] == 0) & (given[:, 1:] > 0)).any():
        raise ValueError("the token 0 fills the end of a sequence, but here a move follows it")
    return np.asarray(words.actions[given])


def from_sequences(
    sequences: npt.ArrayLike, vocabulary: str = "othello-gpt", game: GameLike = "othello"
) -> tuple[Games, npt.NDArray[np.bool_], list[str]]:
    """The games; for each game, whether all its moves are legal; and a message for each game with an illegal move."""
    start = usual_start(game)
    words = vocabulary_of(vocabulary, start.size)
    rows = as_rows(sequences, words)
    played = kernels.replay(rows, start, passes=words.has_pass)
    messages = [
        f"game {i + 1}, move {played.wrong[i] + 1}: token {words.tokens[rows[i, played.wrong[i]]]} is not a legal move"
        for i in np.flatnonzero(played.wrong >= 0).tolist()
    ]
    return Games(played.actions, played.lengths, game), played.wrong < 0, messages


def write_tokens(path: str | Path, batches: Iterable[npt.NDArray[np.int8]], count: int, words: Vocabulary) -> None:
    """Write sequences of tokens to a ``.npy`` or ``.parquet`` file, completely or not at all.

    Args:
        path: the file.
        batches: the sequences, in arrays (n, L) int8. Only one is in memory at a time.
        count: the number N of all sequences.
        words: the vocabulary. A ``.parquet`` file names it.

    Raises:
        OSError: the file cannot be written.
        ValueError: the name of the file has another ending.
        MissingExtraError: pyarrow is not installed, and the file is a ``.parquet`` file.
    """
    kind = Path(path).suffix.lower()
    if kind not in FILES:
        raise ValueError(
            f"sequences of tokens are written to files that end in {' or '.join(FILES)}, not {str(path)!r}"
        )
    if kind == ".npy":
        with file_to_write(path) as file:
            header = {"descr": "|i1", "fortran_order": False, "shape": (count, words.length)}
            npy.write_array_header_1_0(file, header)
            for batch in batches:
                file.write(batch.tobytes())
        return
    arrow, parquet = import_extra("pyarrow", "parquet"), import_extra("pyarrow.parquet", "parquet")
    schema = arrow.schema([("tokens", arrow.list_(arrow.int8()))], {"vocabulary": words.name, "size": str(words.size)})
    with file_to_write(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for batch in batches:
            offsets = np.arange(0, batch.size + 1, words.length, dtype=np.int32)
            writer.write_table(arrow.table([arrow.ListArray.from_arrays(offsets, batch.ravel())], schema=schema))


def is_npy(data: bytes) -> bool:
    """Whether these bytes begin like a file of one array that NumPy wrote."""
    return data.startswith(npy.MAGIC_PREFIX)


def dump(games: Games) -> bytes:
    """The bytes of a ``.npy`` file with Othello-GPT's tokens of these games.

    Raises:
        ValueError: the games are not of Othello on 8x8 from the usual start.
        GamesError: a move is illegal.
    """
    check_standard(games, "sequences are for")  # `load` could not tell the tokens of another board
    out = io.BytesIO()
    np.save(out, tokens(games))
    return out.getvalue()


def load(data: bytes) -> tuple[Games, list[str]]:
    """Read the games of a ``.npy`` file of tokens.

    Returns:
        The games whose moves are all legal, and a message for each game with an illegal move.

    Raises:
        GamesError: the file is damaged, or it has no tokens.
    """
    file = io.BytesIO(data)
    try:
        npy.read_magic(file)
        shape, is_fortran, dtype = npy.read_array_header_1_0(file, max_header_size=1000)
        if is_fortran or dtype.hasobject or math.prod(shape) * dtype.itemsize != len(data) - file.tell():
            raise ValueError("expected an array of integers in C order that fills the file")
        games, is_legal, messages = from_sequences(np.frombuffer(data, dtype, offset=file.tell()).reshape(shape))
    except Exception as error:  # NumPy parses the header as Python code, which can fail in many ways
        raise GamesError(f"this is no file of Othello-GPT's tokens, or it is damaged: {error}") from None
    return games[is_legal], messages
