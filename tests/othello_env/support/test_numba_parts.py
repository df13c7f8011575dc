"""Parts: a kernel that only other kernels call has no machine code of its own, but works as if it had."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import numpy.typing as npt
import pytest

from othello_env.support.jit import kernel
from othello_env.support.numba_parts import PartLibrary


@kernel
def positive(n: int) -> int:
    if n < 0:
        raise ValueError("n is negative: ", n)  # for `n` in the error, Numba needs the kernel's environment
    return n


@kernel
def filled(n: int) -> npt.NDArray[np.int64]:
    return np.full(positive(n), 7)


@kernel
def total(n: int) -> int:
    return int(filled(n).sum()) + positive(n)


def is_part(dispatcher) -> list[bool]:
    return [isinstance(compiled.library, PartLibrary) for compiled in dispatcher.overloads.values()]


def test_a_part_becomes_a_whole_kernel_when_python_calls_it():
    assert total(2) == 16
    assert is_part(total) == [False]
    assert is_part(filled) == is_part(positive) == [True]
    assert filled(3).tolist() == [7, 7, 7]
    assert is_part(filled) == [False]
    assert is_part(positive) == [True]
    assert total(3) == 24
    with pytest.raises(ValueError, match="n is negative"):
        total(-1)


def test_a_part_becomes_a_whole_kernel_when_a_function_of_a_user_calls_it():
    @kernel
    def double(x: float) -> float:
        return 2 * x

    @kernel
    def outer(x: float) -> float:
        return double(x) + 1

    @numba.njit
    def plain(x: float) -> float:
        return double(x) - 1

    assert outer(2.0) == 5
    assert is_part(double) == [True]
    assert plain(2.0) == 3
    assert is_part(double) == [False]


def test_a_function_of_numba_serves_a_kernel_and_a_users_function():

    @kernel
    def inside(n: int) -> int:
        return len(np.zeros((n, 2)))

    @kernel
    def outside(n: int) -> int:
        return inside(n)

    @numba.njit
    def plain(n: int) -> npt.NDArray[np.float64]:
        return np.zeros((n, 2))

    assert outside(3) == 3
    assert plain(3).shape == (3, 2)
    with pytest.raises(ValueError, match="negative dimensions"):
        plain(-1)


PROGRAM = """
from othello_env.support.jit import kernel
from othello_env.support.numba_parts import PartLibrary
import sys

@kernel
def inner(n):
    if n < 0:
        raise ValueError("wrong", n)
    return 2 * n

@kernel
def outer(n):
    return inner(n) + 1

@kernel
def other(n):
    return inner(n) + 2

for name in sys.argv[1:]:
    function = globals()[name]
    try:
        print(function(20), function(-1))
    except ValueError as error:
        print(error.args[1], sum(function.stats.cache_hits.values()))
print(sum(inner.stats.cache_hits.values()), [isinstance(x.library, PartLibrary) for x in inner.overloads.values()])
"""


def run(program: Path, *names: str) -> list[str]:
    env = os.environ | {"NUMBA_CACHE_DIR": str(program.parent / "cache")}
    command = [sys.executable, program, *names]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_parts_are_kept_for_other_callers(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    assert run(program, "outer") == ["-1 0", "0 [True]"]
    assert run(program, "outer") == ["-1 1", "0 []"]
    assert run(program, "other") == ["-1 0", "1 [True]"]  # `other` was compiled, its part `inner` was loaded
    assert run(program, "inner", "outer") == ["-1 0", "-1 1", "0 [False]"]
    assert run(program, "inner", "outer") == ["-1 1", "-1 1", "1 [False]"]
