"""Write files completely or not at all, and read untrusted files with limits on size and nesting.

A path to write must be a regular file or not exist yet. If the path is a symbolic link, a folder or a device, an error
is raised, and nothing is written. A path to read may be a link, but the link must lead to a regular file. The file must
not be larger than the caller allows. Each file is read only once, so its content cannot change between a check and its
use.
"""

import contextlib
import hashlib
import json
import math
import os
import re
import secrets
import stat
import sys
import time
from pathlib import Path
from typing import Any

from othello_env.support.locks import try_lock

__all__ = ["check_output", "parse_json", "read_file", "write_file", "write_json"]

_UNFINISHED = ".unfinished"
_LONGEST_NAME = 200  # bytes
_STALE_SECONDS = 10.0  # younger temporary files are never removed
_DEEPEST = 50
_LONGEST_INTEGER = 300  # digits; every integer of this length fits into a float


def check_output(path: str | Path) -> None:
    """Check that a path is a regular file or does not exist yet, so that it can be written.

    Raises:
        OSError: the path is a symbolic link, a folder, a device or the like.
    """
    try:
        mode = Path(path).lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise OSError(
            f"{str(path)!r} is a symbolic link, and files are not written through links; give the path of the file"
        )
    if not stat.S_ISREG(mode):
        raise OSError(f"{str(path)!r} is not a regular file, so nothing is written to it")


def write_file(path: str | Path, data: bytes) -> None:
    """Write a file completely, or leave it as it was. Make its folders if necessary.

    If other processes were killed while they wrote this file, their temporary files are removed.

    Raises:
        OSError: the file cannot be written; see `check_output`.
    """
    path = Path(path)
    check_output(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale(path)
    temporary = path.with_name(f".{_short(path.name)}.{secrets.token_hex(8)}{_UNFINISHED}")
    try:
        with temporary.open("xb") as file:
            try_lock(file)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if sys.platform == "win32":
                file.close()  # Windows cannot rename an open file
            temporary.replace(path)
    except BaseException:  # remove the temporary file, also after KeyboardInterrupt
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _remove_stale(path: Path) -> None:
    """Remove the temporary files of killed processes: the files that are old and that no process has locked."""
    name = re.compile(rf"\.{re.escape(_short(path.name))}\.[0-9a-f]{{16}}{re.escape(_UNFINISHED)}")
    for left in path.parent.iterdir():
        if not name.fullmatch(left.name):
            continue
        with contextlib.suppress(OSError):  # the file may belong to another user or be gone already
            found = left.lstat()
            if stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime > _STALE_SECONDS:
                with left.open("r+b") as file:
                    is_held = not try_lock(file)
                if not is_held:
                    left.unlink()  # on Windows, this fails if another process has the file open


def _short(name: str) -> str:
    """A short form of a file's name, for the names of temporary files: the name itself, or a hash of a long name.

    File names can have at most 255 bytes.
    """
    data = os.fsencode(name)
    return name if len(data) <= _LONGEST_NAME else hashlib.sha256(data).hexdigest()


def write_json(path: str | Path, value: Any) -> None:
    """Write a value to a JSON file, completely or not at all.

    Raises:
        OSError: the file cannot be written; see `check_output`.
    """
    write_file(path, (json.dumps(value, indent=2) + "\n").encode())


def read_file(path: str | Path, most: int, purpose: str = "read") -> bytes:
    """The bytes of a regular file.

    Args:
        path: the file's path.
        most: the largest number of bytes that the file may have.
        purpose: the text that follows ``to`` in error messages, such as ``load a network from``.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: the path is a folder, a device or the like, or the file cannot be read.
        ValueError: the file has more than `most` bytes.
    """
    # O_NONBLOCK: if the path is a pipe, opening it does not wait for a writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {str(path)!r} to {purpose}") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{str(path)!r} is not a regular file to {purpose}")
        if found.st_size > most:
            raise ValueError(f"{str(path)!r} has {found.st_size:,} bytes; at most {most:,} are read")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(found.st_size)
    finally:
        os.close(descriptor)


def parse_json(text: str | bytes) -> Any:
    """The value of an untrusted JSON text.

    Raises:
        ValueError: the text is not JSON, is nested deeper than 50 levels, or contains a number that is not finite or
            is too large for a float.
    """
    try:
        value = json.loads(text, parse_float=_finite, parse_int=_integer, parse_constant=_finite)
        level = [value]
        for _ in range(_DEEPEST):
            level = [each for outer in level for each in _entries(outer)]
            if not level:
                return value
    except RecursionError:  # the text is nested so deep that `json` failed
        pass
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"it is not JSON: {error}") from None
    raise ValueError(f"it is nested deeper than {_DEEPEST} levels")


def _entries(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is not a finite number")
    return number


def _integer(text: str) -> int:
    if len(text) > _LONGEST_INTEGER:
        raise ValueError(f"an integer of {len(text)} digits, more than {_LONGEST_INTEGER}")
    return int(text)
