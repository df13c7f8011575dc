"""The recipes of scripts/train as modules, and PyTorch with one thread."""

import importlib.util
import sys
from pathlib import Path

import pytest

RECIPES = Path(__file__).parents[3] / "scripts" / "train"


@pytest.fixture(scope="session")
def recipe():
    """`recipe("ppo")` imports the script ``ppo.py`` and returns it as a module."""

    def load(name):
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        return sys.modules[name]

    return load


@pytest.fixture
def one_thread():
    """PyTorch computes with one thread, so that a seed repeats a run and other tests are not slowed down."""
    torch = pytest.importorskip("torch", reason="sets the number of PyTorch's threads")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
