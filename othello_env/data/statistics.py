"""How games ended, and numbers about many games.

Letters for shapes: N = games, P = players.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Ends", "Statistics"]


@dataclass(frozen=True)
class Ends:
    """How N games ended.

    Attributes:
        over: (N,) bool, whether each game is over in its last position.
        returns: (N, P) float32, each player's result, such as +1 for a win; 0 in unfinished games.
        margins: (N, P) float32, each player's lead at the end, in the unit of the game's scores, such as discs. The
            lead is negative for a loss, and 0 in unfinished games.
    """

    over: npt.NDArray[np.bool_]
    returns: npt.NDArray[np.float32]
    margins: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Statistics:
    """Numbers about games of two players.

    The shares (from 0 to 1) and the margin are computed from the finished games only.

    Attributes:
        games: the number of games.
        finished: the number of games that are over.
        first_wins: the share of games that the first player won.
        second_wins: the share of games that the second player won.
        draws: the share of games that ended in a draw.
        margin: the mean lead of the first player at the end of the game (in Othello, in discs). It is negative if the
            second player was ahead on average.
        plies: the mean number of plies of a game, passes included. Unfinished games also count.
        passes: the mean number of passes of a game. Unfinished games also count.
    """

    games: int
    finished: int
    first_wins: float
    second_wins: float
    draws: float
    margin: float
    plies: float
    passes: float

    @classmethod
    def of(cls, parts: Iterable[Statistics]) -> Statistics:
        """Combine the statistics of several parts into the statistics of all their games."""
        given = list(parts)
        games, finished = sum(each.games for each in given), sum(each.finished for each in given)

        def mean(name: str, weight: str, total: int) -> float:
            known = [each for each in given if getattr(each, weight)]
            return sum(getattr(each, name) * getattr(each, weight) for each in known) / total if total else float("nan")

        names = ("first_wins", "second_wins", "draws", "margin")
        shares = {name: mean(name, "finished", finished) for name in names}
        return cls(
            games, finished, **shares, plies=mean("plies", "games", games), passes=mean("passes", "games", games)
        )
