"""Check which warnings are errors in these tests."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("kind", [UserWarning, DeprecationWarning, ResourceWarning])
def test_those_that_a_test_causes(kind):
    with pytest.raises(kind, match="oops"):
        warnings.warn("oops", kind, stacklevel=1)


@pytest.mark.filterwarnings("ignore:oops")
def test_but_those_that_it_expects():
    warnings.warn("oops", UserWarning, stacklevel=1)


def test_but_not_those_of_a_plugin_of_whoever_runs_the_tests(tmp_path):
    (tmp_path / "warner.py").write_text("""
import warnings
def pytest_configure():
    warnings.warn("configured")
def pytest_sessionstart():
    warnings.warn("started")
def pytest_collection_finish():
    warnings.warn("collected")
def pytest_runtest_call():
    warnings.warn("called")
""")
    path = [str(tmp_path), *sys.path]
    program = f"import sys; sys.path[:0] = {path!r}; import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    arguments = ["-q", "-p", "warner", "-p", "no:cacheprovider", f"{__file__}::{CHECKED}"]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    for moment in ("configured", "started", "collected", "called"):
        assert moment in done.stdout + done.stderr


CHECKED = test_but_those_that_it_expects.__name__
