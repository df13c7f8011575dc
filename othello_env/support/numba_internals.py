"""Functions compiled by Numba, in ways that its documented options do not offer.

All that this package uses or changes of Numba's internals is in this file. `missing` names what of it the installed
Numba has not.
"""

import contextlib
import functools
import gc
import inspect
import pkgutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numba
import numba.core.config
import numba.extending
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import RuntimeLinker
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaWarning
from numba.core.registry import cpu_target
from numba.core.types.containers import BaseNamedTuple, BaseTuple

from othello_env.support.kernel_cache import digest_of
from othello_env.support.locks import one_process

__all__ = ["compiled", "compiled_for", "missing", "overloaded"]

_CONFIG: Any = numba.core.config  # its settings are made at run time
_UNRESOLVED = RuntimeLinker.PREFIX
_USED = (
    "numba.core.compiler:CompileResult._find_referenced_environments",
    "numba.core.config:SLP_VECTORIZE",
    "numba.core.caching:CompileResultCacheImpl.check_cachable",
    "numba.core.caching:CompileResultCacheImpl.get_filename_base",
    "numba.core.caching:CompileResultCacheImpl.rebuild",
    "numba.core.caching:CompileResultCacheImpl.reduce",
    "numba.core.caching:FunctionCache.flush",
    "numba.core.caching:FunctionCache.load_overload",
    "numba.core.caching:FunctionCache.save_overload",
    "numba.core.codegen:CPUCodeLibrary._get_module_for_linking",
    "numba.core.codegen:RuntimeLinker.PREFIX",
    "numba.core.codegen:RuntimeLinker.scan_defined_symbols",
    "numba.core.compiler:CompileResult.entry_point",
    "numba.core.cpu:CPUTargetOptions._nrt",
    "numba.core.cpu:CPUTargetOptions.forceinline",
    "numba.core.cpu:CPUTargetOptions.no_cfunc_wrapper",
    "numba.core.registry:CPUDispatcher.compile",
)


def compiled(function: Callable[..., Any], *, inline: bool, slp: bool, lean: bool, folder: Path | None) -> Any:
    """A function that Numba compiles when it is first called with new types, without Python's lock and error checks.

    Args:
        function: what to compile.
        inline: let LLVM paste the function's body into its callers.
        slp: compile with LLVM's SLP vectoriser, whatever is compiled around the function.
        lean: do not count references to arrays, and leave out what Python would call.
        folder: where machine code is cached; with None it is not cached.
    """
    njit: Any = numba.njit  # its types leave these options out
    options = {"error_model": "numpy", "forceinline": inline, "_nrt": not lean}  # else its caller's _nrt would hold
    dispatcher = njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=lean, **options)(function)
    compile_now = dispatcher.compile
    if folder is not None:
        dispatcher._cache = _Cache(function, folder)

    def compile_alone(signature: Any) -> Any:
        # Numba's lock comes first, as it does when a function that is no kernel calls this one: so no two threads can
        # wait for each other.
        with global_compiler_lock, _one_process(function, folder), _settings(slp):
            return compile_now(signature)

    dispatcher.compile = compile_alone
    return dispatcher


def compiled_for(dispatcher: Any, args: Iterable[Any]) -> Callable[..., Any]:
    """What a compiled function calls for arguments of these types, without looking at them."""
    types = tuple(map(numba.typeof, args))
    dispatcher.compile(types)
    entry_point: Callable[..., Any] = dispatcher.overloads[types].entry_point
    return entry_point


def overloaded(function: Callable[..., Any], choose: Callable[[Any], Callable[..., Any]], *, lean: bool) -> None:
    """Let compiled functions that call this one call the one that is chosen for the type of its first argument.

    Args:
        function: with positional arguments only.
        choose: from the class of a named tuple, or from None, to a compiled function.
        lean: do not count references to arrays.
    """
    # Numba compiles the body for each caller's types; a call of the compiled function would be compiled besides.
    names = ", ".join(inspect.signature(function).parameters)

    def body_for(kind: Any) -> Any:
        chosen: Any = choose(getattr(kind, "instance_class", None))
        return chosen.py_func

    typed = eval(f"lambda {names}: _body_for({names.partition(',')[0]})", {"_body_for": body_for})  # noqa: S307
    options: Any = {"error_model": "numpy", "forceinline": lean, "_nrt": not lean}  # its types leave the last one out
    numba.extending.overload(function, strict=False, jit_options=options)(typed)


