"""Watches a folder of training runs, and reads the present learning curves from its JSON files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from othello_env.page.results import read_results
from othello_env.support.files import parse_json, read_file

__all__ = ["CHECKPOINTS", "MOST_FILES", "Runs"]

MOST_FILES = 200
"""At most this number of files with curves is shown. If there are more, the files that changed last are shown."""
CHECKPOINTS = (".npz", ".safetensors", ".onnx")
"""The endings of files that may be agents."""
_LARGEST = 4 << 20  # bytes of a file
_DEEPEST = 3  # levels of subfolders that are read
_MOST_SEEN = 20_000  # files and subfolders of a folder that are read


class Runs:
    """The learning curves below a folder.

    A file is read again when it has changed. If a file is damaged, for example because it is being written, its earlier
    curves are shown. A file without curves is left out.

    Args:
        folder: the folder that is watched. Files in its subfolders are shown, too.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, tuple[tuple[int, int], dict[str, Any] | None]] = {}

    def to_json(self) -> dict[str, Any]:
        """The folder's name, and for each file with curves, its path within the folder and its curves."""
        files = self._newest(".json")
        self._known = {file: known for file, known in self._known.items() if file in files}
        runs = [run for file in sorted(files) if (run := self._read(file)) is not None]
        return {"folder": self._folder.name or str(self._folder), "runs": runs}

    def checkpoints(self, most: int) -> list[Path]:
        """At most `most` files that may be agents: first all ``.npz`` files, then the other kinds in `CHECKPOINTS`.

        Within a kind, the file that changed last comes first.
        """
        return [file for ending in CHECKPOINTS for file in self._newest(ending)][:most]

    def _newest(self, ending: str) -> list[Path]:
        files = [file for file in _files(self._folder, _DEEPEST) if file.suffix.lower() == ending]
        return sorted(files, key=_changed, reverse=True)[:MOST_FILES]

    def _read(self, file: Path) -> dict[str, Any] | None:
        stamp = _changed(file)
        before = self._known.get(file)
        if before is not None and before[0] == stamp:
            return before[1]
        run = None if before is None else before[1]
        try:
            name = file.relative_to(self._folder).as_posix()
            curves = read_results(name, parse_json(read_file(file, _LARGEST, "read curves from")))["curves"]
            run = {"name": name, "curves": curves} if curves else None
        except (ValueError, OSError):
            pass  # the training may be writing the file; its last curves are shown until the file can be read
        self._known[file] = stamp, run
        return run


def _files(folder: Path, depth: int) -> Iterator[Path]:
    """The regular files below a folder; links are not followed."""
    try:
        entries = sorted(folder.iterdir())[:_MOST_SEEN]
    except OSError:
        return
    for entry in entries:
        if entry.is_symlink():
            continue
        if entry.is_file():
            yield entry
        elif depth and entry.is_dir():
            yield from _files(entry, depth - 1)


def _changed(file: Path) -> tuple[int, int]:
    """The time in ns when a file changed last, and its size in bytes. Both are 0 if the file is gone."""
    try:
        status = file.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
