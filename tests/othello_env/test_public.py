"""The public names: each module lists exactly these names in `__all__`, in a fixed order."""

import ast
import importlib.util
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import othello_agents
import othello_env
import othello_env.arena
import othello_env.envs
from othello_env import MissingExtraError

pytestmark = pytest.mark.nojit

PACKAGES = [Path(package.__file__).parent for package in (othello_env, othello_agents)]
MODULES = sorted(file for package in PACKAGES for file in package.rglob("*.py"))


def is_public(name):
    return not name.startswith("_")


def is_for_types(block):
    return isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"


def names(tree):
    """The public names that a module defines, the names that it imports, and its `__all__`, or None if it has none."""
    defined, imported, listed = set(), set(), None
    typed = [node for block in tree.body if isinstance(block, ast.If) and is_for_types(block) for node in block.body]
    for node in tree.body + typed:
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
    # A package's `__init__.py` may also list names that it imports.
    assert set(listed) >= defined, "public, but not in __all__"
    assert set(listed) <= defined | imported, "in __all__, but not there"
    assert len(set(listed)) == len(listed)
    # The order of ruff's RUF022: constants, classes, functions.
    assert listed == sorted(listed, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


PASSED_ON = [(module, name) for module in (othello_env, othello_env.arena, othello_env.envs) for name in module.__all__]


@pytest.mark.parametrize(("module", "name"), PASSED_ON)
def test_a_package_passes_on_what_its_modules_have(module, name):
    found = getattr(module, name)
    assert getattr(found, "__name__", "").rpartition(".")[2] == name
    assert name in dir(module)
    assert found is getattr(import_module(found.__module__), name) if hasattr(found, "__module__") else True


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("OthelloVecEnv", "stable_baselines3", "sb3"), ("TorchRLEnv", "torchrl", "torchrl")]
)
def test_what_needs_an_extra_names_it(name, package, extra):
    if importlib.util.find_spec(package) is not None:
        pytest.skip("the extra is installed")
    with pytest.raises(MissingExtraError, match=rf"{package}: pip install 'othello-env\[{extra}\]'"):
        getattr(othello_env.envs, name)(2)


def test_a_name_that_is_not_there_is_named():
    for module in (othello_env, othello_env.arena, othello_env.envs):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'nothing'"):
            module.nothing  # noqa: B018


def test_importing_the_package_imports_no_environment_and_no_arena():
    code = "import sys, othello_env; print(*[name for name in sys.modules if name.startswith('othello_env.')])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"othello_env.envs.othello", "othello_env.envs.vector.env", "othello_env.envs.making", "othello_env.arena"}
    assert not heavy & set(loaded)
