"""Numbers that scripts take from the command line, for argparse: ``parser.add_argument("--games", type=whole(1))``."""

from argparse import ArgumentTypeError
from collections.abc import Callable

__all__ = ["real", "whole"]


def whole(least: int, most: int = 10**9) -> Callable[[str], int]:
    """Reads whole numbers within bounds; for anything else argparse says what was expected and what came."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise ArgumentTypeError(f"expected a whole number from {least} to {most}, got {text!r}")
        return number

    return read


def real(least: float, most: float = 1e9) -> Callable[[str], float]:
    """Reads finite numbers within bounds; for anything else argparse says what was expected and what came."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not least <= number <= most:  # as of nan
            raise ArgumentTypeError(f"expected a number from {least:g} to {most:g}, got {text!r}")
        return number

    return read
