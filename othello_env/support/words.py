"""Words in messages: a suggestion for a name that is probably misspelled."""

import difflib
from collections.abc import Iterable

__all__ = ["near"]


def near(name: str, known: Iterable[str]) -> str:
    """A suggestion for a wrong name: a text with the most similar known name, or an empty text if none is similar.

    >>> near("alphabta", ["alphabeta", "random"])
    ' (did you mean alphabeta?)'
    """
    found = difflib.get_close_matches(name, [each for each in known if each != name], 1, 0.7)
    return f" (did you mean {found[0]}?)" if found else ""
