"""The decorator that compiles a kernel and keeps the machine code between processes.

Numba's own cache looks only at the file of the compiled function: if that function calls another one in another file,
and the other one is edited, the old machine code keeps running. So a kernel's machine code is kept in a folder whose
name is a hash of all sources that the kernel may call: its module and all that this module imports from its own
package, from this package or from beside a script (`sources` has the rules). An edit or an upgrade of one of them
compiles the kernel anew; other edits do not, nor do edits of comments and docstrings elsewhere.

A kernel may also call functions that its module does not import, which others registered for the class of an argument
(`numba.extending.overload`). So the machine code is stored together with a hash of the sources of each module that it
has functions of, and of each named tuple that it takes. It is loaded only if they have not changed.

A global that a kernel reads is frozen into its machine code, so its value must follow from these sources only. What
comes from elsewhere is an argument.

A kernel that calls itself with other types than its own is not kept, nor are its callers: Numba compiles one version
within the other, and the inner one reaches the outer by an address of this process, so another process would crash. A
warning says so. A literal is a type of its own: ``down(n - 1, True)`` is such a call. Other recursive kernels are kept.

Of several processes that start at once, one compiles a kernel and the others wait for it and load what it wrote. A
cache that cannot be read or written, or is damaged, costs time and is never an error.

Loading machine code runs it, and Numba's index is a pickle, so a cache must be as trusted as the program. It lies in
``NUMBA_CACHE_DIR`` or the user's own cache directory, in a folder that only its owner can use. If that folder belongs
to another user, or others may write to it, nothing is loaded from it or stored there.

With ``NUMBA_DISABLE_JIT=1`` the kernels run as the plain Python that they are, and a debugger can step through them.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast, overload

import numba.core.config
import numpy as np

from othello_env.support.kernel_cache import folder_of
from othello_env.support.numba_internals import compiled, compiled_for

__all__ = ["Int", "entry_point", "interruptible", "kernel", "raise_interrupt"]

Int = int | np.int64
"""An integer of a kernel: int64 in machine code, either type where the kernel runs as plain Python."""

_F = TypeVar("_F", bound=Callable[..., Any])
_CONFIG: Any = numba.core.config  # its settings are made at run time


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
        slp: let LLVM do equal operations side by side in one vector (superword-level parallelism). For short functions
            without loops and calls that do the same in several directions. Numba leaves this off since calls of
            vectorised mathematical functions went wrong (its issue 8705), so it is for integers only.
        lean: do not count references to arrays. With twenty arrays that takes longer than a small kernel does. For
            kernels that only kernels call, and that neither make an array nor return one; Numba refuses others.
    """

    def compile_it(function: _F) -> _F:
        if _CONFIG.DISABLE_JIT:
            return _interpreted(function)
        return cast(_F, compiled(function, inline=inline, slp=slp, lean=lean, folder=folder_of(function)))

    return compile_it if function is None else compile_it(function)


def entry_point(function: _F, *args: Any) -> _F:
    """A kernel's machine code for arguments of these types; it is compiled if necessary, but not called.

    A call of it does not look at the types of its arguments. With twenty arrays that takes longer than a small kernel
    does. All arguments must be positional and have the same types as `args`: an array of another dtype or layout is
    misread silently.
    """
    return function if _CONFIG.DISABLE_JIT else cast(_F, compiled_for(function, args))


def raise_interrupt(error: BaseException) -> None:
    """Raise KeyboardInterrupt if it caused this error.

    Python notices an interrupt that arrives in a kernel when the kernel returns, and what Numba then raises is a
    SystemError caused by it. A broad ``except`` around kernels must call this first.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        cause = cause.__cause__ or cause.__context__


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Raise an interrupt that arrives in a kernel as KeyboardInterrupt; see `raise_interrupt`."""
    try:
        yield
    except SystemError as error:
        raise_interrupt(error)
        raise


def _interpreted(function: _F) -> _F:
    """The function itself, with 64-bit arithmetic that wraps around silently, as it does in machine code."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return cast(_F, run)
