"""Dispatch: kernels (compiled functions) that have an implementation for each game.

The type of the first argument selects the implementation. In compiled code, it is selected while the caller is
compiled, so the selection takes no time when the code runs.

A subclass of a type has the implementations of this type, except those that it replaces. So a variant of a game's rules
needs only the kernels that differ.

The kernels in `othello_env.games.batch.step` step N games of any kind. They call a few kernels that each kind of game
implements.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba.extending

from othello_env.support.jit import kernel, options

__all__ = ["dispatched", "implementation"]

_F = TypeVar("_F", bound=Callable[..., Any])
_Kernel = Callable[..., Any]
_implementations: dict[_Kernel, dict[type | None, _Kernel]] = {}
"""For each dispatched kernel, a dict from the type of the first argument to the implementation.

The implementation under the key None serves all other types.
"""
_no_refcount: dict[_Kernel, bool] = {}


def dispatched(*, no_refcount: bool = False) -> Callable[[_F], _F]:
    """A decorator for a kernel that has several implementations.

    The decorated function serves all types that have no implementation of their own.

    Args:
        no_refcount: see `othello_env.support.jit.kernel`. The setting applies to all implementations.
    """
    return lambda default: _dispatched(default, no_refcount)


def _dispatched(default: _F, no_refcount: bool) -> _F:
    known: dict[type | None, _Kernel] = {None: kernel(no_refcount=no_refcount)(default)}

    def choose(kind: type | None) -> Any:
        if kind in known:
            return known[kind]
        bases = () if kind is None else kind.__mro__
        return next((known[base] for base in bases if base in known), known[None])

    @functools.wraps(default)
    def call(first: Any, *others: Any) -> Any:  # for calls from Python
        return choose(type(first))(first, *others)

    _implementations[call], _no_refcount[call] = known, no_refcount
    # Numba gets the Python body of the chosen kernel, and compiles it for the caller's types.
    names = ", ".join(inspect.signature(default).parameters)
    body = eval(  # noqa: S307 - Numba wants a function with the same names of arguments
        f"lambda {names}: _choose(getattr({names.partition(',')[0]}, 'instance_class', None)).py_func",
        {"_choose": choose},
    )
    chosen: Any = options(inline=no_refcount, no_refcount=no_refcount)  # Numba's hints lack the undocumented options
    numba.extending.overload(call, strict=False, jit_options=chosen)(body)
    return cast(_F, call)


def implementation(of: _Kernel, kind: type) -> Callable[[_F], _F]:
    """A decorator for the implementation of the kernel `of` for a first argument of the class `kind`."""

    def register(function: _F) -> _F:
        _implementations[of][kind] = compiled = kernel(inline=_no_refcount[of], no_refcount=_no_refcount[of])(function)
        return compiled

    return register
