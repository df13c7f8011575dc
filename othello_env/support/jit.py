"""The decorator that compiles a function (a kernel) with Numba, and caches the machine code on disk.

Numba's cache notices only edits of the file that contains a kernel. A kernel of this package also calls functions of
`othello_env.support`, `othello_env.games` and `othello_agents`. So the kernels of this package are cached in a folder
that is named by one hash of these sources and of the versions of Numba and NumPy: after an edit or an upgrade, kernels
are compiled again. Kernels of other packages are not cached, nor is machine code that contains another package's game
(see `othello_env.support.dispatch`): nobody would notice their edits.

The first use of an installation compiles for up to half a minute. After some seconds, this is logged as a warning of
the logger ``othello_env``.

The folder is in ``NUMBA_CACHE_DIR``, or in the user's cache directory. Loading machine code runs it, so the folder must
be as trusted as the program. If a file of the cache cannot be read, its kernel is compiled again.

With ``NUMBA_DISABLE_JIT=1`` the kernels run as plain Python, so that a debugger can step through them.
"""

import contextlib
import functools
import gc
import hashlib
import importlib.util
import logging
import math
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar, cast, overload

import filelock
import numba
import numpy as np
import platformdirs

__all__ = [
    "Int",
    "interruptible",
    "is_compiled",
    "kernel",
    "options",
    "raise_interrupt",
    "with_array_library",
]

Int = int | np.int64
"""The type of integers in kernels: int64 in machine code, int or int64 if the kernel runs as plain Python."""

_F = TypeVar("_F", bound=Callable[..., Any])
_CONFIG: Any = getattr(numba, "config")  # noqa: B009 - Numba's type hints do not show its settings
_PACKAGES = ("othello_env", "othello_agents")
_CALLED = ("othello_env/support", "othello_env/games", "othello_agents")
"""The folders with the functions that kernels of this package call. A kernel's own file is checked by Numba."""
_KEPT_FOLDERS = 8
_QUIET_SECONDS = 3.0
"""How long a process may compile before it says so."""
_PATIENCE_SECONDS = 120.0


@overload
def kernel(function: _F) -> _F: ...
@overload
def kernel(*, inline: bool = False, slp: bool = False, no_refcount: bool = False) -> Callable[[_F], _F]: ...
def kernel(
    function: _F | None = None, *, inline: bool = False, slp: bool = False, no_refcount: bool = False
) -> _F | Callable[[_F], _F]:
    """Compile a function of plain numbers and arrays.

    The compiled function does not check indices, raises no arithmetic errors, and releases the interpreter's lock.

    Args:
        function: the kernel.
        inline: let LLVM, the compiler that Numba uses, copy the function's body into its callers. Then LLVM can
            vectorise a loop around the call. Use this option for small functions that kernels call in loops. Numba's
            own option `inline` is different: it makes Numba compile a copy of the function for each caller.
        slp: let LLVM combine equal operations into one vector operation (superword-level parallelism). Use this option
            for short functions that do the same work for each direction of the board and contain no loops or calls. Use
            it only for integers. By default, Numba turns SLP off, because calls of vectorised mathematical functions
            went wrong (Numba issue 8705).
        no_refcount: no reference counting. For twenty arrays, the counting takes longer than a small kernel's own work.
            Use this option for kernels that only other kernels call and that neither make nor return an array.
    """
    if function is None:
        decorate: Any = functools.partial(kernel, inline=inline, slp=slp, no_refcount=no_refcount)
        return cast(Callable[[_F], _F], decorate)
    if not is_compiled():
        return _interpreted(function)
    return cast(_F, _compiled(function, slp, options(inline=inline, no_refcount=no_refcount)))


def is_compiled() -> bool:
    """Whether kernels are compiled. With ``NUMBA_DISABLE_JIT=1`` they run as plain Python."""
    return not _CONFIG.DISABLE_JIT


def options(*, inline: bool, no_refcount: bool) -> dict[str, Any]:
    """The options for `numba.njit` that `kernel` describes.

    Numba does not document `forceinline`, `_nrt` and the two options for wrappers. A Numba without them gets none of
    them: then the same kernels are slower.
    """
    always = {"nogil": True, "error_model": "numpy"}
    undocumented = {
        "forceinline": inline,
        "_nrt": not no_refcount,
        "no_cfunc_wrapper": True,
        "no_cpython_wrapper": no_refcount,
    }
    return always | undocumented if _knows(*undocumented) else always


