"""The decorator that compiles a kernel and keeps the machine code between processes.

Numba's own cache looks only at the file of the compiled function: an edit in another file that it calls goes unseen,
and the old machine code keeps running. So each kernel is stored in a folder named by a hash of all sources that it may
call: those of the games and those of the kernel's own package (of a script: those beside it). An edit or an upgrade
changes the name, and everything compiles anew. A global that a kernel reads is frozen into its machine code, so it must
follow from these sources alone; what comes from elsewhere is an argument.

A kernel that calls itself with other types than its own is not kept, nor are its callers: Numba compiles one version
within the other, and the inner one reaches the outer by an address of this process, so another process would crash. A
warning says so. A literal is a type of its own: ``down(n - 1, True)`` is such a call. Other recursive kernels are kept.

Of several processes that start at once, one compiles a kernel and the others wait for it and load what it wrote. A
cache that cannot be read or written, or is damaged, costs time and is never an error.

Loading machine code runs it, and Numba's index is a pickle, so a cache must be as trusted as the program. It lies in
``NUMBA_CACHE_DIR`` or the user's own cache directory, in a folder made for its owner alone; where that folder belongs
to another user, or others may write to it, nothing is loaded from it or stored there.

With ``NUMBA_DISABLE_JIT=1`` the kernels run as the plain Python that they are, and a debugger can step through them.
"""

import contextlib
import functools
import gc
import hashlib
import os
import shutil
import stat
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba
import numba.core.config
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import RuntimeLinker
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaWarning

if sys.platform != "win32":
    import fcntl

__all__ = ["entry_point", "interruptible", "kernel", "raise_interrupt"]

_F = TypeVar("_F", bound=Callable[..., Any])
_CONFIG: Any = numba.core.config  # its settings are made at run time
_GAMES = Path(__file__).resolve().parents[1] / "games"
_STALE_SECONDS = 30 * 24 * 3600.0
_PATIENCE_SECONDS = 120.0
"""How long to wait for another process that compiles the same kernel; it may have been stopped."""


@overload
def kernel(function: _F) -> _F: ...
@overload
def kernel(*, inline: bool = False, slp: bool = False, lean: bool = False) -> Callable[[_F], _F]: ...
def kernel(
    function: _F | None = None, *, inline: bool = False, slp: bool = False, lean: bool = False
) -> _F | Callable[[_F], _F]:
    """Compile a function on plain numbers and arrays; it checks nothing and releases the interpreter's lock.

    Args:
        function: the kernel.
        inline: let LLVM paste the function's body into its callers, so that it can vectorise a loop around it. For
            helpers. Numba's own option of that name has each caller's copy typed and compiled anew.
        slp: let LLVM do like operations side by side in one vector (superword-level parallelism). For short functions
            without loops and calls that do the same in several directions. Numba leaves this off since calls of
            vectorised mathematical functions went wrong (its issue 8705), so it is for integers alone.
        lean: leave out the counting of references to the arrays that are passed, which takes longer than a small kernel
            does if they are many. For kernels that make no array and return none; Numba refuses others.
    """
    if function is None:
        return lambda f: _compile(f, inline=inline, slp=slp, lean=lean)
    return _compile(function, inline=inline, slp=slp, lean=lean)


def entry_point(compiled: _F, *args: Any) -> _F:
    """A kernel's machine code for arguments of these types, which it compiles if it has to but does not call.

    Called directly it does not look at the types of its arguments, which for some 20 arrays takes longer than a small
    step does. Every argument must be of the type that it has here, and positional.
    """
    if _CONFIG.DISABLE_JIT:
        return compiled
    dispatcher: Any = compiled
    types = tuple(map(numba.typeof, args))
    dispatcher.compile(types)
    return cast(_F, dispatcher.overloads[types].entry_point)


def raise_interrupt(error: BaseException) -> None:
    """Raise KeyboardInterrupt if that is what an error comes from.

    Python notices an interrupt that arrives in a kernel when the kernel returns, and what Numba then raises is a
    SystemError caused by it. Who catches all errors of code that may call kernels has to ask.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        cause = cause.__cause__ or cause.__context__


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let an interrupt that arrives in a kernel be the KeyboardInterrupt that it is; see `raise_interrupt`."""
    try:
        yield
    except SystemError as error:
        raise_interrupt(error)
        raise


def _compile(function: _F, *, inline: bool, slp: bool, lean: bool) -> _F:
    if _CONFIG.DISABLE_JIT:
        return _interpreted(function)
    njit: Any = numba.njit  # its types leave this option out: no C function, which nobody calls
    # Its callers' setting of _nrt would hold where a kernel has none of its own.
    compiled = njit(nogil=True, error_model="numpy", forceinline=inline, no_cfunc_wrapper=True, _nrt=not lean)(function)
    _settle(compiled, slp)
    source = Path(function.__code__.co_filename)
    folder = _cache_folder(_source_root(source.resolve())) if source.is_file() else None
    if folder is not None:
        _keep(compiled, folder)
    return cast(_F, compiled)


def _settle(compiled: Any, slp: bool) -> None:
    """Compile this Numba dispatcher's code under settings of its own, whatever is compiled around it."""
    compile_now = compiled.compile

    def compile_so(signature: Any) -> Any:
        with global_compiler_lock, _settings(slp):  # they are everybody's
            return compile_now(signature)

    compiled.compile = compile_so


