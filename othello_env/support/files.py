"""Write files completely or not at all, and read untrusted files with a limit on their size."""

import contextlib
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from filelock import FileLock, Timeout

__all__ = ["as_type", "check_output", "in_one_process", "named", "parse_json", "read_file", "write_file", "write_json"]

_T = TypeVar("_T")


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


@contextlib.contextmanager
def named(path: str | Path) -> Iterator[None]:
    """Name the file in the error if the block cannot write it, such as on a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def write_file(path: str | Path, data: bytes) -> None:
    """Write a file completely, or leave it as it was. Make its folders if necessary.

    A process that is killed while it writes may leave a hidden file whose name ends in ``.tmp``.

    Raises:
        OSError: the file cannot be written; see `check_output`.
    """
    path = Path(path)
    check_output(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.tmp")
    try:
        with named(path), temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:  # remove the temporary file, also after KeyboardInterrupt
        temporary.unlink(missing_ok=True)
        raise


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
    path = Path(path)
    try:
        info = path.stat()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {str(path)!r} to {purpose}") from None
    if not stat.S_ISREG(info.st_mode):
        raise OSError(f"{str(path)!r} is not a regular file to {purpose}")
    if info.st_size > most:
        raise ValueError(f"{str(path)!r} has {info.st_size:,} bytes; at most {most:,} are read")
    with path.open("rb") as file:
        return file.read(info.st_size)


def parse_json(text: str | bytes) -> Any:
    """The value of an untrusted JSON text. Its floats are finite.

    Raises:
        ValueError: the text is not JSON, is nested too deep, or has a number that is not finite.
    """
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise ValueError("it is not JSON: it is nested too deep") from None
    except msgspec.DecodeError as error:
        raise ValueError(f"it is not JSON: {error}") from None


def as_type(value: Any, kind: type[_T]) -> _T:
    """Check a value from JSON against a type, and return it as this type; see `msgspec.convert`.

    Raises:
        ValueError: the value is not of this type. The message says what was expected, what came, and where.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        text, at, place = str(error).partition(" - at `$")
        if text.startswith("Expected") and ", got " not in text:
            for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", place):
                value = value[name or int(index)]
            text = f"{text}, got {value!r:.60}"
        raise ValueError(text + at + place) from None


@contextlib.contextmanager
def in_one_process(path: Path, busy: Exception) -> Iterator[None]:
    """Let only one process at a time run the block. While it runs, the file `path` exists and is locked.

    Raises:
        Exception: `busy`, if another process runs the block.
    """
    lock = FileLock(path, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise busy from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows removes no open file
            path.unlink()
        lock.release()
