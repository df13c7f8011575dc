"""The cache of machine code: it is never stale, processes share it, damage is harmless, and it is for one user only."""

import functools
import os
import platform
import subprocess
import sys
import textwrap
from pathlib import Path

import numba
import numpy as np
import pytest

from othello_env.support import jit, kernel_cache

PROGRAM = """
    import sys
    from kernels import outer
    print(outer.outer(20), sum(outer.outer.stats.cache_hits.values()))
"""
HELPER = """
    from othello_env.support.jit import kernel

    @kernel
    def helper(x):
        return x + 1
"""
OUTER = """
    from kernels.helper import helper
    from othello_env.support.jit import kernel

    @kernel
    def outer(x):
        return 2 * helper(x)
"""


@pytest.fixture
def package(tmp_path):
    """A program and a package. The package has a kernel that calls a kernel in another file."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "helper.py").write_text(textwrap.dedent(HELPER), encoding="utf-8")
    (folder / "outer.py").write_text(textwrap.dedent(OUTER), encoding="utf-8")
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    return tmp_path


def environment(cache: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return kept | {"NUMBA_CACHE_DIR": str(cache)} | more


def start(package: Path, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(package / "program.py")],
        env=environment(package / "cache", **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outcome(process: subprocess.Popen[str]) -> tuple[int, int]:
    """The kernel's answer, and the number of times that its machine code came from the cache."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    answer, hits = out.split()
    return int(answer), int(hits)


def run(package: Path, **more: str) -> tuple[int, int]:
    return outcome(start(package, **more))


def test_a_second_process_loads_what_the_first_compiled(package):
    assert run(package) == (42, 0)
    assert run(package) == (42, 1)


def edit(file: Path, old: str, new: str) -> None:
    """Replace text in a file, and set a later time of change. Python's own cache notices changes by this time."""
    stamp = file.stat()
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 10**9))


def test_an_edit_of_a_callee_in_another_file_is_seen(package):
    assert run(package) == (42, 0)
    helper = package / "kernels" / "helper.py"
    edit(helper, "x + 1", "x + 3")
    assert run(package) == (46, 0)
    assert run(package) == (46, 1)
    edit(helper, "x + 3", "x + 1")
    assert run(package) == (42, 1)  # the machine code of the first version is still in the cache


def test_only_edits_of_what_a_kernel_may_call_compile_it_anew(package):
    helper, constant, stranger = (package / "kernels" / f"{name}.py" for name in ("helper", "constant", "stranger"))
    edit(helper, "x + 1", "x + CONSTANT")
    helper.write_text(f"from kernels.constant import CONSTANT\n{helper.read_text(encoding='utf-8')}", encoding="utf-8")
    constant.write_text("CONSTANT = 1\n", encoding="utf-8")
    stranger.write_text("STRANGER = 1\n", encoding="utf-8")
    assert run(package) == (42, 0)
    edit(stranger, "1", "2")
    assert run(package) == (42, 1)
    edit(helper, "def helper(x):", 'def helper(x):\n    """A comment, and a docstring."""  # like this')
    assert run(package) == (42, 1)
    edit(constant, "1", "3")
    assert run(package) == (46, 0)
    assert run(package) == (46, 1)


def test_scripts_count_the_files_beside_them(tmp_path):
    (tmp_path / "beside.py").write_text(textwrap.dedent(HELPER), encoding="utf-8")
    program = (
        OUTER.replace("kernels.helper", "beside") + "\n    print(outer(20), sum(outer.stats.cache_hits.values()))\n"
    )
    (tmp_path / "program.py").write_text(textwrap.dedent(program), encoding="utf-8")
    assert run(tmp_path) == (42, 0)
    assert run(tmp_path) == (42, 1)
    helper = tmp_path / "beside.py"
    helper.write_text(textwrap.dedent(HELPER).replace("x + 1", "x + 10"), encoding="utf-8")
    assert run(tmp_path) == (60, 0)


def test_eight_processes_that_start_cold_at_once(package):
    outcomes = [outcome(process) for process in [start(package) for _ in range(8)]]
    assert [answer for answer, _ in outcomes] == [42] * 8
    if sys.platform != "win32":
        # One process compiled, and the others waited for its machine code.
        assert sorted(hits for _, hits in outcomes) == [0] + [1] * 7


