"""What an evaluation is, and how it is found by its name.

An `Evaluation` is a function with its name, its game and the data that the compiled searches need. A spec is a text
that describes an agent, such as ``minimax:eval=weighted``. Its option ``eval`` names a registered evaluation, or any
other function of a position and a player (``eval=path.py:function``, ``eval=package.module:function``). To add an
evaluation to this package, define an `Evaluation` in a file, and list it in `PACKAGED` in the package's ``__init__``.
To add an evaluation from another package, call `register`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from othello_env.games.game import State, WrongGameError
from othello_env.support.imports import NotThereError, import_object
from othello_env.support.words import near

__all__ = [
    "EVALUATIONS",
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
    "evaluation_name",
    "evaluation_unit",
    "find_evaluation",
    "register",
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
its square's weight, as in `othello_agents.evaluations.boards.modified`. This term works only with the weights of
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


_registered: dict[str, Evaluation] = {}
EVALUATIONS: MappingProxyType[str, Evaluation] = MappingProxyType(_registered)
"""All registered evaluations. The keys are their names."""


def register(evaluation: Evaluation) -> None:
    """Add an evaluation to `EVALUATIONS`, so that specs can name the evaluation.

    Raises:
        ValueError: another evaluation has this name.
    """
    if _registered.setdefault(evaluation.name, evaluation) is not evaluation:
        raise ValueError(f"another evaluation is already named {evaluation.name!r}")


def find_evaluation(x: str | Evaluate) -> Evaluate:
    """The evaluation that a text names. If `x` is a function, it is returned unchanged.

    The text is a registered name, ``path.py:function`` or ``package.module:function``.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: there is no evaluation of that name; the message lists the known names.
        TypeError: x, or the object that x names, cannot be called.
    """
    if isinstance(x, str):
        x = _named(x)
    if not callable(x):
        raise TypeError(f"an evaluation must be a function of a state and a player, not {x!r}")
    return x


def _named(name: str) -> Evaluate:
    if name in EVALUATIONS:
        return EVALUATIONS[name]
    known = f"known are {', '.join(sorted(EVALUATIONS))}, path.py:function and package.module:function"
    try:
        function = import_object(name)
    except NotThereError as error:
        raise ValueError(f"there is no evaluation {name!r} ({error}); {known}") from None
    if function is None:
        raise ValueError(f"there is no evaluation {name!r}{near(name, EVALUATIONS)}; {known}")
    return cast(Evaluate, function)


def evaluation_unit(evaluate: Evaluate) -> str:
    """The unit of an evaluation's values, as text."""
    name = evaluation_name(evaluate)
    named = {"count": "pieces ahead", "mobility": "moves"}
    return named.get(name, "points of the weights" if name in EVALUATIONS else "value")


def evaluation_name(evaluate: Evaluate) -> str:
    """The text with which `find_evaluation` finds this evaluation. If it has no name, the text is its `repr`."""
    if isinstance(evaluate, Evaluation):
        return evaluate.name
    name = getattr(evaluate, "__qualname__", None)
    return repr(evaluate) if name is None else f"{evaluate.__module__}:{name}"
