"""Games as sequences of tokens for language models, in the format of Othello-GPT, and files of them (``.npy``).

Othello-GPT is the model in the GitHub repository likenneth/othello_world (Li and others, Emergent World
Representations, 2023). In the data of this model, a game is the list of the squares on which discs are placed. Passes
are left out. In Othello-GPT, a square has the number ``8 * letter + digit``. Here `letter` and `digit` are the letter
and the digit of the square's name, both counted from 0. Tokens 1 to 60 are the squares in the order of these numbers,
without the four squares in the middle: a1 is 1, a2 is 2, b1 is 9, f5 is 41, h8 is 60. Token 0 fills the sequence after
the last move. So a game is a row of 60 tokens, and the vocabulary has 61.

A file has the tokens of N games, (N, 60) int8, as `numpy.save` writes them. Arrays (N, L) of the same tokens in other
integers are read, too.
"""

from __future__ import annotations

import io
import math

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from othello_env.data.games import Games, GamesError, check_standard, placed_discs, with_passes
from othello_env.games.othello.position import Othello

__all__ = ["VOCABULARY", "dump", "from_tokens", "is_npy", "load", "tokens"]

VOCABULARY = 61
"""The number of different tokens: 60 squares, and the token 0, which fills a sequence after the last move."""

_MIDDLE = (27, 28, 35, 36)
_SQUARES = np.array([square for square in range(64) if square not in _MIDDLE])
_OURS = 8 * (_SQUARES % 8) + _SQUARES // 8  # entry k is this package's action for the token k + 1
_TOKENS = np.zeros(65, np.int8)
_TOKENS[_OURS] = np.arange(1, 61)


def tokens(games: Games) -> npt.NDArray[np.int8]:
    """Turn N games into sequences of tokens, (N, 60) int8.

    With these sequences as ``x``, a model trains on the inputs ``x[:, :59]`` and the targets ``x[:, 1:]``.

    Raises:
        ValueError: the games are not of Othello on 8x8 from the usual start.
        GamesError: a move is illegal.
    """
    check_standard(games, "sequences are for")
    games.check()
    game, move, square = placed_discs(games)
    found = np.zeros((len(games), 60), np.int8)
    found[game, move] = _TOKENS[square]
    return found


def from_tokens(sequences: npt.ArrayLike) -> Games:
    """Turn N sequences of L tokens into games. The sequences are integers (N, L). The passes are added.

    Raises:
        ValueError: the shape is wrong, a token is not a number from 0 to 60, or a move follows the token 0.
        GamesError: a move is illegal.
    """
    games, _, messages = _games(sequences)
    if messages:
        raise GamesError(messages[0])
    return games


def _games(sequences: npt.ArrayLike) -> tuple[Games, npt.NDArray[np.bool_], list[str]]:
    """The games; for each game, whether all its moves are legal; and a message for each game with an illegal move."""
    given = np.asarray(sequences)
    if given.ndim != 2 or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"expected integers (N, L), got {given.dtype} of shape {given.shape}")
    if given.size and not 0 <= given.min() <= given.max() < VOCABULARY:
        raise ValueError(f"tokens must be 0 to {VOCABULARY - 1}, not {given.min()} to {given.max()}")
    if ((given[:, :-1] == 0) & (given[:, 1:] > 0)).any():
        raise ValueError("the token 0 fills the end of a sequence, but here a move follows it")
    squares = np.where(given > 0, _OURS[np.maximum(given, 1) - 1], -1).astype(np.int8)
    actions, lengths, wrong = with_passes(squares, Othello())
    messages = [
        f"game {i + 1}, move {wrong[i] + 1}: token {given[i, wrong[i]]} is not a legal move"
        for i in np.flatnonzero(wrong >= 0).tolist()
    ]
    return Games(actions, lengths), wrong < 0, messages


def is_npy(data: bytes) -> bool:
    """Whether these bytes begin like a file of one array that NumPy wrote."""
    return data.startswith(npy.MAGIC_PREFIX)


def dump(games: Games) -> bytes:
    """The bytes of a ``.npy`` file with the tokens of these games.

    Raises:
        ValueError: the games are not of Othello on 8x8 from the usual start.
        GamesError: a move is illegal.
    """
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
        games, is_legal, messages = _games(np.frombuffer(data, dtype, offset=file.tell()).reshape(shape))
    except Exception as error:  # NumPy parses the header as Python code, which can fail in many ways
        raise GamesError(f"this is no file of Othello-GPT's tokens, or it is damaged: {error}") from None
    return games[is_legal], messages
