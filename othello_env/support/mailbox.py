"""A mailbox: memory through which threads exchange work while they run compiled code.

A mailbox is an int64 array. The functions of this module work only in compiled code. `load`, `store` and `add` are
atomic and sequentially consistent: all threads see these operations in the same order. A thread that loads a stored
word also sees everything that was written before this word. `lend`, `give` and `look` copy a whole value, such as a
tuple of arrays, into the mailbox or out of it. They copy the description of an array (its address and its shape), never
its entries.
"""

import platform
import sys
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from othello_env.support.jit import kernel

__all__ = ["add", "give", "lend", "load", "look", "rest", "size_in_words", "store", "yield_core"]

_WORD: Any = types.int64
_PAUSE = "llvm.x86.sse2.pause"
_sched_yield: Any = types.ExternalFunction("sched_yield", types.int32())
# These two values depend on the machine. Kernels may read them, because Numba caches the machine code for each kind of
# machine separately.
_CAN_PAUSE = platform.machine().lower() in ("x86_64", "amd64")
_CAN_YIELD = sys.platform != "win32"


def _intrinsic(maker: Callable[..., Any]) -> Any:
    """Numba's decorator `intrinsic`, which has no type hints."""
    made: Any = intrinsic(maker)
    return made


@_intrinsic
def rest(_context: Any) -> Any:
    """Wait for a few nanoseconds, and let the core save power meanwhile: ``rest()``."""

    def code(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        if _CAN_PAUSE:
            builder.call(builder.module.declare_intrinsic(_PAUSE, (), ir.FunctionType(ir.VoidType(), [])), [])
        return context.get_dummy_value()

    return types.void(), code


@kernel
def yield_core() -> None:
    """Let another thread use this core, if one waits for it."""
    if _CAN_YIELD:
        _sched_yield()
    else:
        rest()


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The address of the word at index `args[1]` of the mailbox `args[0]`."""
    words = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(words.data, [args[1]])


def _address_of_value(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The address from `_address`, as a pointer to the type of the value `args[2]`."""
    return builder.bitcast(_address(context, builder, signature, args), args[2].type.as_pointer())


@_intrinsic
def load(_context: Any, box: Any, _i: Any) -> Any:
    """Read the word at index i: ``load(box, i)``."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_address(context, builder, signature, args), "seq_cst", 8)

    return _WORD(box, _WORD), code


@_intrinsic
def store(_context: Any, box: Any, _i: Any, _word: Any) -> Any:
    """Write the word at index i: ``store(box, i, word)``."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _address(context, builder, signature, args), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(box, _WORD, _WORD), code


@_intrinsic
def add(_context: Any, box: Any, _i: Any, _word: Any) -> Any:
    """Add a number to the word at index i: ``add(box, i, number)``. Returns the word before the addition."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _address(context, builder, signature, args), args[2], "seq_cst")

    return _WORD(box, _WORD, _WORD), code


@_intrinsic
def lend(_context: Any, box: Any, _i: Any, value: Any) -> Any:
    """Write a value from index i on: ``lend(box, i, value)``.

    The mailbox does not keep the value's arrays in memory. The caller must keep these arrays for as long as other
    threads may `look` at them.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = _without_owner(context, builder, signature.args[2], args[2])
        builder.store(value, _address_of_value(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.void(box, _WORD, value), code


@_intrinsic
def give(_context: Any, box: Any, _i: Any, value: Any, like: Any) -> Any:
    """Write a value from index i on: ``give(box, i, value, like)``. Exactly one call of `look` must take the value out.

    The mailbox keeps the value's arrays in memory until then. If the value does not have the type of `like`, Numba
    cannot compile the caller.
    """
    if value != like:
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        context.nrt.incref(builder, signature.args[2], args[2])
        builder.store(args[2], _address_of_value(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.void(box, _WORD, value, like), code


@_intrinsic
def look(_context: Any, box: Any, _i: Any, like: Any) -> Any:
    """Read the value that begins at index i: ``look(box, i, like)``. The value must have the type of `like`."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address_of_value(context, builder, signature, args), align=8)

    return like(box, _WORD, like), code


@_intrinsic
def size_in_words(_context: Any, value: Any) -> Any:
    """Count the words that a value of this type takes in a mailbox: ``size_in_words(value)``."""

    def code(context: Any, _builder: Any, _signature: Any, args: Any) -> Any:
        return context.get_constant(_WORD, (context.get_abi_sizeof(args[0].type) + 7) // 8)

    return _WORD(value), code


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A copy of the value. Its arrays do not know who owns their memory, so Numba does not count references to it."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = ir.Constant(array.meminfo.type, None)
        array.parent = ir.Constant(array.parent.type, None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        for k, member in enumerate(members):
            part = _without_owner(context, builder, member, builder.extract_value(value, k))
            value = builder.insert_value(value, part, k)
    return value
