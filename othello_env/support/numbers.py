"""Checks of the numbers that callers give."""

from operator import index
from typing import Any

__all__ = ["as_integer", "check_whole"]


def as_integer(value: Any) -> int | None:
    """The value as an int, or None if it is not an integer. NumPy's integers are accepted, but a bool is not."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def check_whole(name: str, value: Any, least: int, most: int) -> int:
    """Check that a value is a whole number from `least` to `most`, and return it as an int.

    NumPy's integers are accepted too. The error's message begins with `name`.

    Raises:
        TypeError: the value is not a whole number, or is a bool.
        ValueError: the value is out of range.
    """
    number = as_integer(value)
    if number is None:
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if not least <= number <= most:
        raise ValueError(f"{name} must be {least} to {most}, not {value}")
    return number
