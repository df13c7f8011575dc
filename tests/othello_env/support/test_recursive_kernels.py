"""Recursive kernels: kernels that Numba cannot load again are not cached. All kernels of the package are cached."""

import importlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba.core.codegen import RuntimeLinker
from numba.core.registry import CPUDispatcher

import othello_agents
import othello_env
from othello_env.games.checkers import kernels as checkers_kernels

LITERALS = """
from othello_env.support.jit import kernel

@kernel
def down(n, flag):
    if n <= 0:
        return 1 if flag else 2
    return down(n - 1, True) + 3 * down(n - 1, False)

@kernel
def outer(n):
    return down(n, True)

print(outer(5), sum(outer.stats.cache_hits.values()))
"""
ONE_TYPE_WITHIN = LITERALS.replace("kernel\n", "kernel\nimport numpy as np\n", 1).replace(
    "down(n - 1, True) + 3 * down(n - 1, False)", "down(n - 1, np.bool_(True)) + 3 * down(n - 1, np.bool_(False))"
)
ITS_OWN_TYPES = ONE_TYPE_WITHIN.replace("return down(n, True)", "return down(n, np.bool_(True))")
MUTUAL = """
from othello_env.support.jit import kernel

@kernel
def even(n):
    return 1 if n == 0 else odd(n - 1)

@kernel
def odd(n):
    return 0 if n == 0 else even(n - 1)

print(even(10), sum(even.stats.cache_hits.values()))
"""


def run(program: Path) -> tuple[list[str], str]:
    """Run the program in a new process, with the cache of earlier runs. Returns the printed words, and the warnings."""
    env = os.environ | {"NUMBA_CACHE_DIR": str(program.parent / "cache")}
    done = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout.split(), done.stderr


@pytest.mark.parametrize(
    ("source", "name", "answer"),
    [(LITERALS, "down", "1792"), (ONE_TYPE_WITHIN, "down", "1792"), (MUTUAL, "odd", "1")],
)
def test_what_another_process_could_not_load_is_compiled_anew(tmp_path, source, name, answer):
    program = tmp_path / "program.py"
    program.write_text(source, encoding="utf-8")
    for printed, warned in [run(program) for _ in range(3)]:
        assert printed == [answer, "0"]
        assert warned.count("compiled again in each process") == 1
        assert f"{name} calls itself with other types" in warned


def test_recursion_with_its_own_types_is_kept(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(ITS_OWN_TYPES, encoding="utf-8")
    assert run(program) == (["1792", "0"], "")
    assert run(program) == (["1792", "1"], "")


def modules() -> Iterator[ModuleType]:
    for package in (othello_env, othello_agents):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)


def callees(kernel: Any) -> Iterator[Any]:
    """The kernels that a kernel calls directly, found by the names in its code."""
    names = kernel.py_func.__globals__
    found = (names.get(name) for name in kernel.py_func.__code__.co_names)
    return (callee for callee in found if isinstance(callee, CPUDispatcher))


def is_recursive(kernel: Any) -> bool:
    """Whether a kernel may call itself, directly or through other kernels."""
    seen: set[Any] = set()
    todo = [*callees(kernel)]
    while todo:
        callee = todo.pop()
        if callee is kernel:
            return True
        if callee not in seen:
            seen.add(callee)
            todo += callees(callee)
    return False


RECURSIVE = {
    "othello_agents.search.checkers._alphabeta",
    "othello_agents.engine.midgame._search",
    "othello_agents.engine.solver._solve_shallow",
    "othello_agents.engine.solver.solve",
    "othello_agents.search.kernels.search",
    "othello_agents.perfect.solving.solve_deep",
    "othello_env.games.checkers.kernels.perft",
}


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_all_of_ours_are_kept(tmp_path):
    """Check in a process with an empty cache, which must compile all kernels.

    A kernel that is loaded as a part of its caller has no code of its own that could be checked.
    """
    program = f"import runpy; runpy.run_path({__file__!r})['check_all_of_ours']()"
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env=env, check=True)


def check_all_of_ours():
    kernels = {x for module in modules() for x in vars(module).values() if isinstance(x, CPUDispatcher)}
    recursive = {f"{k.py_func.__module__}.{k.py_func.__qualname__}": k for k in kernels if is_recursive(k)}
    assert recursive.keys() == RECURSIVE
    for spec in ("minimax:depth=2", "alphabeta:depth=2", "engine:depth=2"):
        othello_env.make_agent(spec).act(othello_env.Othello())
    othello_env.make_agent("alphabeta:depth=2").act(othello_env.Checkers())
    othello_env.make_agent("perfect").act(othello_env.Othello(6).play_transcript("c2b4c5d2e4e3d1c1b1d5d6f4b3b2"))
    start = othello_env.Checkers()
    own, opponent = np.uint64(start.own), np.uint64(start.opponent)
    board = np.uint64(checkers_kernels.BOARDS[8])
    zero = np.uint64(0)
    assert checkers_kernels.perft(own, opponent, zero, zero, True, np.uint64(4), board, 2, False) == 49
    for name, kernel in recursive.items():
        assert kernel.overloads, f"{name} was not compiled"
        for signature, compiled in kernel.overloads.items():
            variables = compiled.library._get_module_for_linking().global_variables
            unresolved = [each.name for each in variables if each.name.startswith(RuntimeLinker.PREFIX)]
            assert not unresolved, f"{name}{signature} calls itself with other types"
