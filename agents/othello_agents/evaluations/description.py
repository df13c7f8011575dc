"""The description of an evaluation: its function, its name, its game, and what the compiled searches need of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from othello_env.games.game import State, WrongGameError

__all__ = [
    "NEAR_CORNERS",
    "NO_TERM",
    "ONLY_MOVES",
    "Evaluate",
    "Evaluation",
    "PieceWeight",
    "Quarter",
    "SquareSum",
    "evaluation",
]

Evaluate = Callable[[Any, int], float]
"""A position and a player to a number: the higher, the better for that player."""

Quarter = tuple[tuple[int, ...], ...]
"""The weights of the squares a1-d4, row by row. The other quarters mirror them; smaller boards take the first rows and
columns."""

PieceWeight = Callable[[int, int, int, bool], int]
"""The weight of a piece in checkers: ``f(size, rows from its own side, column, is a king)``."""

NO_TERM, NEAR_CORNERS, ONLY_MOVES = range(3)
"""What the Othello kernels do with the balance of square weights. NO_TERM: it is the value. NEAR_CORNERS, for the
weights of `othello_agents.evaluations.othello.modified` only: discs beside occupied corners count as they do there.
ONLY_MOVES: the value is the number of the player's moves instead."""


class SquareSum(NamedTuple):
    """An evaluation of Othello as the kernels compute it."""

    quarter: Quarter
    """The weights of the squares; the value is the player's sum less the other's."""
    term: int = NO_TERM
    """NO_TERM, NEAR_CORNERS or ONLY_MOVES."""


class Evaluation:
    """A function of a position and a player, with its name, its game, and what the kernels need to compute the same.

    A call checks the game first. A function whose values depend on the root of the search has a method
    ``at_root(state)``, which returns the function for a search of that position.

    Args:
        function: gives the value of a position for a player.
        name: what a spec calls it; the module that defines it must call it by this name too, so that it can be pickled.
        game: the class of the positions that it takes.
        sizes: of the boards that it takes; empty for all.
        squares: how the compiled searches of Othello and the engine compute it; None if only Python can.
        pieces: how the compiled search of checkers computes it; None if only Python can.
    """

    def __init__(
        self,
        function: Evaluate,
        name: str,
        game: type[State] = State,
        sizes: tuple[int, ...] = (),
        squares: SquareSum | None = None,
        pieces: PieceWeight | None = None,
    ) -> None:
        self.function = function
        self.name = name
        self.squares = squares
        self.pieces = pieces
        self._game = game
        self._sizes = sizes
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__

    def __repr__(self) -> str:
        return f"<Evaluation {self.name}>"

    def __reduce__(self) -> str:
        return self.name

    def __call__(self, state: State, player: int) -> float:
        """The value of a position for a player.

        Raises:
            WrongGameError: the evaluation is for another game, or another size of it.
        """
        self._check(state)
        return self.function(state, player)

    def at_root(self, state: State) -> Evaluate:
        """The function for a search of this position, which no longer checks the game.

        Raises:
            WrongGameError: as for a call.
        """
        self._check(state)
        fixed = getattr(self.function, "at_root", None)
        return self.function if fixed is None else fixed(state)

    def _check(self, state: State) -> None:
        size = getattr(state, "size", None)
        if isinstance(state, self._game) and (not self._sizes or size in self._sizes):
            return
        sizes = f" of size {' or '.join(map(str, self._sizes))}" if self._sizes else ""
        shown = f"size {size}" if isinstance(state, self._game) else type(state).__name__
        raise WrongGameError(
            f"the evaluation {self.name!r} is for {self._game.__name__}{sizes}, not for {shown}; count is for any game"
        )


def evaluation(
    game: type[State] = State,
    *,
    squares: SquareSum | None = None,
    pieces: PieceWeight | None = None,
) -> Callable[[Evaluate], Evaluation]:
    """Make an `Evaluation` of the function below this decorator, under the function's own name."""

    def describe(function: Evaluate) -> Evaluation:
        return Evaluation(function, function.__name__, game, squares=squares, pieces=pieces)

    return describe
