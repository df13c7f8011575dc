"""Evaluations by name: those for any game, and how a spec finds one.

An evaluation is any function ``f(state, player) -> number``, from that player's side. What it has to fix before a
search, it may offer as ``at_root(state)``, which returns the evaluation for a search of that position. A spec names an
evaluation of this package (``eval=weighted``) or any other function (``eval=path.py:function``,
``eval=package.module:function``).
"""

from collections.abc import Callable
from types import MappingProxyType
from typing import cast

from othello_agents.evaluations.checkers import material, positional
from othello_agents.evaluations.iago import iago
from othello_agents.evaluations.othello import modified, swh, weighted
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import State
from othello_env.games.othello.position import Othello
from othello_env.support.imports import NotThereError, import_object

__all__ = [
    "EVALUATIONS",
    "Evaluate",
    "count",
    "evaluation_name",
    "find_evaluation",
    "mobility",
    "standard",
]

Evaluate = Callable[[State, int], float]
"""A position and a player to a number, the higher the better for that player."""


def count(state: State, player: int) -> int:
    """The player's discs (cells, pieces) less those of the best other player."""
    scores = state.scores()
    return scores[player] - max(score for other, score in enumerate(scores) if other != player)


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
