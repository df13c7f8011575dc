"""The folders for the machine code of kernels (compiled functions), protected from other users.

Each folder contains the kernels of one module. The folder's name is a hash of all sources that these kernels depend on;
see `sources`. A folder that no process has used for a month is removed.
"""

import contextlib
import functools
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from othello_env.support.sources import Sources

__all__ = ["cache_folder", "digest_of", "folder_of"]

_STALE_SECONDS = 30 * 24 * 3600.0


def folder_of(function: Callable[..., Any]) -> Path | None:
    """The folder for a kernel's machine code. It is None if the kernel has no source file, or if no folder is safe."""
    try:
        file = Path(function.__code__.co_filename).absolute()
        return _folder(_digest_now(file, function.__globals__)[:16])
    except (OSError, RuntimeError):  # RuntimeError means that the user has no home directory
        return None


def digest_of(name: str) -> str:
    """A hash of the sources of an imported module and of all modules that it imports, as hexadecimal digits.

    Raises:
        OSError: a source cannot be read, no module of this name is imported, or the module has no file.
    """
    names = vars(sys.modules.get(name, object))
    if not names.get("__file__"):
        raise OSError(f"{name} has no source")
    return _digest_now(Path(names["__file__"]).absolute(), names)


def _digest_now(file: Path, names: Mapping[str, Any]) -> str:
    """The digest of the module in `file`, as the file is now. `names` has the module's globals."""
    package = getattr(names.get("__spec__"), "parent", None) or ""
    status = file.stat()
    return _digest(file, package, status.st_mtime_ns, status.st_size)


@functools.cache
def _digest(file: Path, package: str, _changed: int, _size: int) -> str:
    return _sources().digest(file, package)


@functools.cache
def _sources() -> Sources:
    return Sources(cache_folder() / "sources.json")


@functools.cache
def _folder(name: str) -> Path:
    """The folder of this name. If the folder does not exist, it is made.

    Raises:
        OSError: the folder cannot be made or is not safe.
    """
    base = cache_folder()
    folder = base / name
    is_new = not folder.exists()
    _make_safe(folder)
    os.utime(folder)  # the modification time is the time of the folder's last use; see `_remove_stale`
    if is_new:
        _remove_stale(base)
    return folder


@functools.cache
def cache_folder() -> Path:
    """The folder that contains all cache folders.

    Raises:
        OSError: the folder cannot be made or is not safe.
    """
    base = _chosencache_folder()
    base.parent.mkdir(parents=True, exist_ok=True)
    _make_safe(base)
    return base


def _make_safe(folder: Path) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_only_ours(folder):
        raise PermissionError(f"others could have written to {folder}")


def _chosencache_folder() -> Path:
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen) / "othello-env"
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "othello-env"


def _is_only_ours(folder: Path) -> bool:
    """Whether this folder belongs to this user, and no other user can write to it. On Windows, the result is True."""
    if sys.platform == "win32":
        return True
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def _remove_stale(base: Path) -> None:
    """Remove the folders that no process has used for a month."""
    for folder in base.iterdir():
        with contextlib.suppress(OSError):  # another process may remove the folder at the same time
            if time.time() - folder.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