def missing() -> list[str]:
    """The names of Numba's internals that are used here and that the installed Numba does not have."""
    names = [name for name in _USED if not _is_there(name)]
    target: Any = cpu_target.target_context
    codegen = target.codegen()
    return names if hasattr(codegen, "_rtlinker") else [*names, "numba.core.codegen:CPUCodegen._rtlinker"]


def _is_there(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True


def _one_process(function: Callable[..., Any], folder: Path | None) -> contextlib.AbstractContextManager[None]:
    if folder is None:
        return contextlib.nullcontext()
    return one_process(folder / f"{function.__module__}.{function.__qualname__}.lock")


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


class _Locator:
    """Where the files of Numba's cache are. The folder's name stands for the sources, so Numba need not check them."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._py_file = function.__code__.co_filename
        self._line = function.__code__.co_firstlineno
        self._folder = folder

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> None:
        return None

    def get_disambiguator(self) -> str:
        return str(self._line)


_warned_of: set[str] = set()
"""The references for which a warning was given."""
_registry: dict[Any, Any] = {}


class _Storage(CompileResultCacheImpl):
    """How Numba's cache stores machine code, made safe for recursive kernels; see `jit`."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._module = function.__module__
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Locator(function, folder)
        name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        abi = getattr(sys, "abiflags", "")
        self._filename_base = self.get_filename_base(name, abi)  # type: ignore[no-untyped-call]

    def check_cachable(self, cres: Any) -> bool:
        if not super().check_cachable(cres):  # type: ignore[no-untyped-call]
            return False
        symbols = (variable.name for variable in cres.library._get_module_for_linking().global_variables)
        references = {symbol for symbol in symbols if symbol.startswith(_UNRESOLVED)}
        if references - _warned_of:  # once for the kernel, not for each of its callers too
            _warned_of.update(references)
            warnings.warn_explicit(
                f"{cres.fndesc.qualname} calls itself with other types, so it and its callers are compiled anew in "
                "each process. A literal is a type of its own: pass a variable",
                NumbaWarning,
                self._locator._py_file,
                self._lineno,
                registry=_registry,
            )
        return not references

    def reduce(self, cres: Any) -> Any:
        """What is stored: the code, and a hash of the sources of each module that it depends on.

        Raises:
            OSError: a source cannot be read.
        """
        modules = {each.globals["__name__"] for each in cres._find_referenced_environments()}  # of all that it calls
        modules |= {each.__module__ for each in _named_tuples(cres.signature.args)}
        modules -= {self._module, *(name for name in modules if name.partition(".")[0] == "numba")}
        return super().reduce(cres), {name: digest_of(name) for name in modules}  # type: ignore[no-untyped-call]

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The stored code, made known to recursive kernels that are compiled later and call it.

        Raises:
            OSError: a source has changed, or cannot be read.
        """
        code, digests = payload
        for name, digest in digests.items():
            if digest_of(name) != digest:
                raise OSError(f"{name} has changed")
        loaded = super().rebuild(target_context, code)  # type: ignore[no-untyped-call]
        loaded.codegen._rtlinker.scan_defined_symbols(loaded.library._get_module_for_linking())
        return loaded


class _Cache(FunctionCache):
    """Numba's cache of one function, except that nothing that is wrong with its files stops a call."""

    _impl_class: Any

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._impl_class = functools.partial(_Storage, folder=folder)
        super().__init__(function)  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except OSError:  # a file cannot be read, or a source has changed
            return None
        except Exception:  # unpickling a damaged file can raise anything
            with contextlib.suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):  # the disk is full, say, or the folder is gone
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


def _named_tuples(kinds: Iterable[Any]) -> Iterator[type]:
    """The classes of the named tuples among these Numba types, also of those within tuples."""
    for kind in set(kinds):
        if isinstance(kind, BaseNamedTuple):
            yield kind.instance_class  # type: ignore[attr-defined]
        if isinstance(kind, BaseTuple):
            yield from _named_tuples(kind.types)  # type: ignore[attr-defined]
