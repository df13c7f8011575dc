"""Words in messages: a suggestion for a misspelled name, and scores as text."""

import difflib
from collections.abc import Iterable

__all__ = ["interval_text", "near", "score_text"]


def near(name: str, known: Iterable[str]) -> str:
    """A suggestion for a wrong name: a text with the most similar known name, or a known
    name that is a word of the wrong one, or an empty text if none is similar.

    >>> near("alphabta", ["alphabeta", "random"])
    ' (did you mean alphabeta?)'
    >>> near("board_size", ["size", "opponent"])
    ' (did you mean size?)'
    """
    others = [each for each in known if each != name]
    found = difflib.get_close_matches(name, others, 1, 0.7) or [each for each in others if each in name.split("_")]
    return f" (did you mean {found[0]}?)" if found else ""


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