@functools.cache
def _knows(*names: str) -> bool:
    known = getattr(getattr(numba.njit(lambda: None), "targetdescr", None), "options", None)
    return all(hasattr(known, name) for name in names)


def _compiled(function: Callable[..., Any], slp: bool, options: dict[str, Any]) -> Any:
    """Make a Numba dispatcher that compiles in one process and one thread at a time."""
    folder = _folder() if function.__module__.partition(".")[0] in _PACKAGES else None
    dispatcher: Any = numba.njit(**options)(function)
    compile_now, others = dispatcher.compile, []
    if folder is not None:
        _use_cache(dispatcher, folder)

    def compile_without_cache(signature: Any) -> Any:
        known = dispatcher.overloads.get(tuple(getattr(signature, "args", signature)))
        if known is not None:  # without this, each kernel that calls this one would compile it again
            return known.entry_point
        fresh: Any = numba.njit(**options)(function)
        fresh.compile(signature)
        (compiled,) = fresh.overloads.values()
        others.append(fresh)  # Numba forgets the code of a dispatcher that is gone
        dispatcher.add_overload(compiled)
        return compiled.entry_point

    def compile_with_settings(signature: Any) -> Any:
        if folder is not None:
            _tell_of_first_use(folder)
        with _one_process(folder), _settings(slp), _signals_later():
            if folder is None:
                return compile_now(signature)
            if any(map(_is_foreign, getattr(signature, "args", signature))):
                return compile_without_cache(signature)
            try:
                return compile_now(signature)
            except numba.NumbaError:  # the kernel is wrong
                raise
            except Exception:  # the cache cannot be read or written, unless the next lines raise it again
                try:
                    dispatcher.recompile()  # this empties the cache of the kernel
                    compiled = compile_now(signature)
                except OSError:
                    compiled = compile_without_cache(signature)
                _tell_of_damage(folder)
                return compiled

    dispatcher.compile = compile_with_settings
    return dispatcher


def _use_cache(dispatcher: Any, folder: Path) -> None:
    """Let Numba cache a kernel in a folder."""
    before = _CONFIG.CACHE_DIR
    try:
        _CONFIG.CACHE_DIR = str(folder)
        dispatcher.enable_caching()
    except RuntimeError:  # there is no source file, or no folder can be written
        pass
    finally:
        _CONFIG.CACHE_DIR = before


def _tell_of_first_use(folder: Path) -> None:
    """Log, once for each folder, that kernels are compiled, if the cache was empty and this has taken some seconds."""
    if time.monotonic() - _began_to_fill(folder) > _QUIET_SECONDS:
        with contextlib.suppress(OSError):
            (folder / "told").touch(exist_ok=False)
            logging.getLogger("othello_env").warning(
                "othello-env: compiling for first use; this takes up to half a minute, once"
            )


@functools.cache
def _began_to_fill(folder: Path) -> float:
    """When this process began to compile. Infinity if the cache already had kernels then."""
    return math.inf if next(folder.rglob("*.nbi"), None) else time.monotonic()


@functools.cache
def _tell_of_damage(folder: Path) -> None:
    """Say on stderr, once for each folder, that a cache was damaged."""
    print(  # noqa: T201 - what was wrong is mended, so this is no error
        f"othello-env: compiled kernels in {str(folder)!r} cannot be read or written; they are compiled again",
        file=sys.stderr,
    )


def _is_foreign(kind: Any) -> bool:
    defined_by = getattr(kind, "instance_class", None)
    if defined_by is not None and defined_by.__module__.partition(".")[0] not in _PACKAGES:
        return True
    return any(map(_is_foreign, getattr(kind, "types", ())))


