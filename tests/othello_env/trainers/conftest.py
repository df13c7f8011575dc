"""The recipes of scripts/ as modules."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"


@pytest.fixture(scope="session")
def recipe():
    """`recipe("train_ppo")` is that script, imported."""

    def load(name):
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        return sys.modules[name]

    return load
