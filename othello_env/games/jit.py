"""The decorator that compiles a kernel and keeps the machine code between processes.

Numba's own cache looks only at the file of the compiled function: an edit in another file that it calls goes unseen,
and the old machine code keeps running. So each kernel is stored in a folder named by a hash of all sources that it may
call: those of this package and those of the kernel's own one. An edit or an upgrade changes the name, and everything
compiles anew.

With ``NUMBA_DISABLE_JIT=1`` the kernels run as the plain Python that they are, and a debugger can step through them.
"""

import functools
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba
import numba.core.config
import numpy as np

__all__ = ["kernel"]

_F = TypeVar("_F", bound=Callable[..., Any])
_CONFIG: Any = numba.core.config  # its settings are made at run time
_GAMES = Path(__file__).resolve().parent
_STALE_SECONDS = 30 * 24 * 3600.0


@overload
def kernel(function: _F) -> _F: ...
@overload
def kernel(*, inline: bool) -> Callable[[_F], _F]: ...
def kernel(function: _F | None = None, *, inline: bool = False) -> _F | Callable[[_F], _F]:
    """Compile a function on plain numbers and arrays; it checks nothing and releases the interpreter's lock.

    Args:
        function: the kernel.
        inline: paste the function's body into its callers, which lets LLVM vectorise a loop around it. For helpers.
    """
    if function is None:
        return lambda f: _compile(f, inline=inline)
    return _compile(function, inline=inline)


def _compile(function: _F, *, inline: bool) -> _F:
    if _CONFIG.DISABLE_JIT:
        return _interpreted(function)
    folder = _cache_folder(_source_root(Path(function.__code__.co_filename).resolve()))
    # Numba reads this setting at the moment of decoration.
    before = _CONFIG.CACHE_DIR
    if folder is not None:
        _CONFIG.CACHE_DIR = str(folder)
    try:
        compiled = numba.njit(
            cache=folder is not None,
            nogil=True,
            error_model="numpy",
            inline="always" if inline else "never",
        )(function)
    finally:
        _CONFIG.CACHE_DIR = before
    return cast(_F, compiled)


def _interpreted(function: _F) -> _F:
    """Let 64-bit arithmetic wrap around silently, as it does in machine code."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return cast(_F, run)


def _source_root(file: Path) -> Path:
    """The outermost package that holds `file`; the games stand for themselves, since they call nobody else."""
    if _GAMES in file.parents:
        return _GAMES
    root = file
    while (root.parent / "__init__.py").exists():
        root = root.parent
    return root


@functools.cache
def _cache_folder(root: Path) -> Path | None:
    """The folder for kernels whose sources lie under `root`, or None where nothing can be written."""
    sources = [root] if root.is_file() else sorted(root.rglob("*.py"))
    digest = hashlib.sha256()
    for source in [*sorted(_GAMES.rglob("*.py")), *sources]:
        digest.update(source.read_bytes() + b"\0")
    base = _cache_base()
    folder = base / digest.hexdigest()[:16]
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        return None
    if is_new:
        _remove_stale(base)
    return folder


def _cache_base() -> Path:
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen) / "othello-env"
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "othello-env"


def _remove_stale(base: Path) -> None:
    """Remove the machine code of versions that no process has loaded for a month."""
    for folder in base.iterdir():
        if time.time() - folder.stat().st_mtime > _STALE_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
