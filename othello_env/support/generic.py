"""Kernels with a version for each type of their first argument, chosen when their caller is compiled.

A step of N games is one kernel for all kinds of games (`othello_env.games.batch.play`). It calls a few generic kernels,
of which each kind has its version. Compiled code has no trace of the choice.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba.extending import overload

from othello_env.support.jit import kernel

__all__ = ["generic", "version", "version_for"]

_F = TypeVar("_F", bound=Callable[..., Any])
_versions: dict[Callable[..., Any], dict[Any, Callable[..., Any]]] = {}
"""For each generic kernel its versions by type, and under None its own body."""


def generic(*, lean: bool = False) -> Callable[[_F], _F]:
    """A decorator that makes a kernel of which there are versions; its own body is the one for types that have none.

    Args:
        lean: see `othello_env.support.jit.kernel`; it holds for all versions.
    """
    return lambda default: _generic(default, lean)


def _generic(default: _F, lean: bool) -> _F:
    own_body: Any = kernel(lean=lean)(default)
    versions: dict[Any, Callable[..., Any]] = {None: own_body}

    @functools.wraps(default)
    def call(first: Any, *others: Any) -> Any:  # from Python, and with NUMBA_DISABLE_JIT
        chosen: Any = versions.get(type(first), own_body)
        return chosen(first, *others)

    # Numba packs and counts references for `*others`, which takes 30 times as long as a small kernel; so the functions
    # that it sees have the arguments by name.
    names = ", ".join(inspect.signature(default).parameters)
    first_name = names.partition(",")[0]

    def chosen_for(kind: Any) -> Callable[..., Any]:
        chosen = versions.get(getattr(kind, "instance_class", None), own_body)
        made: Callable[..., Any] = eval(f"lambda {names}: _version({names})", {"_version": chosen})  # noqa: S307 - our own names
        return made

    choose = eval(f"lambda {names}: _chosen_for({first_name})", {"_chosen_for": chosen_for})  # noqa: S307 - our own names
    options: Any = {"forceinline": True, "error_model": "numpy", "_nrt": not lean}  # its types leave the last one out
    overload(call, strict=False, jit_options=options)(choose)
    _versions[call] = versions
    return cast(_F, call)


def version(of: Callable[..., Any], kind: type) -> Callable[[_F], _F]:
    """A decorator that makes a kernel the version of a generic one for first arguments of this NamedTuple class."""

    def register(function: _F) -> _F:
        _versions[of][kind] = function
        return function

    return register


def version_for(of: _F, kind: type) -> _F:
    """The version of a generic kernel for first arguments of this NamedTuple class; any other kernel as it is."""
    versions = _versions.get(of)
    return of if versions is None else cast(_F, versions.get(kind, versions[None]))