@contextlib.contextmanager
def _settings(slp: bool) -> Iterator[None]:
    """With LLVM's SLP vectoriser or not, and without garbage collection, which takes a tenth of the time or more."""
    slp_before, collects = _CONFIG.SLP_VECTORIZE, gc.isenabled()
    _CONFIG.SLP_VECTORIZE = int(slp)
    gc.disable()
    try:
        yield
    finally:
        _CONFIG.SLP_VECTORIZE = slp_before
        if collects:
            gc.enable()


def _interpreted(function: _F) -> _F:
    """Let 64-bit arithmetic wrap around silently, as it does in machine code."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return cast(_F, run)


_unresolved: set[str] = set()
"""The references for which a warning was given."""
_warned: dict[Any, Any] = {}


class _Storage(CompileResultCacheImpl):
    """How Numba's cache stores machine code, made safe for recursive kernels; see the module's docstring."""

    def check_cachable(self, cres: Any) -> bool:
        if not super().check_cachable(cres):  # type: ignore[no-untyped-call]
            return False
        symbols = (variable.name for variable in cres.library._final_module.global_variables)
        references = {symbol for symbol in symbols if symbol.startswith(RuntimeLinker.PREFIX)}
        if references - _unresolved:  # once for the kernel, not for each of its callers too
            _unresolved.update(references)
            warnings.warn_explicit(
                f"{cres.fndesc.qualname} calls itself with other types, so it and its callers are compiled anew in "
                "each process. A literal is a type of its own: pass a variable",
                NumbaWarning,
                self.locator._py_file,
                self._lineno,
                registry=_warned,
            )
        return not references

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The stored code, made known to recursive kernels that are compiled later and call it."""
        loaded = super().rebuild(target_context, payload)  # type: ignore[no-untyped-call]
        loaded.codegen._rtlinker.scan_defined_symbols(loaded.library._shared_module)
        return loaded


class _Cache(FunctionCache):
    """Numba's cache of one function, except that nothing that is wrong with its files stops a call."""

    _impl_class = _Storage

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # unpickling a damaged file can raise anything
            with contextlib.suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):  # the disk is full, say, or the folder is gone
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


_setting = threading.Lock()


def _keep(compiled: Any, folder: Path) -> None:
    """Let a Numba dispatcher store its machine code in this folder."""
    with _setting:  # a cache reads Numba's setting once, when it is made
        before = _CONFIG.CACHE_DIR
        _CONFIG.CACHE_DIR = str(folder)
        try:
            compiled._cache = _Cache(compiled.py_func)  # type: ignore[no-untyped-call]
        except RuntimeError:  # Numba cannot write there
            return
        finally:
            _CONFIG.CACHE_DIR = before
    compile_now = compiled.compile
    lock = folder / f"{compiled.py_func.__module__}.{compiled.py_func.__qualname__}.lock"

    def compile_once(signature: Any) -> Any:
        # Numba's lock comes first, as it does when a function that is no kernel calls for this one: so no two threads
        # can wait for each other.
        with global_compiler_lock, _one_process(lock):
            return compile_now(signature)

    compiled.compile = compile_once


_held: set[Path] = set()


@contextlib.contextmanager
def _one_process(lock: Path) -> Iterator[None]:
    """Wait until no other process holds this lock file, then hold it; nothing where the system has no such locks."""
    if sys.platform == "win32" or lock in _held:  # a recursive kernel
        yield
        return
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield
        return
    _held.add(lock)
    try:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not _lock_now(descriptor) and time.monotonic() < deadline:
            time.sleep(0.01)
        yield
    finally:
        _held.discard(lock)
        with contextlib.suppress(OSError):  # not by closing alone: a child forked meanwhile has the file open too
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _lock_now(descriptor: int) -> bool:
    """Whether there is nothing to wait for: the lock is ours, or this file system has none."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _source_root(file: Path) -> Path:
    """The outermost package that holds `file`, else its folder; the games call nobody else and stand for themselves."""
    if _GAMES in file.parents:
        return _GAMES
    root = file.parent
    while (root / "__init__.py").exists() and (root.parent / "__init__.py").exists():
        root = root.parent
    return root


@functools.cache
def _cache_folder(root: Path) -> Path | None:
    """The folder for kernels whose sources lie under `root`, or None where none can be kept safely."""
    is_package = (root / "__init__.py").exists()
    sources = {
        Path(__file__).resolve(),
        *_GAMES.rglob("*.py"),
        *(root.rglob("*.py") if is_package else root.glob("*.py")),
    }
    digest = hashlib.sha256()
    try:
        for source in sorted(sources):
            if source.is_file():
                digest.update(source.read_bytes() + b"\0")
        base = _cache_base()
        folder = base / digest.hexdigest()[:16]
        base.parent.mkdir(parents=True, exist_ok=True)
        base.mkdir(mode=0o700, exist_ok=True)
        is_new = not folder.exists()
        folder.mkdir(mode=0o700, exist_ok=True)
        if not (_is_ours_alone(base) and _is_ours_alone(folder)):
            return None
        os.utime(folder)
    except (OSError, RuntimeError):  # a RuntimeError: this user has no home
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


def _is_ours_alone(folder: Path) -> bool:
    """Whether nobody else could have put machine code here (on Windows a user's folders are their own)."""
    if sys.platform == "win32":
        return True
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def _remove_stale(base: Path) -> None:
    """Remove the machine code of versions that no process has loaded for a month."""
    for folder in base.iterdir():
        with contextlib.suppress(OSError):  # another process does the same
            if time.time() - folder.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
