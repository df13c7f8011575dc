"""What a position is worth to a player: the textbook evaluations, and how a spec finds one.

An evaluation is any function ``f(state, player) -> number``, from that player's side. What it has to fix before a
search, it may offer as ``at_root(state)``, which returns the evaluation for a search of that position. The tables and
their use are those of Norvig, Paradigms of Artificial Intelligence Programming, chapter 18. A spec names an
evaluation of this module (``eval=weighted``) or any other function (``eval=path.py:function``,
``eval=package.module:function``).
"""

from collections.abc import Callable
from functools import cache
from types import MappingProxyType
from typing import cast

from othello_agents.checkers import material, positional
from othello_agents.iago import iago
from othello_env.agent import WrongGameError
from othello_env.games import bitboard
from othello_env.games.checkers import Checkers
from othello_env.games.game import State
from othello_env.games.othello import Othello
from othello_env.imports import NotThereError, import_object

__all__ = [
    "EVALUATIONS",
    "LEAGUE_QUARTER",
    "NEAR_CORNER",
    "QUARTER",
    "Evaluate",
    "count",
    "evaluation_name",
    "find_evaluation",
    "mobility",
    "modified",
    "square_weights",
    "standard",
    "swh",
    "weighted",
]

_Quarter = tuple[tuple[int, ...], ...]
Evaluate = Callable[[State, int], float]
"""A position and a player to a number, the higher the better for that player."""

QUARTER = (
    (120, -20, 20, 5),
    (-20, -40, -5, -5),
    (20, -5, 15, 3),
    (5, -5, 3, 3),
)
"""The weights of the squares a1-d4. The other quarters mirror them; smaller boards take the first rows and columns."""

LEAGUE_QUARTER = (
    (100, -25, 10, 5),
    (-25, -25, 1, 1),
    (10, 1, 5, 2),
    (5, 1, 2, 1),
)
"""A hundred times those of the heuristic player of Yoshioka, Ishii and Ito (Strategy Acquisition for the Game Othello
Based on Reinforcement Learning, 1999), which the Othello League has as its opponent."""

NEAR_CORNER = 5
"""What `modified` counts for a disc beside an occupied corner."""


def count(state: State, player: int) -> int:
    """The player's discs (cells, pieces) less those of the best other player."""
    scores = state.scores()
    return scores[player] - max(score for other, score in enumerate(scores) if other != player)


def weighted(state: State, player: int) -> int:
    """Othello: the weights of the player's squares less those of the other's.

    Raises:
        ValueError: the game is another one.
    """
    return _weighted(state, player, "weighted", QUARTER)


def swh(state: State, player: int) -> int:
    """Othello: `weighted` with the weights of the Othello League's standard weighted heuristic, `LEAGUE_QUARTER`.

    Raises:
        ValueError: the game is another one.
    """
    return _weighted(state, player, "swh", LEAGUE_QUARTER)


def _weighted(state: State, player: int, name: str, quarter: _Quarter) -> int:
    size, mine, other = _sides(state, player, name)
    return sum(
        weight * ((mine & squares).bit_count() - (other & squares).bit_count())
        for weight, squares in _squares_by_weight(size, quarter).items()
    )


def modified(state: State, player: int) -> int:
    """Othello: `weighted`, but a disc next to an occupied corner counts 5 for its owner instead of its square's weight.

    Raises:
        ValueError: the game is another one.
    """
    size, mine, other = _sides(state, player, "modified")
    value = weighted(state, player)
    for corner, neighbours in _corners(size):
        if (mine | other) & corner:
            for square, weight in neighbours:
                value += (NEAR_CORNER - weight) * (bool(mine & square) - bool(other & square))
    return value


def mobility(state: State, player: int) -> int:
    """The number of moves, passes left out, that the player would have if it were to move."""
    return state.mobility(player)


def standard(state: State, player: int) -> int:
    """`weighted` in Othello, `positional` in checkers, `count` in any other game."""
    if isinstance(state, Othello):
        return weighted(state, player)
    return (positional if isinstance(state, Checkers) else count)(state, player)


EVALUATIONS: MappingProxyType[str, Evaluate] = MappingProxyType(
    {
        "count": count,
        "iago": iago,
        "material": material,
        "mobility": mobility,
        "modified": modified,
        "positional": positional,
        "standard": standard,
        "swh": swh,
        "weighted": weighted,
    }
)
"""The evaluations that a spec names."""


def find_evaluation(x: str | Evaluate) -> Evaluate:
    """An evaluation by its name, by ``path.py:function`` or ``package.module:function``, or the function itself.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: there is none of that name; the message has the right ones.
        TypeError: x, or what it names, cannot be called.
    """
    if isinstance(x, str):
        x = _named(x)
    if not callable(x):
        raise TypeError(f"an evaluation is a function of a state and a player, not {x!r}")
    return x


def _named(name: str) -> Evaluate:
    if name in EVALUATIONS:
        return EVALUATIONS[name]
    known = f"known are {', '.join(EVALUATIONS)}, path.py:function and package.module:function"
    try:
        found = import_object(name)
    except NotThereError as error:
        raise ValueError(f"there is no evaluation {name!r} ({error}); {known}") from None
    if found is None:
        raise ValueError(f"there is no evaluation {name!r}; {known}")
    return cast(Evaluate, found)


def evaluation_name(evaluate: Evaluate) -> str:
    """What `find_evaluation` finds an evaluation by, if it can be found by name."""
    for known, found in EVALUATIONS.items():
        if found is evaluate:
            return known
    name = getattr(evaluate, "__qualname__", None)
    return repr(evaluate) if name is None else f"{evaluate.__module__}:{name}"


@cache
def square_weights(size: int, quarter: _Quarter = QUARTER) -> tuple[int, ...]:
    """The weight of each square, row by row, on a board of that size."""
    near = [min(place, size - 1 - place) for place in range(size)]
    return tuple(quarter[row][column] for row in near for column in near)


@cache
def _squares_by_weight(size: int, quarter: _Quarter) -> dict[int, int]:
    """The set of squares that have each weight."""
    sets: dict[int, int] = {}
    for weight, bit in zip(square_weights(size, quarter), bitboard.ACTION_BITS[size], strict=False):
        sets[weight] = sets.get(weight, 0) | bit
    return sets


@cache
def _corners(size: int) -> list[tuple[int, list[tuple[int, int]]]]:
    """Each corner's bit, with the bits and weights of its three neighbours."""
    bits, weights = bitboard.ACTION_BITS[size], square_weights(size)

    def neighbours(row: int, column: int) -> list[tuple[int, int]]:
        rows, columns = (row, 1 if row == 0 else row - 1), (column, 1 if column == 0 else column - 1)
        places = [size * r + c for r in rows for c in columns if (r, c) != (row, column)]
        return [(bits[place], weights[place]) for place in places]

    last = size - 1
    return [(bits[size * row + column], neighbours(row, column)) for row in (0, last) for column in (0, last)]


def _sides(state: State, player: int, name: str) -> tuple[int, int, int]:
    """The board's size, the player's discs and the other's."""
    if not isinstance(state, Othello):
        raise WrongGameError(
            f"the evaluation {name!r} is for Othello, not for {type(state).__name__}; count is for any game"
        )
    if player == state.to_move:
        return state.size, state.own, state.opponent
    return state.size, state.opponent, state.own
