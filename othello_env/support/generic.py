"""Kernels with a version for each type of their first argument, chosen when their caller is compiled.

A step of N games is one kernel for all kinds of games (`othello_env.games.batch.play`). It calls a few generic kernels,
of which each kind has its version. Compiled code has no trace of the choice.
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
"""For each generic kernel its versions by type, and under None its own body."""
_lean: dict[_Kernel, bool] = {}
"""Whether the versions of each generic kernel are lean."""


def generic(*, lean: bool = False) -> Callable[[_F], _F]:
    """A decorator that makes a kernel of which there are versions; its own body is the one for types that have none.

    Args:
        lean: see `othello_env.support.jit.kernel`; it holds for all versions.
    """
    return lambda default: _generic(default, lean)


def _generic(default: _F, lean: bool) -> _F:
    versions: dict[type | None, _Kernel] = {None: kernel(lean=lean)(default)}

    def choose(kind: type | None) -> _Kernel:
        return versions.get(kind, versions[None])

    @functools.wraps(default)
    def call(first: Any, *others: Any) -> Any:  # from Python, and with NUMBA_DISABLE_JIT
        return choose(type(first))(first, *others)

    _versions[call], _lean[call] = versions, lean
    overloaded(call, choose, lean=lean)
    return cast(_F, call)


def version(of: _Kernel, kind: type) -> Callable[[_F], _F]:
    """A decorator that makes a kernel: the version of a generic one for first arguments of a NamedTuple class."""

    def register(function: _F) -> _F:
        _versions[of][kind] = compiled = kernel(inline=_lean[of], lean=_lean[of])(function)
        return compiled

    return register


def version_for(of: _F, kind: type) -> _F:
    """The version of a generic kernel for first arguments of this NamedTuple class; any other kernel as it is."""
    versions = _versions.get(of)
    return of if versions is None else cast(_F, versions.get(kind, versions[None]))
