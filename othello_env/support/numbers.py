"""Checks of the numbers that callers give."""

from operator import index
from typing import Any

__all__ = ["check_whole"]


def check_whole(name: str, value: Any, least: int, most: int) -> int:
    """Check that a value is a whole number from `least` to `most`, and return it as an int.

    NumPy's integers are accepted too. The error's message begins with `name`.

    Raises:
        TypeError: the value is not a whole number, or is a bool.
        ValueError: the value is out of range.
    """
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if not least <= number <= most:
        raise ValueError(f"{name} must be {least} to {most}, not {value}")
    return number
