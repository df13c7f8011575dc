"""What harmful files of several kinds share: JSON texts with wrong values, and the bytes of a file that was saved."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

DEEP = 100_000
HUGE = "1" + "0" * 400
NESTED = "[" * DEEP + "]" * DEEP
WRONG = ("4.5", "-1", HUGE, "1" + "0" * 200, "1e999", "NaN", "true", '"4"', "[4]", "null", NESTED)
"""JSON values to put in place of the numbers and other values of a card. All of them are wrong there."""


def replaced(values, *path):
    """JSON texts of an object in which one value is replaced by each of the wrong values, with a name for each text."""
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