@contextlib.contextmanager
def _settings(slp: bool) -> Iterator[None]:
    """Switch LLVM's SLP vectoriser, and pause garbage collection, which would take a tenth of the time."""
    has_switch, collects = hasattr(_CONFIG, "SLP_VECTORIZE"), gc.isenabled()
    before = _CONFIG.SLP_VECTORIZE if has_switch else 0
    if has_switch:
        _CONFIG.SLP_VECTORIZE = int(slp)
    gc.disable()
    try:
        yield
    finally:
        if has_switch:
            _CONFIG.SLP_VECTORIZE = before
        if collects:
            gc.enable()


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Call Python's signal handlers after the block. So Ctrl+C takes effect when the kernel is compiled.

    A handler may raise an exception, such as KeyboardInterrupt. If that happens inside Numba, Numba may be unable to
    compile anything afterwards.
    """
    if threading.current_thread() is not threading.main_thread():  # handlers run only in the main thread
        yield
        return
    arrived: list[tuple[int, Any]] = []
    handlers: dict[int, Any] = {
        signum: handler for signum in signal.valid_signals() if callable(handler := signal.getsignal(signum))
    }
    for signum in handlers:
        signal.signal(signum, lambda number, frame: arrived.append((number, frame)))
    try:
        yield
    finally:
        for signum, handler in handlers.items():
            signal.signal(signum, handler)
        for number, frame in arrived:
            handlers[number](number, frame)


@contextlib.contextmanager
def _one_process(folder: Path | None) -> Iterator[None]:
    """Let one process compile at a time: the others wait and load its result.

    Processes that fill one cache at once have crashed (Numba issues 4807 and 10128). If the lock cannot be had within
    two minutes, compile without it: the process that has it may be stopped, for example by Ctrl-Z.
    """
    with contextlib.ExitStack() as stack:
        if folder is not None:
            with contextlib.suppress(Exception):  # whatever it is, it must not stop the compilation
                stack.enter_context(_lock(folder, os.getpid()).acquire(timeout=_PATIENCE_SECONDS))
        yield


@functools.cache
def _lock(folder: Path, process: int) -> filelock.BaseFileLock:
    """The lock of one process. A forked process needs its own, since filelock refuses that of its parent."""
    return filelock.FileLock(folder / "compiling.lock")


@functools.cache
def _folder() -> Path | None:
    """The cache folder of this package's kernels, or None if it cannot be made."""
    base = Path(_CONFIG.CACHE_DIR or platformdirs.user_cache_dir()) / "othello-env"
    folder = base / _digest()
    try:
        is_new = not folder.exists()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_new:
            others = sorted(base.iterdir(), key=lambda other: other.stat().st_mtime)
            for old in others[:-_KEPT_FOLDERS]:
                shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return None
    return folder


def _digest() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for place in _CALLED:
        package, _, room = place.partition("/")
        spec = importlib.util.find_spec(package)
        for root in spec.submodule_search_locations or () if spec else ():
            for file in sorted(Path(root, room).rglob("*.py")):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def raise_interrupt(error: BaseException) -> None:
    """Raise KeyboardInterrupt if an interrupt (Ctrl+C) caused this error.

    If an interrupt arrives while a kernel runs, Python notices the interrupt when the kernel returns. Numba then raises
    a SystemError whose cause is the KeyboardInterrupt. A broad ``except`` around kernels must call this function first.
    """
    cause: BaseException | None = error
    seen: set[int] = set()  # an error can be its own cause, so the chain of causes may have no end
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        seen.add(id(cause))
        cause = cause.__cause__ or cause.__context__


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt if an interrupt arrives while a kernel runs in this block; see `raise_interrupt`."""
    try:
        yield
    except SystemError as error:
        raise_interrupt(error)
        raise


def _interpreted(function: _F) -> _F:
    """The function as plain Python. As in machine code, 64-bit arithmetic wraps around without warnings."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return cast(_F, run)


def with_array_library(module: ModuleType, library: Any) -> Any:
    """The names of a module, with its kernels as plain Python functions that use another library in place of NumPy.

    So JAX can trace the same source that Numba compiles: ``with_array_library(bitboard, jax.numpy).legal_moves``. The
    functions also work on whole arrays. JAX cannot trace functions that branch on an array's values or write into it.
    """
    return _with_library(module, library)


def _replace_numpy(module: ModuleType, library: Any) -> Any:
    names = {name: library if value is np else value for name, value in vars(module).items()}
    for name, value in vars(module).items():
        function = getattr(value, "py_func", getattr(value, "__wrapped__", None))  # of Numba, or of `_interpreted`
        if not isinstance(function, FunctionType):
            continue
        if function.__module__ == module.__name__:
            names[name] = FunctionType(function.__code__, names, name)
        else:
            home = with_array_library(sys.modules[function.__module__], library)
            names[name] = getattr(home, function.__name__)
    return SimpleNamespace(**names)


_with_library: Callable[[Any, Any], Any] = functools.cache(_replace_numpy)
