"""The decorator that compiles a function (a kernel) with Numba, and caches the machine code on disk.

Numba's own cache notices only changes of the file that contains the compiled function. If this function calls a
function in another file, and the other file is edited, the old machine code keeps running. So this package stores a
kernel's machine code in a folder whose name is a hash of sources: the source of the kernel's module, and the sources of
the modules that it imports. Only imports from the module's own package, from `othello_env`, or from the folder of a
script are included; `othello_env.support.sources` has the exact rules. If one of these sources is edited or upgraded,
the kernel is compiled again. Edits of comments and docstrings do not matter, except in the kernel's own file.

A kernel may also call a function that its module does not import, because another module registered this function with
`numba.extending.overload`. So the machine code is stored together with the hashes of more modules: the modules whose
functions the kernel calls, and the modules that define the named tuples among its arguments. The machine code is loaded
only if none of these modules has changed. Edits of all other files do not matter.

The machine code contains the values of the globals that the kernel reads. So these values must depend only on the
hashed sources. A value that depends on anything else must be passed as an argument.

Numba compiles one version of a kernel for each combination of argument types. If one version of a kernel calls another
version of the same kernel, the kernel and its callers are not cached, and a warning names the kernel. The reason: such
a call goes to an address that is valid only in this process. In another process, the call would crash. An example is a
kernel `down` that calls ``down(n - 1, True)``, because Numba gives the literal ``True`` a type of its own. Other
recursive kernels are cached.

A kernel that only other kernels call has no machine code of its own: it is compiled as a part of its callers (see
`numba_parts`). If Python calls it later, it is compiled once more.

If several processes start at the same time, one process compiles a kernel, and the other processes wait and load the
result. If the cache is damaged, or cannot be read or written, kernels are compiled again. Such a problem never raises
an error.

Loading from a cache can run any code, because machine code is executed and Numba's index is a pickle. So a cache must
be as trusted as the program. The cache is a folder in ``NUMBA_CACHE_DIR`` or in the user's own cache directory. The
folder is made so that only its owner can use it. If the folder belongs to another user, or if others may write to it,
nothing is loaded from it or stored in it.

With ``NUMBA_DISABLE_JIT=1`` the kernels run as plain Python, so that a debugger can step through them.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast, overload

import numba.core.config
import numpy as np

from othello_env.support.kernel_cache import cache_folder, folder_of
from othello_env.support.numba_internals import compiled, compiled_for

__all__ = ["Int", "cache_is_empty", "entry_point", "interruptible", "is_compiled", "kernel", "raise_interrupt"]

Int = int | np.int64
"""The type of integers in kernels: int64 in machine code, int or int64 if the kernel runs as plain Python."""

_F = TypeVar("_F", bound=Callable[..., Any])
_CONFIG: Any = numba.core.config  # typed as Any, because Numba adds the settings at run time


@overload
def kernel(function: _F) -> _F: ...
@overload
def kernel(*, inline: bool = False, slp: bool = False, lean: bool = False) -> Callable[[_F], _F]: ...
def kernel(
    function: _F | None = None, *, inline: bool = False, slp: bool = False, lean: bool = False
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
        lean: do not count references to arrays. For twenty arrays, the counting takes longer than a small kernel's
            own work. Use this option for kernels that only other kernels call and that neither make nor return an
            array. Numba refuses the option for all other kernels.
    """

    def compile_it(function: _F) -> _F:
        if _CONFIG.DISABLE_JIT:
            return _interpreted(function)
        return cast(_F, compiled(function, inline=inline, slp=slp, lean=lean, folder=folder_of(function)))

    return compile_it if function is None else compile_it(function)


def entry_point(function: _F, *args: Any) -> _F:
    """A kernel's machine code for arguments with the types of `args`.

    The kernel is compiled if necessary, but not called.

    The machine code does not check the types of its arguments. For twenty arrays, such a check takes longer than a
    small kernel's own work. All arguments must be positional and have the same types as `args`. If an array has another
    dtype or layout, the machine code misreads the array, and no error is raised.
    """
    return function if _CONFIG.DISABLE_JIT else cast(_F, compiled_for(function, args))


def is_compiled() -> bool:
    """Whether kernels are compiled. With ``NUMBA_DISABLE_JIT=1`` they run as plain Python."""
    return not _CONFIG.DISABLE_JIT


def cache_is_empty() -> bool:
    """Whether no kernel has been compiled and stored yet, or none can be stored."""
    try:
        return is_compiled() and next(cache_folder().rglob("*.nbi"), None) is None
    except (OSError, RuntimeError):  # there is no safe folder for the cache
        return True


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
