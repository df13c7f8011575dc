"""Parts: kernels that are compiled only as parts of other kernels.

Numba makes machine code for every function that it compiles, with a wrapper through which Python calls the function.
For a function that only other compiled functions call, both are useless: its callers contain a copy of its code. So
this package compiles such a function only up to LLVM's code before optimisation. LLVM then optimises the function
inside each caller. This saves a quarter to a third of the time of a first use.
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
    """Takes the place of the object that sets addresses in machine code."""

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing. `set_environments` sets the environment in the machine code of the callers."""


class PartLibrary(JITCodeLibrary):
    """The code of a function, without machine code.

    Only a function that takes part in a recursion over several functions or types gets machine code: Numba calls such
    functions by their addresses.
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
    """Makes no wrappers."""

    def create_cpython_wrapper(self, release_gil: bool = False) -> None:
        pass

    def create_cfunc_wrapper(self) -> None:
        pass


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class _PartLowering(NativeLowering):
    """Lowers a function into a `PartLibrary`.

    The compiler's flags stay those of a whole kernel, because the names of functions in the code depend on the flags.
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
    """Lets Numba compile its own functions, such as `numpy.empty`, as parts.

    These functions are closures in Numba's modules. So neither Python nor a user's function calls their machine code.
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
    """In this block, code that is loaded from a cache becomes a part. Numba's lock must be held."""
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
