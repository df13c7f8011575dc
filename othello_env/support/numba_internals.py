"""Compile functions with Numba in ways that Numba's documented options do not offer.

Only this file and `numba_parts` use or change Numba's internals. `missing` lists the internals that the installed Numba
lacks.
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
from filelock import FileLock
from numba.core import sigutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import RuntimeLinker
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaWarning
from numba.core.registry import cpu_target
from numba.core.types.containers import BaseNamedTuple, BaseTuple

from othello_env.support.kernel_cache import digest_of
from othello_env.support.numba_parts import PartCompiler, PartLibrary, part_libraries, parts_of_numba, set_environments

__all__ = ["compiled", "compiled_for", "missing", "overloaded"]

_CONFIG: Any = numba.core.config  # typed as Any, because Numba adds the settings at run time
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
    "numba.core.codegen:CPUCodeLibrary._finalize_dynamic_globals",
    "numba.core.codegen:CPUCodeLibrary._finalize_final_module",
    "numba.core.codegen:CPUCodeLibrary._get_module_for_linking",
    "numba.core.codegen:CPUCodeLibrary._optimize_final_module",
    "numba.core.codegen:CPUCodeLibrary._verify_declare_only_symbols",
    "numba.core.codegen:CPUCodeLibrary.serialize_using_bitcode",
    "numba.core.codegen:CPUCodeLibrary.serialize_using_object_code",
    "numba.core.codegen:CodeLibrary.codegen",
    "numba.core.codegen:JITCPUCodegen._library_class",
    "numba.core.codegen:JITCPUCodegen.set_env",
    "numba.core.codegen:JITCodeLibrary.get_pointer_to_function",
    "numba.core.codegen:RuntimeLinker.PREFIX",
    "numba.core.codegen:RuntimeLinker.scan_defined_symbols",
    "numba.core.compiler:CompileResult.entry_point",
    "numba.core.compiler:DefaultPassBuilder.define_nopython_pipeline",
    "numba.core.cpu:CPUTargetOptions._nrt",
    "numba.core.cpu:CPUTargetOptions.forceinline",
    "numba.core.cpu:CPUTargetOptions.no_cfunc_wrapper",
    "numba.core.lowering:Lower.create_cfunc_wrapper",
    "numba.core.lowering:Lower.create_cpython_wrapper",
    "numba.core.registry:CPUDispatcher.add_overload",
    "numba.core.registry:CPUDispatcher.compile",
    "numba.core.registry:CPUDispatcher.is_compiling",
    "numba.core.typed_passes:NativeLowering.lowering_class",
    "numba.core.typed_passes:NativeLowering.run_pass",
)


def compiled(function: Callable[..., Any], *, inline: bool, slp: bool, lean: bool, folder: Path | None) -> Any:
    """Make a function that Numba compiles on the first call with new argument types.

    The compiled function releases the interpreter's lock (the GIL). It raises no arithmetic errors, such as
    ZeroDivisionError.

    Args:
        function: the function to compile.
        inline: let LLVM, the compiler that Numba uses, copy the function's body into the callers of the function.
        slp: use LLVM's SLP vectoriser for this function; see `othello_env.support.jit.kernel`. The settings of the
            function's callers do not matter.
        lean: do not count references to arrays, and leave out the wrapper through which Python calls the function.
        folder: the cache folder for the machine code. If it is None, there is no cache.
    """
    njit: Any = numba.njit  # typed as Any, because Numba's type hints lack these options
    # `_nrt` says whether references are counted. Without `_nrt`, Numba would take the setting of the function's caller.
    options = {"error_model": "numpy", "forceinline": inline, "_nrt": not lean}
    dispatcher = njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=lean, **options)(function)
    _Kernel(dispatcher, folder, slp)
    return dispatcher


class _Kernel:
    """Compiles a function by Numba: as a whole kernel, or as a part of other kernels; see `numba_parts`.

    If the function's first caller is another kernel, the function is compiled as a part. If Python or a plain Numba
    function calls it later, it is compiled again as a whole kernel.
    """

    _depth = 0
    """The number of kernels whose compilation has begun and has not ended. Numba's lock protects it."""

    def __init__(self, dispatcher: Any, folder: Path | None, slp: bool) -> None:
        self._dispatcher, self._folder, self._slp = dispatcher, folder, slp
        self._function: Callable[..., Any] = dispatcher.py_func
        self._compile_now, self._add_whole = dispatcher.compile, dispatcher.add_overload
        self._compilers = {False: dispatcher._compiler.pipeline_class, True: PartCompiler}
        none = dispatcher._cache
        self._caches = {
            is_part: _Cache(self._function, folder, is_part) if folder else none for is_part in (False, True)
        }
        dispatcher.compile, dispatcher.add_overload = self._compile, self._add

    def _compile(self, signature: Any) -> Any:
        # Take Numba's lock first, then the lock file. Numba, too, takes its lock first if it compiles a plain Numba
        # function that calls this kernel. All threads take the locks in this order, so there is no deadlock.
        with global_compiler_lock:
            args, _ = sigutils.normalize_signature(signature)  # type: ignore[no-untyped-call]
            is_called_by_kernel = _Kernel._depth > 0
            known = self._dispatcher.overloads.get(tuple(args))
            if known is not None:
                if is_called_by_kernel or not isinstance(known.library, PartLibrary):
                    return known.entry_point
                del self._dispatcher.overloads[tuple(args)]
            # A kernel that calls itself with other types is not compiled as a part, because Numba needs the address of
            # the kernel's machine code for this call.
            is_part = is_called_by_kernel and not self._dispatcher.is_compiling
            with _one_process(self._function, self._folder), _settings(self._slp), self._compiling(is_part):
                entry_point = self._compile_now(signature)
            if not is_part:
                set_environments(self._dispatcher.overloads[tuple(args)])
            return entry_point

    @contextlib.contextmanager
    def _compiling(self, is_part: bool) -> Iterator[None]:
        """Let the dispatcher compile a part, or a whole kernel if `is_part` is false.

        A block may contain another block for the same kernel, because a kernel may call itself with other types.
        """
        dispatcher, compiler = self._dispatcher, self._dispatcher._compiler
        before = dispatcher._cache, compiler.pipeline_class
        dispatcher._cache, compiler.pipeline_class = self._caches[is_part], self._compilers[is_part]
        _Kernel._depth += 1
        try:
            with parts_of_numba() if _Kernel._depth == 1 else contextlib.nullcontext():
                yield
        finally:
            _Kernel._depth -= 1
            dispatcher._cache, compiler.pipeline_class = before

    def _add(self, compiled: Any) -> None:
        if isinstance(compiled.library, PartLibrary):
            # Python cannot call a part, so the part is added only to `overloads`, where compiled code finds it.
            self._dispatcher.overloads[tuple(compiled.signature.args)] = compiled
        else:
            self._add_whole(compiled)


