"""Pieces of HTML that a notebook shows for an object with the method ``_repr_html_``."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["picture", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table of texts. The first column is a heading of its row."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        f"<tr><th>{escape(row[0])}</th>{''.join(f'<td>{escape(text)}</td>' for text in row[1:])}</tr>" for row in rows
    )
    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{told}<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def picture(data: bytes, text: str, kind: str = "png", width: str = "48rem") -> str:
    """A picture of a `kind` such as ``png``, at most so wide. `text` says in words what the picture shows."""
    source = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    return f'<img style="width:100%;max-width:{width}" src="{source}" alt="{escape(text)}">'
