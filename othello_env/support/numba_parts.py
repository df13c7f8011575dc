"""Parts: kernels that are compiled only as parts of other kernels.

Numba makes machine code for every function that it compiles, with a wrapper through which Python calls the function.
If a function is called only by other compiled functions, its machine code and its wrapper are useless, because each
caller contains a copy of the function. So this package translates such a function only into LLVM's code, without
optimisation. LLVM then optimises this code inside each caller. This saves a quarter to a third of the time until a
kernel's first result.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import numba.core.config
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler, CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.event import Event, Listener, install_listener
from numba.core.lowering import Lower
from numba.core.registry import cpu_target
from numba.core.typed_passes import NativeLowering

__all__ = ["PartCompiler", "PartLibrary", "part_libraries", "parts_of_numba", "set_environments"]

_CONFIG: Any = numba.core.config  # typed as Any, because Numba adds the settings at run time


class _NoMachineCode:
    """Takes the place of Numba's object that sets addresses in machine code, because a part has no machine code."""

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing. Later, `set_environments` sets a part's environment in the machine code of the part's callers."""


class PartLibrary(JITCodeLibrary):
    """A function in LLVM's code, without machine code.

    There is one exception. If several functions call each other in a circle, or a function calls itself with other
    types, Numba calls them by the addresses of their machine code. So these functions get machine code.
    """

    codegen: Any = _NoMachineCode()

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0

    def serialize_using_object_code(self) -> Any:
        return self.serialize_using_bitcode()  # type: ignore[no-untyped-call]

    def _optimize_final_module(self) -> None:
        """Optimise only functions that use the SLP vectoriser. All others are optimised inside their callers."""
        if _CONFIG.SLP_VECTORIZE:
            super()._optimize_final_module()  # type: ignore[no-untyped-call]

    def _finalize_final_module(self) -> None:
        if any(each.name.startswith(RuntimeLinker.PREFIX) for each in self._final_module.global_variables):
            super()._finalize_final_module()  # type: ignore[no-untyped-call]
            return
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._verify_declare_only_symbols()  # type: ignore[no-untyped-call]
        self._finalized = True


class _PartLower(Lower):
    """Lowers a function (translates it into LLVM's code) without the wrappers through which Python or C call it."""

    def create_cpython_wrapper(self, release_gil: bool = False) -> None:
        pass

    def create_cfunc_wrapper(self) -> None:
        pass


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class _PartLowering(NativeLowering):
    """Lowers a function into a `PartLibrary`.

    The compiler's flags are the same as for a whole kernel, because the names of functions in the code depend on
    these flags.
    """

    _name = "part_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return _PartLower

    def run_pass(self, state: Any) -> Any:
        name = state.func_id.func_qualname
        state.library = PartLibrary(state.targetctx.codegen(), name)  # type: ignore[no-untyped-call]
        return super().run_pass(state)  # type: ignore[no-untyped-call]


class PartCompiler(CompilerBase):
    """Numba's compiler, for parts."""

    def define_pipelines(self) -> list[Any]:
        passes: Any = DefaultPassBuilder.define_nopython_pipeline(self.state)  # type: ignore[no-untyped-call]
        passes.passes = [(_PartLowering if each is NativeLowering else each, text) for each, text in passes.passes]
        passes.finalize()
        return [passes]


class _PartsOfNumba(Listener):
    """Makes Numba compile its own functions, such as its version of `numpy.empty`, as parts.

    Only functions that are defined inside other functions of Numba become parts. Nothing outside Numba can refer to
    them, so nobody needs their machine code.
    """

    def on_start(self, event: Event) -> None:
        self._compile_with(PartCompiler, event)

    def on_end(self, event: Event) -> None:
        self._compile_with(Compiler, event)

    def _compile_with(self, compiler: type[CompilerBase], event: Event) -> None:
        data: Any = event.data
        dispatcher = data["dispatcher"]
        function = dispatcher.py_func
        module = function.__module__ or ""  # the module is None for functions made by `exec`
        if module.startswith("numba.") and "<locals>" in function.__qualname__:
            dispatcher._compiler.pipeline_class = compiler


def parts_of_numba() -> contextlib.AbstractContextManager[Any]:
    """In this block, Numba compiles its own functions as parts. Numba's lock must be held."""
    return install_listener("numba:compile", _PartsOfNumba())


@contextlib.contextmanager
def part_libraries() -> Iterator[None]:
    """In this block, Numba loads code from a cache as a `PartLibrary`. Numba's lock must be held."""
    target: Any = cpu_target.target_context
    codegen = target.codegen()
    codegen._library_class = PartLibrary
    try:
        yield
    finally:
        del codegen._library_class


def set_environments(compiled: Any) -> None:
    """Set the environments of all parts in a function's machine code.

    An environment has the Python objects that a function needs to raise an error.
    """
    for environment in compiled._find_referenced_environments():
        compiled.codegen.set_env(environment.env_name, environment)
