"""The time that a side may use in a game, and the time that it has left."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from othello_env.games.game import check_text
from othello_env.support.numbers import check_flag, check_real

__all__ = ["LONGEST_SECONDS", "Clock", "TimeControl"]

LONGEST_SECONDS = 1_000_000
"""The longest allowed time limit, in seconds (more than eleven days).

On many systems, functions that wait raise an error if a time limit is much longer than this.
"""
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)(/move)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


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


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time that each side has, for the whole game or for each move.

    Attributes:
        seconds: the number of seconds.
        per_move: True if a side has these seconds for each move, False if it has them for the whole game.

    >>> TimeControl.parse("30m"), str(TimeControl.parse("100ms/move"))
    (TimeControl(seconds=1800.0, per_move=False), '0.1s/move')
    """

    seconds: float
    per_move: bool = False

    def __post_init__(self) -> None:
        check_real("seconds", self.seconds)
        check_flag("per_move", self.per_move)
        if not 0 < self.seconds <= LONGEST_SECONDS:
            raise ValueError(f"a clock has more than 0 and at most {LONGEST_SECONDS:,} seconds, not {self.seconds}")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """The time control that a text describes.

        The text is a number with the unit ms, s, m or h, such as ``30m``. If ``/move`` follows, the time is for each
        move.

        Raises:
            TypeError: `text` is not a string.
            ValueError: the text does not have this form, or the time is zero or too long.
        """
        match = _TIME.fullmatch(check_text(text, "a time").strip())
        if match is None:
            raise ValueError(f"expected a time such as 100ms, 2.5s or 30m, perhaps with /move, got {text!r}")
        return cls(float(match[1]) * _UNITS[match[2]], match[3] is not None)

    def __str__(self) -> str:
        return f"{self.seconds:.12g}s{'/move' if self.per_move else ''}"

    def left(self, used: float) -> Clock:
        """The clock of a side that has used this number of seconds in the game so far."""
        return Clock(move=self.seconds) if self.per_move else Clock(game=self.seconds - check_real("used", used))
