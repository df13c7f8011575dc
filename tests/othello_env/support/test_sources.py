"""The hash of a module's sources: some edits change it, and no source is parsed twice."""

import json
from pathlib import Path

import pytest

from othello_env.support import sources
from othello_env.support.sources import Sources

pytestmark = pytest.mark.nojit


@pytest.fixture
def write(tmp_path):
    """A function that takes {path: text}, writes these files below a folder, and returns the folder."""

    def call(files):
        for path, text in files.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return tmp_path

    return call


@pytest.fixture(autouse=True)
def no_memory_of_what_was_there(monkeypatch):
    """Forget which files exist, because each test has its own files and makes new ones."""
    monkeypatch.setattr(sources, "_find", sources._find.__wrapped__)


PACKAGE = {
    "a/__init__.py": "from a.late import LATE\n",
    "a/late.py": "LATE = 1\n",
    "a/module.py": "X = 1\n",
    "a/b/__init__.py": "from a.b.near import NEAR\n",
    "a/b/near.py": "NEAR = 1\n",
    "a/b/module.py": "from ..module import X\n",
    "a/b/stranger.py": "X = 1\n",
    "elsewhere.py": "X = 1\n",
}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("", set()),
        ("import numpy, elsewhere, nowhere", set()),
        ("from a.b.module import X", {"a/b/module.py", "a/module.py"}),
        ("def f():\n    from a.b.near import NEAR", {"a/b/near.py"}),
        ("if TYPE_CHECKING: from a.b.near import NEAR", {"a/b/near.py"}),
        ("from a.b import NEAR", {"a/b/__init__.py", "a/b/near.py"}),
        ("from a.b import stranger", {"a/b/__init__.py", "a/b/near.py", "a/b/stranger.py"}),
        (
            "from a.b import *",
            {f"a/b/{name}.py" for name in ("__init__", "near", "module", "stranger")} | {"a/module.py"},
        ),
        (
            "import a.b.stranger",
            {f"a/{name}.py" for name in ("__init__", "late", "b/__init__", "b/near", "b/stranger")},
        ),
        ("from .b.near import NEAR", {"a/b/near.py"}),
        ("from . import module", {"a/__init__.py", "a/late.py", "a/module.py"}),
        ("from .. import module", set()),
        ("from a import main", {"a/__init__.py", "a/late.py"}),
    ],
)
def test_which_files_count(write, text, seen):
    folder = write(PACKAGE | {"a/main.py": text})

    def digest():
        return Sources(folder / "memory.json").digest(folder / "a" / "main.py", "a")

    before = digest()
    assert before == digest()
    for path in PACKAGE:
        write({path: f"{PACKAGE[path]}NEW = 1\n"})
        assert (digest() != before) == (path in seen), path
        write({path: PACKAGE[path]})
    write({"a/main.py": f"{text}\nNEW = 1\n"})
    assert digest() != before


@pytest.mark.parametrize("folder_name", ["scripts", "site-packages"])
def test_what_lies_beside_a_script_counts(write, folder_name):
    """In site-packages, other packages do not belong to a module, so edits of their files do not change its hash."""
    text = "import beside\nfrom package.inner import Y\n"
    files = {"script.py": text, "beside.py": "X = 1\n", "package/inner.py": "Y = 1\n", "package/other.py": "Z = 1\n"}
    write({f"{folder_name}/{path}": text for path, text in files.items()})

    def digest(edited=None):
        folder = write({f"{folder_name}/{path}": "X = 2\n" if path == edited else files[path] for path in files})
        return Sources(folder / "memory.json").digest(folder / folder_name / "script.py", "")

    before = digest()
    assert digest("beside.py") != before
    assert (digest("package/inner.py") != before) == (folder_name == "scripts")
    assert digest("package/other.py") == before


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ('"""Another."""\nX = 1\n\n\ndef f(x):\n    return x + 1\n', True),
        ('"""A."""\nX = (\n    1  # one\n)\n"""Of X."""\ndef f(x):\n    """A function."""\n    return x + 1\n', True),
        ('"""A."""\nX = 2\ndef f(x):\n    return x + 1\n', False),
        ('"""A."""\nX = 1.0\ndef f(x):\n    return x + 1\n', False),
        ('"""A."""\nX = 1\ndef f(x):\n    return x + 2\n', False),
        ('"""A."""\nX = 1\ndef f(x):\n    return (x + 1\n', False),
    ],
)
def test_comments_docstrings_and_layout_do_not_count(write, text, is_same):
    def digest(text):
        folder = write({"module.py": text})
        return Sources(folder / "memory.json").digest(folder / "module.py", "")

    assert (digest('"""A."""\nX = 1\ndef f(x):\n    return x + 1\n') == digest(text)) == is_same


