"""Words in messages: a suggestion for a misspelled name."""

import difflib
from collections.abc import Iterable

__all__ = ["near"]


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
