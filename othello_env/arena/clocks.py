"""How long an agent may think."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Clock"]

_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)(/move)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of one side.

    Attributes:
        seconds: that it has.
        per_move: for each move, and not for the whole game.

    >>> Clock.parse("30m"), str(Clock.parse("100ms/move"))
    (Clock(seconds=1800.0, per_move=False), '0.1s/move')
    """

    seconds: float
    per_move: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.seconds < float("inf"):
            raise ValueError(f"a clock has a positive number of seconds, not {self.seconds}")

    @classmethod
    def parse(cls, text: str) -> Clock:
        """The clock that a text shows: a number with its unit ms, s, m or h, and perhaps ``/move``.

        Raises:
            ValueError: the text shows no time.
        """
        match = _TIME.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"expected a time such as 100ms, 2.5s or 30m, perhaps with /move, got {text!r}")
        return cls(float(match[1]) * _UNITS[match[2]], match[3] is not None)

    def __str__(self) -> str:
        return f"{self.seconds:.12g}s{'/move' if self.per_move else ''}"

    def left(self, used: float) -> float:
        """The seconds that a side has for its move after having used some in the game so far."""
        return self.seconds if self.per_move else self.seconds - used
