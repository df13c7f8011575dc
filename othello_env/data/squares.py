"""Games of Othello as lists of squares without passes.

Some file formats store games as such lists. The sequences of tokens for language models are such lists, too.

Letters for shapes: N = games, K = the largest number of moves in a game, M = discs that are placed in all games.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from othello_env.data import kernels
from othello_env.data.games import Games
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello

__all__ = ["check_standard", "placed_discs", "with_passes"]


def check_standard(games: Games, what: str) -> None:
    """Check that games are of Othello on 8x8 and begin at the usual start.

    Args:
        games: the games.
        what: the beginning of the error message, such as ``"WTHOR files have"``.

    Raises:
        ValueError: the games are of another kind, or begin at another position.
    """
    if str(games.rules) != "othello" or not games.begin_as_usual:
        found = f"games of {games.rules}" if games.begin_as_usual else f"games of {games.rules} from other positions"
        raise ValueError(f"{what} games of othello on 8x8 from the usual start, not {found}")


def placed_discs(games: Games) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The discs that are placed in games on 8x8, in the order of the games and moves.

    Returns:
        Three arrays (M,) int64. For each disc, the first array has the index of the game, the second has the number of
        the move in this game, and the third has the square. Moves are counted from 0, and passes do not count.
    """
    placed = (games.actions >= 0) & (games.actions < 64)
    game, ply = np.nonzero(placed)
    return game, np.cumsum(placed, axis=1)[game, ply] - 1, games.actions[game, ply].astype(np.int64)


def with_passes(
    squares: npt.NDArray[np.int8], start: Othello
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Add the passes to N games of Othello that are given as lists of squares.

    Args:
        squares: (N, K), the squares of each game's moves in order; -1 after the last move.
        start: the position in which all games begin.

    Returns:
        Three arrays. The first array, (N, LONGEST) int8, has the actions of each game, and -1 after the last action.
        The second array, (N,) int32, has the number of actions of each game. The third array, (N,) int32, has the
        number of each game's first illegal move, counted from 0; -1 if all moves are legal. The actions of a game end
        before its first illegal move.
    """
    n, size = len(squares), start.size
    own, opponent = np.full(n, np.uint64(start.own)), np.full(n, np.uint64(start.opponent))
    actions, lengths, wrong = np.empty((n, kernels.LONGEST), np.int8), np.empty(n, np.int32), np.empty(n, np.int32)
    kernels.add_passes(squares, own, opponent, bitboard.BOARDS[size], size, actions, lengths, wrong)
    return actions, lengths, wrong
