"""Files that are written whole or not at all."""

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["write_file", "write_json"]


def write_file(path: str | Path, data: bytes) -> None:
    """Write a file, and the folders that it lies in; after an error or a crash the old one is still there.

    Raises:
        OSError: it cannot be written.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def write_json(path: str | Path, value: Any) -> None:
    """Write a value as JSON, whole or not at all."""
    write_file(path, (json.dumps(value, indent=2) + "\n").encode())


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
