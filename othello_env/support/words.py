"""Words in messages: a suggestion for a misspelled name, and scores and ratings as text."""

import difflib
import math
from collections.abc import Iterable

__all__ = [
    "elo_interval_text",
    "elo_text",
    "interval_text",
    "near",
    "score_text",
]


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
