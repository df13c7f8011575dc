"""What a side's clock shows."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["LONGEST_SECONDS", "Clock"]

LONGEST_SECONDS = 1_000_000
"""Eleven days. No limit has to be longer, and systems cannot wait for much longer at once."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The seconds that a side has left when it is asked for a move.

    Attributes:
        game: for this move and all its later ones, none left if it is negative; None without such a limit.
        move: for this move; None without such a limit.

    Raises:
        ValueError: a limit is NaN.

    >>> Clock(game=60.0, move=5.0).seconds
    5.0
    """

    game: float | None = None
    move: float | None = None

    def __post_init__(self) -> None:
        for limit in (self.game, self.move):
            if limit is not None and math.isnan(limit):
                raise ValueError(f"a clock shows a number of seconds, not {limit}")

    @property
    def seconds(self) -> float | None:
        """The most that this move may take; None without a limit."""
        return min((limit for limit in (self.game, self.move) if limit is not None), default=None)