def test_a_source_too_deep_to_hash_is_followed(write):
    text = f"from a.b.near import NEAR\nX = {'+'.join(['1'] * 2000)}\n"
    folder = write(PACKAGE | {"a/main.py": text})
    file, memory = folder / "a" / "main.py", folder / "memory.json"
    before = Sources(memory).digest(file, "a")
    write({"a/b/near.py": "NEAR = 2\n"})
    assert Sources(memory).digest(file, "a") != before


def test_each_file_is_read_once_and_parsed_once_for_all_processes(write, monkeypatch):
    folder = write(PACKAGE | {"a/main.py": "from a.b.module import X"})
    read, parsed = [], []
    read_bytes, parse = Path.read_bytes, sources._parse
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path.name) or read_bytes(path))
    monkeypatch.setattr(sources, "_parse", lambda data: parsed.append(data) or parse(data))
    first = Sources(folder / "memory.json")
    digest = first.digest(folder / "a" / "main.py", "a")
    first.digest(folder / "a" / "b" / "module.py", "a.b")
    assert sorted(read) == ["main.py", "memory.json", "module.py", "module.py", "sources.py"]
    assert len(parsed) == 3
    assert Sources(folder / "memory.json").digest(folder / "a" / "main.py", "a") == digest
    assert len(parsed) == 3


DAMAGES = [b"", b"\xff", b'{"a": ', b"[]", b"null", b"3", b'{"a": 1}', b'{"a": ["b", ["c"]]}', b"[" * 100_000]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_memory_is_made_anew(write, damage):
    folder = write({"module.py": "X = 1\n"})
    memory = folder / "memory.json"
    digest = Sources(memory).digest(folder / "module.py", "")
    good = memory.read_bytes()
    memory.write_bytes(damage)
    assert Sources(memory).digest(folder / "module.py", "") == digest
    assert memory.read_bytes() == good


def test_the_memory_keeps_what_is_still_used(write, monkeypatch):
    monkeypatch.setattr(sources, "_MOST_REMEMBERED", 2)
    memory = write({f"{k}.py": f"X = {k}\n" for k in range(3)}) / "memory.json"

    def remembered(*used):
        reader = Sources(memory)
        for k in used:
            reader.digest(memory.with_name(f"{k}.py"), "")
        return {*json.loads(memory.read_bytes())}

    first, both = remembered(0), remembered(0, 1)
    assert first < both
    assert remembered(0, 2) & both == first


def test_a_package_may_lie_in_a_folder_of_another_name(write):
    files = {"src/main.py": "from a.b.module import X\n", "src/b/module.py": "X = 1\n"}
    folder = write(files)
    before = Sources(folder / "memory.json").digest(folder / "src" / "main.py", "a")
    write({"src/b/module.py": "X = 2\n"})
    assert Sources(folder / "memory.json").digest(folder / "src" / "main.py", "a") != before


def test_a_package_that_no_path_fits_is_no_error(tmp_path):
    file = tmp_path / "module.py"
    file.touch()
    assert Sources(tmp_path / "memory.json").digest(file, ".".join("abc" * 100))
