"""The time that a side has left."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["LONGEST_SECONDS", "Clock"]

LONGEST_SECONDS = 1_000_000
"""The longest allowed time limit, in seconds (more than eleven days).

On many systems, functions that wait raise an error if a time limit is much longer than this.
"""


@dataclass(frozen=True, slots=True)
class Clock:
    """The seconds that a side has left when it is asked for a move.

    Attributes:
        game: the seconds for this move and all later moves together. Negative if the side has used more than its time.
            None if the game has no limit.
        move: the seconds for this move alone. None if a single move has no limit.

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
                raise ValueError(f"the seconds of a clock must be a number, not {limit}")

    @property
    def seconds(self) -> float | None:
        """The greatest number of seconds that this move may take; None if there is no limit."""
        return min((limit for limit in (self.game, self.move) if limit is not None), default=None)
