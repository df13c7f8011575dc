"""Generic kernels: compiled functions that have several versions.

The type of a generic kernel's first argument selects the version that is called. The version is selected when the
caller is compiled, so the selection takes no time when the compiled code runs.

The kernels in `othello_env.games.batch.play` step N games of any kind. They call a few generic kernels, and each kind
of game has its own versions of the generic kernels.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from othello_env.support.jit import kernel
from othello_env.support.numba_internals import overloaded

__all__ = ["generic", "version", "version_for"]

_F = TypeVar("_F", bound=Callable[..., Any])
_Kernel = Callable[..., Any]
_versions: dict[_Kernel, dict[type | None, _Kernel]] = {}
"""For each generic kernel, its versions: a dict from the type of the first argument to the version.

The version under the key None serves all types that are not in the dict.
"""
_lean: dict[_Kernel, bool] = {}
"""For each generic kernel, whether its versions are lean; see `othello_env.support.jit.kernel`."""


def generic(*, lean: bool = False) -> Callable[[_F], _F]:
    """A decorator that makes a generic kernel.

    The decorated function serves all types that have no version of their own.

    Args:
        lean: see `othello_env.support.jit.kernel`. The setting applies to all versions.
    """
    return lambda default: _generic(default, lean)


def _generic(default: _F, lean: bool) -> _F:
    versions: dict[type | None, _Kernel] = {None: kernel(lean=lean)(default)}

    def choose(kind: type | None) -> _Kernel:
        return versions.get(kind, versions[None])

    @functools.wraps(default)
    def call(first: Any, *others: Any) -> Any:  # only for calls from Python; compiled code calls a version directly
        return choose(type(first))(first, *others)

    _versions[call], _lean[call] = versions, lean
    overloaded(call, choose, lean=lean)
    return cast(_F, call)


def version(of: _Kernel, kind: type) -> Callable[[_F], _F]:
    """A decorator that makes a version of the generic kernel `of`.

    Calls whose first argument is of the class `kind` use this version.
    """

    def register(function: _F) -> _F:
        _versions[of][kind] = compiled = kernel(inline=_lean[of], lean=_lean[of])(function)
        return compiled

    return register


def version_for(of: _F, kind: type) -> _F:
    """The version of `of` for a first argument of the class `kind`, or `of` itself if this kernel is not generic."""
    versions = _versions.get(of)
    return of if versions is None else cast(_F, versions.get(kind, versions[None]))
