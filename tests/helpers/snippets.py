"""The code of a section of the documentation."""

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


def run_snippet(page: str, section: str, **changes: str) -> dict[str, Any]:
    """Run the first block of ``py`` below a heading, after replacing texts. Returns the variables.

    Args:
        page: the page's path in the folder ``docs``.
        section: the heading.
        changes: new values by the names of the variables or arguments whose values they replace.
    """
    text = (DOCS / page).read_text(encoding="utf-8").split(f"## {section}\n")[1]
    code = re.search(r"^```py\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1]
    for name, value in changes.items():
        code, count = re.subn(rf"\b{name}( ?= ?)[\d_]+", rf"{name}\g<1>{value}", code)
        assert count == 1, name
    names: dict[str, Any] = {}
    exec(compile(code, page, "exec"), names)
    return names
