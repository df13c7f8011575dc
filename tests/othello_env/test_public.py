"""What is public: each module says so, exactly, and in order."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import othello_agents
import othello_env

pytestmark = pytest.mark.nojit

PACKAGES = [Path(package.__file__).parent for package in (othello_env, othello_agents)]
MODULES = sorted(file for package in PACKAGES for file in package.rglob("*.py"))


def is_public(name):
    return not name.startswith("_")


def names(tree):
    """The public names that a module defines, those that it imports, and its `__all__` (None without)."""
    defined, imported, listed = set(), set(), None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imported |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
            if "__all__" in found:
                listed = ast.literal_eval(node.value)
            defined |= found
    return set(filter(is_public, defined)), imported, listed


@pytest.mark.parametrize("file", MODULES, ids=lambda file: "/".join(file.parts[-3:]))
def test_all_is_what_is_public(file):
    defined, imported, listed = names(ast.parse(file.read_text(encoding="utf-8")))
    listed = listed or []
    # A package's own file may also pass on what it imports.
    assert set(listed) >= defined, "public, but not in __all__"
    assert set(listed) <= defined | imported, "in __all__, but not there"
    assert len(set(listed)) == len(listed)
    # The order of ruff's RUF022: constants, classes, functions.
    assert listed == sorted(listed, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def test_there_is_something_to_check():
    assert len(MODULES) > 15


def test_the_public_names_exist():
    for module in ("othello_env", "othello_env.agent", "othello_env.symmetries", "othello_env.games.othello"):
        found = import_module(module)
        assert all(hasattr(found, name) for name in found.__all__)
