"""Games as sequences of tokens for language models, in the form of Othello-GPT, and labels of the boards.

The form is that of likenneth/othello_world (Li and others, Emergent World Representations, 2023): a game is its list of
squares without passes. Tokens 1 to 60 are the squares without the four in the middle, in ascending order. Token 0 fills
the sequence after the last move. The number of a square in this form is ``8 * letter + digit``, both counted from 0. So
its boards are those of this package, transposed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from othello_env.data import kernels
from othello_env.data.games import Games, GamesError, othello_positions
from othello_env.games.othello.position import Othello, planes_of
from othello_env.games.othello.positions import OthelloPositions

__all__ = ["BLACK", "EMPTY", "VOCABULARY", "WHITE", "Labels", "board_labels", "from_tokens", "tokens"]

VOCABULARY = 61
"""The number of tokens: 60 squares and the token 0, which fills a sequence."""

WHITE, EMPTY, BLACK = 0, 1, 2
"""The values of the squares in a board's label."""

_MIDDLE = (27, 28, 35, 36)
_SQUARES = np.array([square for square in range(64) if square not in _MIDDLE])
_OURS = 8 * (_SQUARES % 8) + _SQUARES // 8  # for each token from 1 on, this package's action: the transposed square
_TOKENS = np.zeros(65, np.int8)
_TOKENS[_OURS] = np.arange(1, 61)


@dataclass(frozen=True)
class Labels:
    """Labels of the boards after each of the M moves of N games, without passes, in the order of games and moves.

    Attributes:
        board: (M, 64) int8, the board after the move: WHITE, EMPTY or BLACK on each square, transposed as in
            Othello-GPT.
        relative: (M, 64) int8, the same board for the player to move after the move: 0 is the player's own disc, EMPTY
            is 1, and 2 is the other player's disc.
        legal: (M, 64) int8, 1 for each square where the next disc may be placed. If the player to move must pass, these
            are the other player's squares. All 0 if the game is over.
        game: (M,) int64, the number of the game.
        move: (M,) int32, the number of the move in its game, from 0.
    """

    board: npt.NDArray[np.int8]
    relative: npt.NDArray[np.int8]
    legal: npt.NDArray[np.int8]
    game: npt.NDArray[np.int64]
    move: npt.NDArray[np.int32]


def tokens(games: Games) -> npt.NDArray[np.int8]:
    """The sequences of N games, ``x`` (N, 60) int8. A model trains on ``x[:, :59]`` with the targets ``x[:, 1:]``.

    Raises:
        ValueError: the games are not of Othello on 8x8 from the usual start.
        GamesError: a move is illegal.
    """
    _check(games)
    games.check()
    placed = (games.actions >= 0) & (games.actions < 64)
    game, ply = np.nonzero(placed)
    found = np.zeros((len(games), 60), np.int8)
    found[game, np.cumsum(placed, axis=1)[game, ply] - 1] = _TOKENS[games.actions[game, ply]]
    return found


def from_tokens(sequences: npt.ArrayLike) -> Games:
    """The games of sequences of tokens (N, L), with passes added.

    Raises:
        ValueError: the shape is wrong, a token is not a number from 0 to 60, or a move follows a 0.
        GamesError: a move is illegal.
    """
    given = np.asarray(sequences)
    if given.ndim != 2 or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"expected integers (N, L), got {given.dtype} of shape {given.shape}")
    if given.size and not 0 <= given.min() <= given.max() < VOCABULARY:
        raise ValueError(f"tokens are 0 to {VOCABULARY - 1}, got {given.min()} to {given.max()}")
    n = len(given)
    if ((given[:, :-1] == 0) & (given[:, 1:] > 0)).any():
        raise ValueError("the token 0 fills the end of a sequence, but here a move follows it")
    squares = np.where(given > 0, _OURS[np.maximum(given, 1) - 1], -1).astype(np.int8)
    actions, lengths = np.empty((n, kernels.LONGEST), np.int8), np.empty(n, np.int32)
    wrong = np.empty(n, np.int32)
    start = Othello()
    own, opponent = np.full(n, np.uint64(start.own)), np.full(n, np.uint64(start.opponent))
    kernels.add_passes(squares, own, opponent, np.uint64(2**64 - 1), 8, actions, lengths, wrong)
    for i in np.flatnonzero(wrong >= 0)[:1].tolist():
        raise GamesError(f"game {i + 1}, move {wrong[i] + 1}: token {given[i, wrong[i]]} is not a legal move")
    return Games(actions, lengths)


def board_labels(games: Games) -> Labels:
    """The labels of the boards after each move. All are in memory at once, 204 bytes for each move.

    Raises:
        ValueError: the games are not of Othello on 8x8 from the usual start.
        GamesError: a move is illegal.
    """
    _check(games)
    games.check()
    # The position after a move is the position before the next action. So a pass is added at the end of each game.
    longer = np.concatenate([games.actions, np.full((len(games), 1), -1, np.int8)], axis=1)
    longer[np.arange(len(games)), games.lengths] = 64
    boards, game, ply = othello_positions(Games(longer, games.lengths + 1))
    own, opponent, to_move = boards.own, boards.opponent, boards.to_move
    after = np.flatnonzero(ply > 0)
    after = after[longer[game[after], ply[after] - 1] < 64]  # only positions after a disc, not after a pass
    own, opponent, to_move, game = own[after], opponent[after], to_move[after], game[after]
    planes = _transposed(planes_of(np.stack([own, opponent], axis=1).astype("<u8"), 8))
    relative = EMPTY - planes[:, 0] + planes[:, 1]
    board = np.where(to_move[:, np.newaxis] == 0, 2 - relative, relative).astype(np.int8)
    legal = OthelloPositions(own, opponent, to_move, np.zeros(len(own), np.uint64)).legal
    passing = legal == 0
    reply = OthelloPositions(opponent, own, to_move, np.zeros(len(own), np.uint64)).legal
    next_squares = np.where(passing, reply, legal)
    moves = (np.arange(len(game)) - np.searchsorted(game, game)).astype(np.int32)
    return Labels(board, relative, _transposed(planes_of(next_squares.astype("<u8"), 8)), game, moves)


def _transposed(planes: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    return np.ascontiguousarray(planes.swapaxes(-1, -2)).reshape(*planes.shape[:-2], 64)


def _check(games: Games) -> None:
    if str(games.rules) != "othello" or any(start != games.rules.start(0) for start in games.starts):
        raise ValueError(f"sequences are for othello on 8x8 from the usual start, not for {games.rules}")
