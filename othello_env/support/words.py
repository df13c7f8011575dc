"""Words in messages: a suggestion for a misspelled name, and scores and ratings as text."""

import difflib
import functools
import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

__all__ = [
    "elo_interval_text",
    "elo_text",
    "interval_text",
    "named_arguments",
    "near",
    "no_argument",
    "score_text",
]

_F = TypeVar("_F", bound=Callable[..., Any])


def near(name: str, known: Iterable[str]) -> str:
    """A suggestion for a wrong name: a text with the most similar known name, or a known
    name that is a word of the wrong one, or an empty text if none is similar.

    >>> near("alphabta", ["alphabeta", "random"])
    ' (did you mean alphabeta?)'
    >>> near("board_size", ["size", "opponent"])
    ' (did you mean size?)'
    """
    others = [other for other in known if other != name]
    close = difflib.get_close_matches(name, others, 1, 0.7) or [other for other in others if other in name.split("_")]
    return f" (did you mean {close[0]}?)" if close else ""


def named_arguments(function: _F) -> _F:
    """A decorator that names a misspelled argument, and the arguments that there are, in a TypeError.

    If the function takes a game and the caller writes ``size=6``, the error says how the size is written.
    """
    known = [name for name in inspect.signature(function).parameters if name != "self"]

    @functools.wraps(function)
    def call(*args: Any, **arguments: Any) -> Any:
        for name in arguments:
            if name not in known:
                advised = name == "size" and "game" in known
                raise TypeError('write game="othello:size=6" for size=6') if advised else no_argument(name, known)
        return function(*args, **arguments)

    return cast(_F, call)


def no_argument(name: str, known: Iterable[str]) -> TypeError:
    """Make the error for an argument that a function does not have. `known` are those that it has."""
    return TypeError(f"there is no argument {name}{near(name, known)}; the arguments are {', '.join(known)}")


def score_text(score: float) -> str:
    """A score from 0 to 1 as it is shown everywhere, with three decimals.

    >>> score_text(0.965), score_text(1.0)
    ('.965', '1.000')
    """
    return f"{score:.3f}".removeprefix("0")


def interval_text(low: float, high: float) -> str:
    """An interval of scores as it is shown everywhere.

    >>> interval_text(0.93, 0.983)
    '.930 to .983'
    """
    return f"{score_text(low)} to {score_text(high)}"


def elo_text(elo: float) -> str:
    """A rating as it is shown everywhere, in whole points. Halves are rounded away from 0, as on the browser page.

    >>> elo_text(1228.5), elo_text(-0.2)
    ('1229', '0')
    """
    return f"{math.nextafter(elo, math.copysign(math.inf, elo)):z.0f}"  # a half is now more than a half


def elo_interval_text(low: float, high: float) -> str:
    """An interval of ratings as it is shown everywhere.

    >>> elo_interval_text(1152.9, 1203.2)
    '1153 to 1203'
    """
    return f"{elo_text(low)} to {elo_text(high)}"
