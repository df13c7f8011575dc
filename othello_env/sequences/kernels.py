"""Kernels (compiled functions) that write the labels of sequences.

Letters for shapes: N = games, L = tokens of a sequence, S = size of the board, V = tokens of the vocabulary.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.data.kernels import Replayed
from othello_env.support.jit import kernel

__all__ = ["to_labels", "to_legal"]

_0 = np.uint64(0)


@kernel
def to_labels(
    played_fields: tuple[Any, ...],
    bits: npt.NDArray[np.uint64],
    relative: npt.NDArray[np.int8],
    board: npt.NDArray[np.int8],
) -> None:
    """Write the boards after the moves of N games as labels of squares.

    Args:
        played_fields: the fields of `Replayed`.
        bits: (S * S,), the number of each square's bit in a set.
        relative: (N, L, S * S), output: 0 for a disc of the player to move, 1 for an empty square, 2 for a disc of the
            other player, and -1 after the last move.
        board: (N, L, S * S), output: 0 for White, 1 for an empty square, 2 for Black, and -1 after the last move.
    """
    played = Replayed(*played_fields)
    one = np.uint64(1)
    for i in range(len(relative)):
        for k in range(min(played.moves[i], relative.shape[1])):
            own, opponent = played.own[i, k], played.opponent[i, k]
            for square in range(len(bits)):
                disc = np.int8((opponent >> bits[square]) & one) - np.int8((own >> bits[square]) & one)
                relative[i, k, square] = 1 + disc
            sign = np.int8(2 * played.to_move[i, k] - 1)
            for square in range(len(bits)):
                board[i, k, square] = 1 + sign * (relative[i, k, square] - 1)
        relative[i, played.moves[i] :] = -1
        board[i, played.moves[i] :] = -1


@kernel
def to_legal(played_fields: tuple[Any, ...], bits: npt.NDArray[np.uint64], legal: npt.NDArray[np.bool_]) -> None:
    """Write the legal tokens after the moves of N games.

    Args:
        played_fields: the fields of `Replayed`.
        bits: (B,), the number of the bit of the square of each token from 1. If B is V - 1, all tokens are squares;
            otherwise the last token is the pass.
        legal: (N, L, V), output: whether each token may follow.
    """
    played = Replayed(*played_fields)
    one, last = np.uint64(1), legal.shape[2] - 1
    legal[:, :, 0] = False
    for i in range(len(legal)):
        for k in range(min(played.moves[i], legal.shape[1])):
            squares = played.legal[i, k]
            for token in range(len(bits)):
                legal[i, k, token + 1] = (squares >> bits[token]) & one != _0
            if len(bits) < last:
                legal[i, k, last] = squares == _0 and not (played.ended[i] and k == played.moves[i] - 1)
        legal[i, played.moves[i] :] = False
