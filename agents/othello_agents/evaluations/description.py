"""The description of an evaluation: its function, name and game, and the data that the compiled searches need."""

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
    "at_root",
    "evaluation",
]

Evaluate = Callable[[Any, int], float]
"""A function that gives the value of a position for a player. A higher value is better for that player."""

Quarter = tuple[tuple[int, ...], ...]
"""The weights of the squares a1-d4, row by row. The other quarters of the board are mirror images of this quarter.
Smaller boards use only the first rows and columns."""

PieceWeight = Callable[[int, int, int, bool], int]
"""A function that gives the weight of a piece in checkers: ``f(size, rows from its own side, column, is a king)``."""

NO_TERM, NEAR_CORNERS, ONLY_MOVES = range(3)
"""The values of `SquareSum.term`: how compiled code computes a value in Othello. NO_TERM: the value is the player's sum
of weights minus the opponent's sum. NEAR_CORNERS: the same, but a disc beside an occupied corner counts 5 instead of
its square's weight, as in `othello_agents.evaluations.othello.modified`. This term works only with the weights of
`modified`. ONLY_MOVES: the value is the number of the player's moves."""


class SquareSum(NamedTuple):
    """An evaluation of Othello as data that compiled code reads."""

    quarter: Quarter
    """The weights of the squares. `term` says how the value is computed from these weights."""
    term: int = NO_TERM
    """NO_TERM, NEAR_CORNERS or ONLY_MOVES."""


class Evaluation:
    """A function of a position and a player, with its name, its game and the data that compiled code needs.

    A call first checks the game and the board's size. If the values depend on the root of the search, the function has
    a method ``at_root(state)``. This method takes the root and returns the function to use in the search.

    Args:
        function: gives the value of a position for a player.
        name: the name in a spec, which is a text that describes an agent (``minimax:eval=count``). The module of
            `function` must hold the evaluation in a variable of this name, because pickle looks for it there.
        game: the class of the positions that the function takes.
        sizes: the board sizes that the function takes; empty for all sizes.
        squares: the evaluation as data for Othello's compiled searches and for the engine. None if only Python can
            compute the values.
        pieces: the weights of the pieces, for the compiled search of checkers. None if only Python can compute the
            values.
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
            WrongGameError: the evaluation is for another game or board size.
        """
        self._check(state)
        return self.function(state, player)

    def at_root(self, state: State) -> Evaluate:
        """The function to use in a search from this position. The returned function does not check the game again.

        Raises:
            WrongGameError: the evaluation is for another game or board size.
        """
        self._check(state)
        return at_root(self.function, state)

    def _check(self, state: State) -> None:
        size = getattr(state, "size", None)
        if isinstance(state, self._game) and (not self._sizes or size in self._sizes):
            return
        sizes = f" of size {' or '.join(map(str, self._sizes))}" if self._sizes else ""
        shown = f"size {size}" if isinstance(state, self._game) else type(state).__name__
        raise WrongGameError(
            f"the evaluation {self.name!r} is for {self._game.__name__}{sizes}, not for {shown}; count is for any game"
        )


def at_root(evaluate: Evaluate, state: State) -> Evaluate:
    """The function to use in a search from this position (see `Evaluation`)."""
    fixed: Callable[[State], Evaluate] | None = getattr(evaluate, "at_root", None)
    return evaluate if fixed is None else fixed(state)


def evaluation(
    game: type[State] = State,
    *,
    squares: SquareSum | None = None,
    pieces: PieceWeight | None = None,
) -> Callable[[Evaluate], Evaluation]:
    """Turn the decorated function into an `Evaluation`. The function's name is the name of the evaluation."""

    def describe(function: Evaluate) -> Evaluation:
        return Evaluation(function, function.__name__, game, squares=squares, pieces=pieces)

    return describe
