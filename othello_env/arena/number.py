"""A measured number, and how ratings, scores, shares and other numbers are written, in texts and in JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from othello_env.drawing.charts import Row

__all__ = ["FORMS", "Form", "Number", "elo_text", "interval_text", "score_text"]


def score_text(score: float) -> str:
    """A score from 0 to 1 as it is shown everywhere, with three decimals.

    >>> score_text(0.965), score_text(1.0)
    ('.965', '1.000')
    """
    return f"{score:.3f}".removeprefix("0")


def elo_text(elo: float) -> str:
    """A rating as it is shown everywhere, in whole points. Halves are rounded away from 0, as on the browser page.

    >>> elo_text(1228.5), elo_text(-0.2)
    ('1229', '0')
    """
    return f"{math.nextafter(elo, math.copysign(math.inf, elo)):z.0f}"  # a half is now more than a half


_LARGEST = 1e12


@dataclass(frozen=True)
class Form:
    """A kind of number.

    Attributes:
        text: writes the number.
        better: 1 if more is better, -1 if less is better.
        least: the number is never less.
        most: the number is never more.
    """

    text: Callable[[float], str]
    better: int = 1
    least: float = -math.inf
    most: float = math.inf


FORMS = {
    "elo": Form(elo_text),
    "score": Form(score_text, least=0.0, most=1.0),
    "share": Form("{:.1%}".format, least=0.0, most=1.0),
    "discs": Form("{:.2f}".format, better=-1, least=0.0),
    "margin": Form("{:+.1f}".format),
    "count": Form("{:,.0f}".format, better=-1, least=0.0),
    "seconds": Form("{:.3g}".format, better=-1, least=0.0),
    "cost": Form("{:.4g}".format, better=-1, least=0.0),
}
"""The kinds of numbers: Elo ratings; scores and shares from 0 to 1; discs that are lost; mean differences in discs;
counts, seconds and costs of which less is better."""


def interval_text(low: float, high: float, form: str = "score") -> str:
    """An interval as it is shown everywhere. An infinite end is no limit.

    >>> interval_text(0.93, 0.983), interval_text(1152.9, float("inf"), "elo")
    ('.930 to .983', 'at least 1153')
    """
    text = FORMS[form].text
    if math.isinf(low):
        return "no limit found" if math.isinf(high) else f"at most {text(high)}"
    return f"at least {text(low)}" if math.isinf(high) else f"{text(low)} to {text(high)}"


@dataclass(frozen=True)
class Number:
    """A number that was measured.

    Attributes:
        name: what it is, such as ``discs lost a move``.
        game: the game in which it was measured, such as ``othello:size=6``.
        value: the number. None if there is none, for example no rating because all games were forfeited.
        form: a name in `FORMS`.
        low: the lower end of the 95% interval. It is minus infinity if nothing limits the number from below, and None
            if the number has no interval.
        high: the upper end of the 95% interval, like `low`.
        chance: what was expected: by the agent's rating, or of random moves. None if nothing was.
    """

    name: str
    game: str
    value: float | None
    form: str
    low: float | None = None
    high: float | None = None
    chance: float | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.text}"

    @property
    def is_limit(self) -> bool:
        """Whether nothing limits the number from below or from above, so that only the other end is known."""
        return self.low is not None and self.high is not None and math.isinf(self.high - self.low)

    @property
    def shown(self) -> float | None:
        """The value; if the number has only one limit, this limit. None if it has neither."""
        if not self.is_limit:
            return self.value
        assert self.low is not None
        assert self.high is not None
        ends = [end for end in (self.low, self.high) if math.isfinite(end)]
        return ends[0] if ends and self.value is not None else None

    @property
    def value_text(self) -> str:
        """The value; ``-`` if there is none, or if nothing limits it from below."""
        return "-" if self.value is None or self.low == -math.inf else FORMS[self.form].text(self.value)

    @property
    def interval_text(self) -> str:
        """The 95% interval; an empty text if there is none."""
        return "" if self.low is None or self.high is None else interval_text(self.low, self.high, self.form)

    @property
    def chance_text(self) -> str:
        """What was expected; an empty text if nothing was."""
        return "" if self.chance is None else FORMS[self.form].text(self.chance)

    @property
    def brief(self) -> str:
        """The value and its interval in a few words, such as ``484 (459 to 509)``, or ``at least 146``."""
        if self.is_limit:
            return self.interval_text
        return f"{self.value_text} ({self.interval_text})" if self.interval_text else self.value_text

    @property
    def text(self) -> str:
        """The value and its interval, such as ``484, 95% interval 459 to 509``."""
        if self.shown is None:
            return "none"
        if self.is_limit:
            return f"{self.interval_text}, no {'upper' if self.high == math.inf else 'lower'} limit found"
        interval = f", 95% interval {self.interval_text}" if self.interval_text else ""
        return f"{self.value_text}{interval}"

    def row(self, label: str, *, own: bool = False) -> Row:
        """The number's row in a chart. It must not be None."""
        at = self.shown
        assert at is not None
        low, high = (at if end is None else end for end in (self.low, self.high))
        sign = "" if not self.is_limit else "> " if high == math.inf else "< "
        return Row(label, at, low, high, f"{sign}{FORMS[self.form].text(at)}", self.chance, own=own)

    def to_json(self) -> dict[str, Any]:
        """The number as plain values, not rounded, so that its text stays the same. An infinite end is None."""
        ends = [end if end is not None and math.isfinite(end) else None for end in (self.low, self.high)]
        interval = None if self.low is None else ends
        values = {"name": self.name, "game": self.game, "form": self.form, "value": self.value}
        return values | {"interval95": interval} | ({} if self.chance is None else {"chance": self.chance})

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Number:
        """A number from the values that `to_json` gives.

        Raises:
            KeyError, TypeError, ValueError: they are other values.
        """
        if (form := str(values["form"])) not in FORMS:
            raise ValueError(f"expected a form of {', '.join(FORMS)}, got {form!r}")
        low, high = values["interval95"] or (None, None)
        if values["interval95"] is not None:
            low, high = -math.inf if low is None else low, math.inf if high is None else high
        name, game = str(values["name"]), str(values["game"])
        numbers = [_number(each) for each in (values["value"], low, high, values.get("chance"))]
        value, low, high, chance = numbers
        return cls(name, game, value, form, low, high, chance)


def _number(value: Any) -> float | None:
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not (abs(value) <= _LARGEST or math.isinf(value)):
        raise ValueError(f"{value!r:.40} is not a number")
    return float(value)
