"""The public names of the packages that import them late. (Ruff checks each `__all__`: F822, RUF022.)"""

import importlib.util
import subprocess
import sys
from importlib import import_module

import pytest

import othello_env
import othello_env.arena
import othello_env.envs
from othello_env import MissingExtraError

pytestmark = pytest.mark.nojit

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
