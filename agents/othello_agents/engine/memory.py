"""The memory of a search: its transposition table, its counters and its lists of moves.

A table entry is two 64-bit words. The second word packs five numbers. From the low bits to the high bits, these are the
value's lower bound and its upper bound (16 bits each, after adding 32,768), the best square (8 bits; 64 for none), the
depth (8 bits) and the generation (16 bits). The first word is the position's 64-bit key.

The table consists of buckets, and each bucket has two entries. If the first entry holds a deeper result of another
position, a new result goes into the second entry. Otherwise the new result goes into the first entry. If the first
entry held a result of another position, that result moves to the second entry. Each result has the number of the
generation in which it was stored. `clear` begins a new generation. Only results of the present generation are used, so
a new generation empties the table without writing to it.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.support.jit import Int, kernel

__all__ = [
    "BEST",
    "GENERATION",
    "LIMIT",
    "MOVES",
    "NODES",
    "NO_LIMIT",
    "NO_SQUARE",
    "ROOT",
    "WORST",
    "Memory",
    "best_square",
    "clear",
    "depth_of",
    "known_window",
    "look_up",
    "lower_bound",
    "narrow",
    "new_memory",
    "position_key",
    "probe",
    "store",
    "store_value",
    "upper_bound",
]

NODES, LIMIT, GENERATION, ROOT, BEST = range(5)
"""The indices of the counters. NODES: the nodes visited. LIMIT: the number of nodes at which the search stops.
GENERATION: the table's present generation. ROOT: the number of empty squares at the root. BEST: the root's best square.
"""

NO_LIMIT = 1 << 62
"""A limit that no search reaches."""

WORST = np.int64(32_000)
"""A number that is greater than any value and fits into a table entry. Its type is int64, because for a Python int,
Numba would compile the search a second time."""

MOVES = 40
"""The length of a list of moves. No known position has more than 33 moves."""

NO_SQUARE: Int = 64
_GENERATIONS = 1 << 16
_LEVELS = 64

_16, _32, _29 = np.uint64(16), np.uint64(32), np.uint64(29)
_K1, _K2, _K3 = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)


class Memory(NamedTuple):
    """The arrays of one search, allocated once.

    Attributes:
        table: (4 * buckets,) uint64, the transposition table. The number of its buckets is a power of two.
        control: (8,) int64, the counters and the limit on nodes. Another thread may lower the limit to end the search.
        order: (64, MOVES) int64, a list of moves for each number of empty squares. A move is ``rank << 6 | square``,
            and the lowest rank is the best.
        turned: (64, MOVES) uint64, the discs that each move in `order` turns.
    """

    table: npt.NDArray[np.uint64]
    control: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]
    turned: npt.NDArray[np.uint64]


def new_memory(megabytes: int) -> Memory:
    """Allocate the arrays of a search. The table's buckets take at most `megabytes` MiB; `megabytes` is at least 1."""
    buckets = 1 << ((megabytes << 20) // 32).bit_length() - 1
    return Memory(
        np.zeros(4 * buckets, np.uint64),
        np.zeros(8, np.int64),
        np.zeros((_LEVELS, MOVES), np.int64),
        np.zeros((_LEVELS, MOVES), np.uint64),
    )


def clear(memory: Memory) -> None:
    """Make the table empty."""
    memory.control[GENERATION] += 1
    if memory.control[GENERATION] == _GENERATIONS:
        memory.control[GENERATION] = 1
        memory.table[:] = 0


@kernel
def position_key(own: np.uint64, opponent: np.uint64) -> np.uint64:
    """A 64-bit hash of a position. Two positions that differ only in one side's discs always have different hashes."""
    h = own * _K1
    h = ((h ^ (h >> _32)) + opponent) * _K2
    h = (h ^ (h >> _29)) * _K3
    return h ^ (h >> _32)


@kernel(no_refcount=True)
def probe(key: np.uint64, memory: Memory) -> Int:
    """The packed result for a position's key; 0 if the table has no result of the present generation for it."""
    table = memory.table
    slot = np.int64(key & np.uint64(len(table) // 4 - 1)) * 4
    for entry in (slot, slot + 2):
        if table[entry] == key:
            data = np.int64(table[entry + 1])
            if (data >> 48) & 0xFFFF == memory.control[GENERATION]:
                return data
    return 0


@kernel
def look_up(key: np.uint64, memory: Memory) -> Int:
    """The same as `probe`, but Python code can call this function."""
    return probe(key, memory)


@kernel
def lower_bound(data: Int) -> Int:
    """The value's lower bound in a packed result."""
    return (data & 0xFFFF) - 32768


@kernel
def upper_bound(data: Int) -> Int:
    """The value's upper bound in a packed result."""
    return ((data >> 16) & 0xFFFF) - 32768


@kernel
def best_square(data: Int) -> Int:
    """The best square in a packed result, or `NO_SQUARE` if there is none."""
    return (data >> 32) & 0xFF


@kernel
def depth_of(data: Int) -> Int:
    """The depth of a packed result."""
    return (data >> 40) & 0xFF


@kernel(inline=True)
def narrow(data: Int, alpha: Int, beta: Int) -> tuple[Int, Int]:
    """Return the part of the window from alpha to beta that a packed result leaves open.

    If the result leaves nothing open, both returned numbers are equal. They are the exact value, or a bound that is not
    inside the window.
    """
    lower, upper = lower_bound(data), upper_bound(data)
    if lower >= beta or lower == upper:
        return lower, lower
    if upper <= alpha:
        return upper, upper
    return max(alpha, lower), min(beta, upper)


@kernel(no_refcount=True)
def store(key: np.uint64, lower: Int, upper: Int, square: Int, depth: Int, memory: Memory) -> None:
    """Put a result into the table: a value's lower and upper bounds, the best square and the depth."""
    table = memory.table
    generation = memory.control[GENERATION]
    entry = np.int64(key & np.uint64(len(table) // 4 - 1)) * 4
    word = table[entry + 1]
    if table[entry] != key:
        first = np.int64(word)
        if (first >> 48) & 0xFFFF == generation and (first >> 40) & 0xFF > depth:
            entry += 2
        else:
            table[entry + 2], table[entry + 3] = table[entry], word
    packed = np.uint64((lower + 32768) | (upper + 32768) << 16 | square << 32 | depth << 40 | generation << 48)
    table[entry], table[entry + 1] = key, packed


@kernel(inline=True)
def known_window(
    key: np.uint64, alpha: Int, beta: Int, depth: Int, is_root: bool, memory: Memory
) -> tuple[Int, Int, Int]:
    """Narrow the window by the table's result, if this result comes from a search to `depth`.

    Returns alpha, beta and the table's best square. If the result leaves nothing of the window open, alpha and beta are
    equal. The window of the root is not narrowed.
    """
    data = probe(key, memory)
    if data == 0:
        return alpha, beta, NO_SQUARE
    # If results of other depths were used, the value would depend on the contents of the table.
    if depth_of(data) == depth and not is_root:
        alpha, beta = narrow(data, alpha, beta)
    return alpha, beta, best_square(data)


@kernel(inline=True)
def store_value(
    key: np.uint64, value: Int, alpha: Int, beta: Int, worst: Int, square: Int, depth: Int, memory: Memory
) -> None:
    """Put a search's value into the table, given the search's window from alpha to beta.

    Outside the window, the value is only a bound. No value is greater than `worst` or less than -`worst`.
    """
    store(key, value if value > alpha else -worst, value if value < beta else worst, square, depth, memory)