def compiled_for(dispatcher: Any, args: Iterable[Any]) -> Callable[..., Any]:
    """Compile a function for the types of `args`. Return the machine code, which does not check its arguments."""
    types = tuple(map(numba.typeof, args))
    dispatcher.compile(types)
    entry_point: Callable[..., Any] = dispatcher.overloads[types].entry_point
    return entry_point


def overloaded(function: Callable[..., Any], choose: Callable[[Any], Callable[..., Any]], *, lean: bool) -> None:
    """Replace each call of `function` in compiled code by a call of the function that `choose` selects.

    Args:
        function: a function whose arguments are all positional.
        choose: a function that returns a compiled function. If the first argument of the call is a named tuple,
            `choose` gets the class of this named tuple. Otherwise `choose` gets None.
        lean: do not count references to arrays.
    """
    # Numba gets the Python body of the chosen function, and compiles this body for the caller's types. If Numba got a
    # function that only calls the chosen function, Numba would have to compile two functions.
    names = ", ".join(inspect.signature(function).parameters)

    def body_for(kind: Any) -> Any:
        chosen: Any = choose(getattr(kind, "instance_class", None))
        return chosen.py_func

    typed = eval(f"lambda {names}: _body_for({names.partition(',')[0]})", {"_body_for": body_for})  # noqa: S307
    # The type is Any, because Numba's type hints lack `_nrt`.
    options: Any = {"error_model": "numpy", "forceinline": lean, "_nrt": not lean, "pipeline_class": PartCompiler}
    numba.extending.overload(function, strict=False, jit_options=options)(typed)


