"""Tools for harmful files of several kinds: JSON texts with wrong values, and the bytes of a saved file."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

DEEP = 100_000
HUGE = "1" + "0" * 400
NESTED = "[" * DEEP + "]" * DEEP
WRONG = ("4.5", "-1", HUGE, "1" + "0" * 200, "1e999", "NaN", "true", '"4"', "[4]", "null", NESTED)
"""Wrong JSON values. A test replaces a value of a card by each of them. A card is the JSON text in a file."""


def replaced(values, *path):
    """For each wrong value, yield a name and the JSON text of `values` with this wrong value at `path`."""
    *outer, name = path
    changed = json.loads(json.dumps(values))
    inner = changed
    for each in outer:
        inner = inner[each]
    inner[name] = "@"
    for wrong in WRONG:
        yield f"~{name} {wrong[:6]}", json.dumps(changed).replace('"@"', wrong)


def saved(save):
    """The bytes of the file that `save` writes. `save` takes the path of the file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        save(path)
        return path.read_bytes()
