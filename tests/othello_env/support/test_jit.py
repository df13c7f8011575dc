"""Kernels: cached machine code is never stale, and a Numba without an option makes kernels slower, never wrong."""

import os
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numba
import numba.extending
import pytest

from othello_env.support import jit

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled"),
]

SAMPLE = """
import numpy as np
from othello_env.envs import sampling
actions = sampling.sample_legal(np.ones((3, 65), np.int8), np.random.default_rng(0))
print(*actions, sum(sampling._sample.stats.cache_hits.values()))
"""
"""A kernel of `othello_env.envs.sampling` that calls kernels of `othello_env.games.hashing`."""


def done(program: str, cache: Path, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    ended = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", program],
        env=kept | {"NUMBA_CACHE_DIR": str(cache)} | more,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended


def run(program: str, cache: Path, **more: str) -> list[str]:
    return done(program, cache, **more).stdout.split()


def test_of_processes_that_start_cold_at_once_one_compiles_and_old_folders_are_removed(tmp_path):
    base = tmp_path / "othello-env"
    for k in range(12):
        (base / f"old{k}").mkdir(parents=True)
        os.utime(base / f"old{k}", (k, k))
    with ThreadPoolExecutor(2) as both:
        (*one, hits), (*other, more_hits) = both.map(lambda _: run(SAMPLE, tmp_path), range(2))
    assert one == other
    assert sorted((hits, more_hits)) == ["0", "1"]  # the other process waited, and loaded the machine code
    assert [each.name for each in tmp_path.iterdir()] == ["othello-env"]
    left = {each.name for each in base.iterdir()}
    assert "old0" not in left
    assert "old11" in left
    assert len(left) == 8


FORKS = """
import os
from othello_env.games import hashing
hashing.mix(1, 2)  # this process takes the lock
children = []
for _ in range(2):
    reader, writer = os.pipe()
    if os.fork() == 0:
        from othello_env.envs import sampling
        import numpy as np
        actions = sampling.sample_legal(np.ones((3, 65), np.int8), np.random.default_rng(0))
        hits = sum(sampling._sample.stats.cache_hits.values())
        os.write(writer, " ".join(map(str, [*actions, hits])).encode())
        os._exit(0)
    os.close(writer)
    children.append(reader)
for reader in children:
    with open(reader) as answer:
        print(answer.read())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_forked_processes_compile_one_at_a_time_and_load_what_was_compiled(tmp_path):
    expected = run(SAMPLE, tmp_path / "other")[:-1]
    for expected_hits in (["0", "1"], ["1", "1"]):  # cold, then warm
        told = run(FORKS, tmp_path)
        assert (told[:3], told[4:7]) == (expected, expected)
        assert sorted(told[3::4]) == expected_hits


def test_a_lock_that_cannot_be_had_stops_no_compilation(tmp_path):
    expected = run(SAMPLE, tmp_path)
    (lock,) = tmp_path.rglob("compiling.lock")
    lock.unlink()
    lock.mkdir()
    for file in tmp_path.rglob("*.nb?"):
        file.unlink()
    assert run(SAMPLE, tmp_path) == expected


FIRST_USE = """
import othello_env
envs = othello_env.make_vec_env(2, opponent=None)
print(*envs.reset(seed=1)[0]["action_mask"].sum(axis=1))
"""


def test_a_first_use_says_once_that_it_compiles(tmp_path):
    line = "othello-env: compiling for first use; this takes up to half a minute, once\n"
    assert [done(FIRST_USE, tmp_path).stderr for _ in range(2)] == [line, ""]


@pytest.mark.parametrize(
    ("kind", "damage"),
    [("nbi", lambda whole: b"something else"), ("nbc", lambda whole: whole[:-10])],
    ids=["a wrong index", "machine code that was cut off"],
)
def test_a_damaged_cache_is_made_again(tmp_path, kind, damage):
    *expected, _ = run(SAMPLE, tmp_path)
    files = [*tmp_path.rglob(f"*.{kind}")]
    assert len(files) > 1
    for file in files:
        file.write_bytes(damage(file.read_bytes()))
    mended = done(SAMPLE, tmp_path)
    assert mended.stdout.split() == [*expected, "0"]
    (line,) = mended.stderr.splitlines()  # one line for all kernels
    assert re.fullmatch(r"othello-env: compiled kernels in '.*' cannot be read or written; .*", line)
    again = done(SAMPLE, tmp_path)
    assert (again.stdout.split(), again.stderr) == ([*expected, "1"], "")
    for file in tmp_path.rglob("*.nbi"):  # what cannot be mended is not used
        file.unlink()
        file.mkdir()
    assert run(SAMPLE, tmp_path) == [*expected, "0"]


def test_an_edit_of_a_callee_in_another_file_is_seen(tmp_path):
    for package in ("othello_env", "othello_agents"):
        (folder,) = find_spec(package).submodule_search_locations
        shutil.copytree(folder, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "static", "weights"))
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    before = run(SAMPLE, tmp_path / "cache", PYTHONPATH=path)
    source = tmp_path / "othello_env" / "games" / "hashing.py"
    text = source.read_text(encoding="utf-8")
    assert "0xBF58_476D_1CE4_E5B9" in text
    source.write_text(text.replace("0xBF58_476D_1CE4_E5B9", "0xBF58_476D_1CE4_E5B7"), encoding="utf-8")
    os.utime(source, (1, 1))  # Python's own cache notices an edit by the time
    after = run(SAMPLE, tmp_path / "cache", PYTHONPATH=path)
    assert after[:-1] != before[:-1]
    assert after[-1] == "0"


REMOVE = """
import numba
kinds = numba.njit(lambda: 1).targetdescr.options.__mro__
numba.njit(lambda: 1)()
del next(kind for kind in kinds if "forceinline" in vars(kind)).forceinline  # Numba itself needs the other options
from numba.core import codegen
del codegen.RuntimeLinker
"""


def test_a_numba_without_an_option_and_a_private_name_computes_alike(tmp_path):
    namespace = {}
    exec(SAMPLE.replace("print", "told = "), namespace)
    assert run(REMOVE + SAMPLE, tmp_path) == [*map(str, namespace["told"][:-1]), "0"]


class AlarmError(Exception):
    pass


def raise_alarm(number, frame):
    raise AlarmError


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="Windows has no such signal")
def test_a_signal_during_a_compilation_is_handled_after_it():
    def probe(x):
        raise NotImplementedError

    @numba.extending.overload(probe)
    def compile_probe(x):
        signal.raise_signal(signal.SIGALRM)
        return lambda x: x + 1

    namespace = {"probe": probe, "__name__": "asks"}
    exec("def asks(x):\n    return probe(x)\n", namespace)  # the code has no file, so nothing is loaded from a cache
    asks = jit.kernel(namespace["asks"])
    before = signal.signal(signal.SIGALRM, raise_alarm)
    try:
        with pytest.raises(AlarmError):
            asks(1)
        assert signal.getsignal(signal.SIGALRM) is raise_alarm
        assert asks(1) == 2
    finally:
        signal.signal(signal.SIGALRM, before)