GENERIC = """
    from othello_env.support.jit import kernel

    def value_of(x):
        raise NotImplementedError

    @kernel
    def generic(x):
        return value_of(x)
"""
NUMBER = """
    from typing import NamedTuple

    class Number(NamedTuple):
        count: int
        unit: int
"""
REGISTERED = """
    from kernels.generic import value_of
    from numba.extending import overload
    from othello_env.support.jit import kernel
    from strangers.factor import FACTOR
    from strangers.number import Number

    @kernel(inline=True)
    def times(x):
        return FACTOR * x

    @overload(value_of)
    def _value_of_number(x):
        return (lambda x: times(x.count)) if getattr(x, "instance_class", None) is Number else None

"""
STRANGERS_PROGRAM = """
    from kernels.generic import generic
    from strangers import registered
    from strangers.number import Number
    print(generic(Number(count=21, unit=100)), sum(generic.stats.cache_hits.values()))
"""


@pytest.fixture
def strangers(package):
    """A package with a class. The program compiles another package's kernel for this class."""
    (package / "strangers").mkdir()
    for name, text in {
        "factor": "FACTOR = 2\n",
        "other": "OTHER = 1\n",
        "number": NUMBER,
        "registered": REGISTERED,
    }.items():
        (package / "strangers" / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    (package / "kernels" / "generic.py").write_text(textwrap.dedent(GENERIC), encoding="utf-8")
    (package / "program.py").write_text(textwrap.dedent(STRANGERS_PROGRAM), encoding="utf-8")
    return package / "strangers"


@pytest.mark.parametrize(
    ("file", "old", "new", "answer"),
    [
        ("factor.py", "2", "3", 63),
        ("registered.py", "times(x.count)", "times(x.count) + 1", 43),
    ],
)
def test_what_strangers_register_for_their_class_counts(package, strangers, file, old, new, answer):
    """An edit of registered functions counts, although neither the kernel's nor the class's module imports them."""
    assert run(package) == (42, 0)
    edit(strangers / "other.py", "1", "2")
    assert run(package) == (42, 1)
    edit(strangers / file, old, new)
    assert run(package) == (answer, 0)
    assert run(package) == (answer, 1)


@pytest.mark.parametrize(("argument", "entry"), [("{}", "x"), ("(1, ({},))", "x[1][0]")])
def test_the_class_of_an_argument_counts(package, strangers, argument, entry):
    """The kernel reads a field of the class by its name. The edit swaps the names of two fields of the same type.

    So the types of the argument stay the same, but the kernel must be compiled again.
    """
    edit(package / "kernels" / "generic.py", "value_of(x)\n", f"{entry}.count\n")
    number = "Number(count=21, unit=100)"
    edit(package / "program.py", number, argument.format(number))
    assert run(package) == (21, 0)
    assert run(package) == (21, 1)
    edit(strangers / "number.py", "count: int\n    unit: int", "unit: int\n    count: int")
    assert run(package) == (21, 0)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_files_are_made_anew(package, suffix):
    assert run(package) == (42, 0)
    damaged = [file for file in (package / "cache").rglob(f"*{suffix}") if file.name.startswith("outer")]
    assert damaged
    for file in damaged:
        file.write_bytes(file.read_bytes()[:-20])
    assert run(package) == (42, 0)
    assert run(package) == (42, 1)


def test_a_cache_that_cannot_be_made(package):
    (package / "cache").write_text("a file where a folder should be", encoding="utf-8")
    assert run(package) == (42, 0)
    assert run(package) == (42, 0)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions bind only ordinary users")
def test_a_cache_that_cannot_be_written(package):
    (package / "cache").mkdir(mode=0o500)
    assert run(package) == (42, 0)
    assert run(package) == (42, 0)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A function that returns the cache folder of a function in a file, as a new process would find it."""
    file = tmp_path / "beside.py"
    file.write_text("def function(): pass\n", encoding="utf-8")
    names = {}
    exec(compile(file.read_text(encoding="utf-8"), file, "exec"), names)
    for cached in ("cache_folder", "_folder", "_sources"):
        monkeypatch.setattr(kernel_cache, cached, functools.cache(getattr(kernel_cache, cached).__wrapped__))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    return lambda: kernel_cache.folder_of(names["function"])


def fail_with(error):
    def fails(*_):
        raise error

    return fails


def test_no_home_is_no_error(monkeypatch, folder):
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", fail_with(RuntimeError("Could not determine home directory.")))
    assert folder() is None


def test_a_source_that_cannot_be_read_is_no_error(monkeypatch, folder):
    with monkeypatch.context() as unreadable:
        unreadable.setattr(Path, "read_bytes", fail_with(PermissionError("a source")))
        assert folder() is None
    assert folder().is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
class TestTrust:
    def test_the_folders_are_for_their_owner_alone(self, package):
        run(package)
        base = package / "cache" / "othello-env"
        modes = [path.stat().st_mode & 0o777 for path in [base, *base.iterdir()] if path.is_dir()]
        assert len(modes) >= 2
        assert set(modes) == {0o700}

    @pytest.mark.parametrize(("level", "mode"), [(0, 0o770), (1, 0o707)])
    def test_folders_that_others_may_write_to_are_not_used(self, package, level, mode):
        assert run(package) == (42, 0)
        base = package / "cache" / "othello-env"
        for folder in [base] if level == 0 else [path for path in base.iterdir() if path.is_dir()]:
            folder.chmod(mode)
        assert run(package) == (42, 0)
        assert run(package) == (42, 0)

    def test_another_users_folder_is_not_used(self, tmp_path, monkeypatch):
        assert kernel_cache._is_only_ours(tmp_path)
        monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
        assert not kernel_cache._is_only_ours(tmp_path)

    def test_a_link_is_not_used(self, tmp_path):
        (tmp_path / "real").mkdir(mode=0o700)
        (tmp_path / "link").symlink_to(tmp_path / "real")
        assert kernel_cache._is_only_ours(tmp_path / "real")
        assert not kernel_cache._is_only_ours(tmp_path / "link")


def test_versions_unused_for_a_month_are_removed(package):
    base = package / "cache" / "othello-env"
    for name in ("old", "recent"):
        (base / name).mkdir(parents=True, mode=0o700)
        (base / name / "machine.nbc").touch()
    base.chmod(0o700)
    month_ago = base.stat().st_mtime - 31 * 24 * 3600
    os.utime(base / "old", (month_ago, month_ago))
    assert run(package) == (42, 0)
    assert not (base / "old").exists()
    assert (base / "recent").exists()


def test_without_compilation_the_kernels_are_plain_python(package):
    program = package / "program.py"
    program.write_text("from kernels import outer\nprint(outer.outer(20), 0)\n", encoding="utf-8")
    assert run(package, NUMBA_DISABLE_JIT="1") == (42, 0)
    assert not (package / "cache").exists()


def test_a_kernel_without_a_file_is_compiled_and_not_kept():
    source = (
        "from othello_env.support.jit import kernel\n@kernel\ndef double(x):\n    return 2 * x\nprint(double(21), 0)\n"
    )
    done = subprocess.run([sys.executable, "-"], input=source, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.split() == ["42", "0"], done.stderr


def test_an_interrupt_is_found_among_the_causes_of_an_error():
    error = SystemError("a kernel")
    error.__cause__ = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        jit.raise_interrupt(error)


def test_causes_without_an_end_are_no_interrupt():
    first, second, own = ValueError("first"), ValueError("second"), ValueError("its own cause")
    first.__cause__, second.__cause__, own.__cause__ = second, first, own
    for error in (first, own):
        assert jit.raise_interrupt(error) is None


LINES = """
def lines(x, y):
    east = x & (y << np.uint64(1))
    south = x & (y << np.uint64(8))
    east |= x & (east << np.uint64(1))
    south |= x & (south << np.uint64(8))
    east |= x & (east << np.uint64(1))
    south |= x & (south << np.uint64(8))
    return (east << np.uint64(1)) | (south << np.uint64(8))
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64", "arm64", "aarch64"), reason="other vector registers")
def test_slp_is_for_the_kernels_that_ask_for_it():
    vectors = {}
    for slp in (True, False):
        namespace = {"np": np}
        exec(LINES, namespace)  # the code has no file, so nothing is loaded from a cache
        lines = jit.kernel(slp=slp)(namespace["lines"])
        before = numba.config.SLP_VECTORIZE
        assert lines(np.uint64(0b110), np.uint64(1)) == 0b1100
        assert before == numba.config.SLP_VECTORIZE
        vectors[slp] = "x i64>" in next(iter(lines.inspect_llvm().values()))
    assert vectors == {True: True, False: False}
