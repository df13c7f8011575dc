"""Reads the ratings, leagues and checkpoints in a folder of training runs, while the runs go on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from othello_env.league.files import FORMAT, LEAGUE_FILE
from othello_env.page.results import LARGEST, league_view, read_results
from othello_env.support.files import parse_json, read_file

__all__ = ["CHECKPOINTS", "MOST_FILES", "Runs", "changed"]

MOST_FILES = 200
"""The most JSON files that are shown. If there are more, the files that changed last are shown."""
CHECKPOINTS = (".npz", ".safetensors", ".onnx")
"""The endings of files that may be agents."""
_LARGEST_CHECKPOINT = 1 << 30  # bytes
_LONGEST_REASON = 300  # characters
_DEEPEST = 3  # the most levels of subfolders that are searched
_MOST_IN_ALL = 100_000  # the largest number of files that are read in all folders together


class Runs:
    """The ratings and leagues below a folder.

    A file is read again when it has changed. If a file is damaged, for example because it is being written, its earlier
    content is shown. A file that has nothing for the page to show is ignored.

    Args:
        folder: the folder that is watched. Files in its subfolders are shown, too.
        network: the function that makes the networks of your own in the folder, or None.
    """

    def __init__(self, folder: Path, network: str | None = None) -> None:
        self.network = network
        self._folder = folder
        self._known: dict[Path, tuple[tuple[int, int], dict[str, Any] | None, str]] = {}

    def to_json(self) -> dict[str, Any]:
        """The content of the files as values for JSON.

        Returns:
            A dict with these keys:

            - ``path``: the folder's path.
            - ``rated``: the agents that were rated on a packaged ladder, see `read_results`.
            - ``leagues``: for each league, the value of `league_view`.
            - ``leftOut``: the files that are too large, and the leagues that cannot be shown, each with the reason.
        """
        files = {file: self._name(file) for file in sorted(self._newest((".json",), MOST_FILES))}
        self._known = {file: known for file, known in self._known.items() if file in files}
        contents = [content for file, name in files.items() if (content := self._read(file, name)) is not None]
        return {
            "path": str(self._folder),
            "rated": [run["rated"] for run in contents if run.get("rated")],
            "leagues": [run for run in contents if "scores" in run],
            "leftOut": [
                {"file": str(file), "reason": reason} for file, (_, _, reason) in self._known.items() if reason
            ],
        }

    def checkpoints(self, most: int) -> list[Path]:
        """At most `most` files that may be agents. The files that changed last come first.

        However, members of leagues come after all other files, because a league may have many members.
        """
        return sorted(self._newest(CHECKPOINTS, _MOST_IN_ALL, _LARGEST_CHECKPOINT), key=_is_member)[:most]

    def _newest(self, endings: tuple[str, ...], most: int, largest: float = float("inf")) -> list[Path]:
        files = islice(_files(self._folder), _MOST_IN_ALL)
        stamps = {file: changed(file) for file in files if file.suffix.lower() in endings}
        fitting = [file for file, (_, size) in stamps.items() if size <= largest]
        return sorted(fitting, key=lambda file: stamps[file], reverse=True)[:most]

    def _name(self, file: Path) -> str:
        named = file.parent if file.name == LEAGUE_FILE else file  # the page names a league after its folder
        return named.relative_to(self._folder).as_posix() if named != self._folder else named.name

    def _read(self, file: Path, name: str) -> dict[str, Any] | None:
        stamp = changed(file)
        before = self._known.get(file)
        if before is not None and before[0] == stamp:
            return before[1]
        content, reason = None if before is None else before[1], ""
        try:
            content = _view(file, name)
        except _NotShownError as error:
            reason = str(error)[:_LONGEST_REASON]
        except (ValueError, OSError):
            pass  # the training may be writing the file, so the content that was read before is shown
        self._known[file] = stamp, content, reason
        return content


class _NotShownError(Exception):
    """A file is complete, but the page cannot show it."""


def _view(file: Path, name: str) -> dict[str, Any]:
    """What the page shows of a file."""
    size = changed(file)[1]
    if size > LARGEST:
        raise _NotShownError(f"it has {size:,} bytes; at most {LARGEST:,} are read")
    content = parse_json(read_file(file, LARGEST, "show the runs in"))
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return read_results(name, content)
    try:
        return league_view(name, content)
    except ValueError as error:
        raise _NotShownError(str(error)) from None


def _files(folder: Path) -> Iterator[Path]:
    """The regular files in a folder and its subfolders; links are not followed."""
    for here, folders, names in os.walk(folder):
        folders.sort()
        if len(Path(here).relative_to(folder).parts) == _DEEPEST:
            folders.clear()
        paths = (Path(here, name) for name in sorted(names))
        yield from (path for path in paths if path.is_file() and not path.is_symlink())


def _is_member(file: Path) -> bool:
    """Whether a file is the policy of a league's member; see `othello_env.league.files`."""
    return file.parent.name == "members" and changed(file.parent.parent / LEAGUE_FILE) != (0, 0)


def changed(file: Path) -> tuple[int, int]:
    """The time in ns when a file changed last, and its size in bytes. Both are 0 if the file is gone."""
    try:
        status = file.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
