"""Labels of the boards for language models of games. The formats are those of Othello-GPT.

`othello_env.data.formats.tokens` describes Othello-GPT and its sequences of tokens. In Othello-GPT, a square has the
number ``8 * letter + digit``, and in this package ``8 * digit + letter``. So a board of Othello-GPT is a board of this
package with rows and columns swapped.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from othello_env.data import kernels
from othello_env.data.formats.archive import read_arrays
from othello_env.data.formats.tokens import VOCABULARY, from_tokens, tokens
from othello_env.data.games import Games, GamesError, check_standard
from othello_env.support.arrays import DAMAGE

__all__ = [
    "BLACK",
    "EMPTY",
    "VOCABULARY",
    "WHITE",
    "BoardSets",
    "Labels",
    "board_labels",
    "board_sets",
    "from_tokens",
    "tokens",
]

WHITE, EMPTY, BLACK = 0, 1, 2
"""The values of the squares in `Labels.board`."""


@dataclass(frozen=True)
class Labels:
    """Labels of the board after each move of N games, in the order of the games and moves.

    M is the number of moves in all games. A pass does not count as a move.

    Attributes:
        board: (M, 64) int8, the board after the move: WHITE, EMPTY or BLACK on each square, transposed as in
            Othello-GPT.
        relative: (M, 64) int8, the same board as in `board`, from the point of view of the player whose turn it is
            after the move. 0 is a disc of this player, 1 is an empty square, and 2 is a disc of the other player.
        legal: (M, 64) int8, 1 for each square where the next disc may be placed. If the next player must pass, these
            are the legal squares of the other player. If the game is over, all values are 0.
        game: (M,) int64, the number of the game, from 0.
        move: (M,) int32, the number of the move in its game, from 0.
    """

    board: npt.NDArray[np.int8]
    relative: npt.NDArray[np.int8]
    legal: npt.NDArray[np.int8]
    game: npt.NDArray[np.int64]
    move: npt.NDArray[np.int32]


@dataclass(frozen=True)
class BoardSets:
    """The same labels as in `Labels`, but stored as sets of squares, which take less memory.

    M is the number of moves in all N games. A set is an integer of 64 bits, one for each square. The bit of a square is
    1 if the square is in the set. The number of this bit is ``8 * letter + digit``, where `letter` and `digit` are the
    letter and the digit of the square's name, both counted from 0.

    Attributes:
        mine: (M,) uint64, the discs of the player whose turn it is after the move.
        yours: (M,) uint64, the other player's discs.
        legal: (M,) uint64, the squares where the next disc may be placed; see `Labels`.
        to_move: (M,) int8, the player whose turn it is: 0 is Black, 1 is White.
        moves: (N,) int8, the number of moves of each game. Passes do not count.
    """

    mine: npt.NDArray[np.uint64]
    yours: npt.NDArray[np.uint64]
    legal: npt.NDArray[np.uint64]
    to_move: npt.NDArray[np.int8]
    moves: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.mine)

    def labels(self) -> Labels:
        """The same labels in the form of `Labels`."""
        relative = (EMPTY - _squares(self.mine) + _squares(self.yours)).astype(np.int8)
        board = np.where(self.to_move[:, np.newaxis] == 0, 2 - relative, relative).astype(np.int8)
        game = np.repeat(np.arange(len(self.moves)), self.moves)
        first = np.cumsum(self.moves, dtype=np.int64) - self.moves
        move = (np.arange(len(game)) - first[game]).astype(np.int32)
        return Labels(board, relative, _squares(self.legal), game, move)

    @classmethod
    def load(cls, path: str | Path) -> BoardSets:
        """Read the labels from a file that ``othello-env data label --kind boards`` wrote.

        Raises:
            OSError: the file cannot be read.
            GamesError: the file has another format, it is damaged, or its arrays take more than 4 GiB.
        """
        try:
            with Path(path).open("rb") as file, zipfile.ZipFile(file) as archive:
                found = cls(**read_arrays(archive, [each.name for each in fields(cls)]))
        except FileNotFoundError:
            raise
        except GamesError as error:
            raise GamesError(f"{path}: {error}") from None
        except (*DAMAGE, KeyError, TypeError) as error:
            raise GamesError(f"{path}: this is no file of labels of boards, or it is damaged: {error}") from None
        kinds = [array.dtype for array in vars(found).values()]
        shapes = {array.shape for array in (found.mine, found.yours, found.legal, found.to_move)}
        is_sound = kinds == [np.uint64] * 3 + [np.int8] * 2 and found.moves.ndim == 1 and (found.moves >= 0).all()
        if not is_sound or shapes != {(int(found.moves.sum()),)}:
            raise GamesError(f"{path}: the arrays of this file of labels do not fit together")
        return found


def board_labels(games: Games) -> Labels:
    """Label the board after each move. All labels are in memory at once: 204 bytes for each move.

    Raises:
        ValueError: the games are not of Othello on 8x8 from the usual start.
        GamesError: a move is illegal.
    """
    return board_sets(games).labels()


def board_sets(games: Games) -> BoardSets:
    """Label the board after each move. The labels are sets of squares and take 25 bytes for each move.

    Raises:
        ValueError: the games are not of Othello on 8x8 from the usual start.
        GamesError: a move is illegal.
    """
    check_standard(games, "labels of boards are for")
    games.check()
    total = int(((games.actions >= 0) & (games.actions < 64)).sum())
    mine, yours, legal = np.empty((3, total), np.uint64)
    to_move, moves = np.empty(total, np.int8), np.empty(len(games), np.int8)
    kernels.board_sets(games.actions, games.lengths, mine, yours, legal, to_move, moves)
    return BoardSets(mine, yours, legal, to_move, moves)


def _squares(sets: npt.NDArray[np.uint64]) -> npt.NDArray[np.int8]:
    """M sets of squares as an array (M, 64) int8, with 1 for each square in the set."""
    bits = np.unpackbits(np.ascontiguousarray(sets, "<u8").view(np.uint8), bitorder="little")
    return bits.view(np.int8).reshape(-1, 64)
