"""Links that hold a whole game, so that no server has to store it.

The page writes links with the game in the fragment: ``http://127.0.0.1:8750/#game=othello&moves=f5d6c3&ply=2``. The
fields are ``game``, ``moves`` and ``ply`` (the position that is shown). If the game does not begin at the usual start,
the fields ``position`` and ``player`` give the first position and the player to move. If a game of Tribolo begins at
the usual start, the field ``seed`` determines this start.

A link of another site may have a game in a field of the query or the fragment, in the whole fragment, or in the last
part of the path. All these places are tried. A link within the link is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

__all__ = ["LinkFields", "is_link", "texts_in"]

LinkFields = dict[str, str]
_LINK = re.compile(r"(?:https?|file)://\S+", re.IGNORECASE)
_MOST_FIELDS = 50
_SHORTEST = 4  # the fewest characters of a text that is read as a game: those of two moves


def is_link(text: str) -> bool:
    """Whether a text is a single link."""
    return _LINK.fullmatch(text.strip()) is not None


def texts_in(link: str) -> tuple[LinkFields, list[str]]:
    """What a link holds.

    Returns:
        For a link that the page wrote, its fields and an empty list. For another link, an empty dict and the texts that
        may be a game.
    """
    parts = urlsplit(link.strip())
    fields = dict(_fields(parts.fragment))
    if "game" in fields and {"moves", "position"} & {*fields}:
        return fields, []
    texts = [value for part in (parts.fragment, parts.query) for _, value in _fields(part)]
    texts += [unquote(part) for part in (parts.fragment, parts.path.rpartition("/")[2]) if part]
    return {}, [text for text in dict.fromkeys(texts) if len(text) >= _SHORTEST]


def _fields(text: str) -> Iterator[tuple[str, str]]:
    try:
        yield from parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:  # the text has more than _MOST_FIELDS fields
        return
