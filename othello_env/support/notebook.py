"""Pieces of HTML that a notebook shows for an object with the method ``_repr_html_``."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["frame", "picture", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table of texts. The first column is a heading of its row."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        f"<tr><th>{escape(row[0])}</th>{''.join(f'<td>{escape(text)}</td>' for text in row[1:])}</tr>" for row in rows
    )
    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{told}<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def picture(png: bytes, text: str) -> str:
    """A picture. `text` says in words what the picture shows."""
    style = "width:100%;max-width:48rem"
    return f'<img style="{style}" src="data:image/png;base64,{base64.b64encode(png).decode()}" alt="{escape(text)}">'


def frame(page: str, title: str, height: int) -> str:
    """A frame with an HTML page in it. The page's scripts cannot reach the notebook. `height` is in pixels."""
    style = f"width:100%;max-width:36rem;height:{height}px;border:0"
    return f'<iframe title="{escape(title)}" sandbox="allow-scripts" style="{style}" srcdoc="{escape(page)}"></iframe>'
