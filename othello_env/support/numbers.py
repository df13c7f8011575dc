"""Checks of the arguments that callers give: counts, numbers, flags, lists and objects of a class.

A value of the wrong type raises a TypeError, and a value out of range raises a ValueError. The error's message begins
with the name of the argument.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Real
from operator import index
from typing import Any, TypeVar, cast

import numpy as np

from othello_env.support.words import near

__all__ = [
    "as_integer",
    "as_real",
    "check_each",
    "check_flag",
    "check_integer",
    "check_real",
    "check_type",
    "check_whole",
    "check_workers",
    "is_ordered",
    "named_arguments",
    "no_argument",
]

_F = TypeVar("_F", bound=Callable[..., Any])
_T = TypeVar("_T")


def as_integer(value: Any) -> int | None:
    """The value as an int, or None if it is not an integer. NumPy's integers are accepted, but a bool is not."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def check_integer(name: str, value: Any) -> int:
    """Check that a value is a whole number, and return it as an int. NumPy's integers are accepted too.

    Raises:
        TypeError: the value is not a whole number, or is a bool.
    """
    number = as_integer(value)
    if number is None:
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    return number


def as_real(value: Any) -> float | None:
    """The value as a float, or None if it is not a finite real number. NumPy's numbers are accepted, a bool is not."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Check that a value is a whole number from `least` to `most`, and return it as an int.

    NumPy's integers are accepted too. With None, `most` sets no limit.

    Raises:
        TypeError: the value is not a whole number, or is a bool.
        ValueError: the value is out of range.
    """
    number = check_integer(name, value)
    if number < least or (most is not None and number > most):
        expected = f"at least {least}" if most is None else f"{least} to {most}"
        raise ValueError(f"{name} must be {expected}, not {value}")
    return number


def check_workers(workers: int | None) -> None:
    """Check a number of workers. None means the default number.

    Raises:
        TypeError: the number is not an integer, or is a bool.
        ValueError: the number is less than 1.
    """
    if workers is not None:
        check_whole("workers", workers, 1)


def check_real(name: str, value: Any, least: float = -math.inf, most: float = math.inf) -> float:
    """Check that a value is a finite real number from `least` to `most`, and return it as a float.

    NumPy's numbers are accepted too.

    Raises:
        TypeError: the value is not a real number, or is a bool.
        ValueError: the value is out of range, infinite or not a number (nan).
    """
    number = as_real(value)
    if number is None and (isinstance(value, bool) or not isinstance(value, Real)):
        raise TypeError(f"{name} must be a number, not {value!r}")
    if number is None or not least <= number <= most:
        if most < math.inf:
            expected = f"{least:g} to {most:g}"
        else:
            expected = "a finite number" + f" of at least {least:g}" * (least > -math.inf)
        raise ValueError(f"{name} must be {expected}, not {value}")
    return number


def check_flag(name: str, value: Any) -> bool:
    """Check that a value is True or False, and return it as a bool. NumPy's bools are accepted too.

    Raises:
        TypeError: the value is not a bool.
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def check_type(name: str, value: _T, kind: type[Any]) -> _T:
    """Check that a value is an object of a class, and return it.

    Raises:
        TypeError: the value is of another class.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be of type {kind.__name__}, not {value!r:.80} of type {type(value).__name__}")
    return value


def check_each(name: str, values: Iterable[_T], kind: type[Any]) -> Iterator[_T]:
    """Check that each of the values is an object of a class, and yield it.

    Raises:
        TypeError: a value is of another class, or `values` is not iterable.
    """
    for value in check_type(name, values, Iterable):
        yield check_type(f"each of {name}", value, kind)


def is_ordered(values: Any) -> bool:
    """Whether a value is a list, or another iterable of items in an order that the caller chose.

    A text, a set and a dict are not. A set would give other results with the same seed, because its order differs
    between processes. The values of a dict look like weights, and they would be ignored.
    """
    return isinstance(values, Iterable) and not isinstance(values, str | bytes | bytearray | set | frozenset | Mapping)


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