def missing() -> list[str]:
    """The names of the internals that this file or `numba_parts` uses but the installed Numba does not have."""
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


def _one_process(function: Callable[..., Any], folder: Path | None) -> contextlib.AbstractContextManager[Any]:
    if folder is None:
        return contextlib.nullcontext()
    return FileLock(folder / f"{function.__module__}.{function.__qualname__}.lock", is_singleton=True)


@contextlib.contextmanager
def _settings(slp: bool) -> Iterator[None]:
    """Turn LLVM's SLP vectoriser on or off, and pause garbage collection.

    The pause saves at least a tenth of the compilation time.
    """
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
    """Gives Numba the cache folder. The folder's name is a hash of the sources, so Numba need not check for changes."""

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
"""The unresolved references (calls of functions that are not compiled yet) for which a warning was already given. Only
some recursive kernels have such references."""
_registry: dict[Any, Any] = {}


class _Storage(CompileResultCacheImpl):
    """Stores machine code as Numba's cache does.

    Recursive kernels are treated as `othello_env.support.jit` explains.
    """

    def __init__(self, function: Callable[..., Any], folder: Path, is_part: bool) -> None:
        self._module, self._is_part = function.__module__, is_part
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Locator(function, folder)
        name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}{'.part' if is_part else ''}"
        abi = getattr(sys, "abiflags", "")
        self._filename_base = self.get_filename_base(name, abi)  # type: ignore[no-untyped-call]

    def check_cachable(self, cres: Any) -> bool:
        if not super().check_cachable(cres):  # type: ignore[no-untyped-call]
            return False
        symbols = (variable.name for variable in cres.library._get_module_for_linking().global_variables)
        references = {symbol for symbol in symbols if symbol.startswith(_UNRESOLVED)}
        if references - _warned_of:  # the kernel's callers have the same references, but need no second warning
            _warned_of.update(references)
            warnings.warn_explicit(
                f"{cres.fndesc.qualname} calls itself with other types, so it and its callers are compiled again in "
                "each process. A literal has its own type: pass a variable instead",
                NumbaWarning,
                self._locator._py_file,
                self._lineno,
                registry=_registry,
            )
        return not references

    def reduce(self, cres: Any) -> Any:
        """The data to store: the code, and a hash of the sources for each module on which the code depends.

        Raises:
            OSError: a source cannot be read.
        """
        # the modules of all called functions and of the named tuples among the arguments
        modules = {each.globals["__name__"] for each in cres._find_referenced_environments()}
        modules |= {each.__module__ for each in _named_tuples(cres.signature.args)}
        modules -= {self._module, *(name for name in modules if name.partition(".")[0] == "numba")}
        return super().reduce(cres), {name: digest_of(name) for name in modules}  # type: ignore[no-untyped-call]

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Load stored code. Tell Numba the address of a whole kernel, because recursive kernels may need it later.

        Raises:
            OSError: a source has changed, or cannot be read.
        """
        code, digests = payload
        for name, digest in digests.items():
            if digest_of(name) != digest:
                raise OSError(f"{name} has changed")
        if self._is_part:
            with part_libraries():
                return super().rebuild(target_context, code)  # type: ignore[no-untyped-call]
        loaded = super().rebuild(target_context, code)  # type: ignore[no-untyped-call]
        loaded.codegen._rtlinker.scan_defined_symbols(loaded.library._get_module_for_linking())
        return loaded


class _Cache(FunctionCache):
    """Numba's cache of one function. A cache file that is damaged, or cannot be read or written, causes no error."""

    _impl_class: Any

    def __init__(self, function: Callable[..., Any], folder: Path, is_part: bool) -> None:
        self._impl_class = functools.partial(_Storage, folder=folder, is_part=is_part)
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
        with contextlib.suppress(OSError):  # for example, the disk is full or the folder is gone
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


def _named_tuples(kinds: Iterable[Any]) -> Iterator[type]:
    """The classes of the named tuples among these Numba types, including named tuples inside tuples."""
    for kind in set(kinds):
        if isinstance(kind, BaseNamedTuple):
            yield kind.instance_class  # type: ignore[attr-defined]
        if isinstance(kind, BaseTuple):
            yield from _named_tuples(kind.types)  # type: ignore[attr-defined]
