"""Turn warnings in tests and doctests into errors, except warnings from pytest plugins that the tests do not use."""

import builtins
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

if importlib.util.find_spec("jax") is None:  # an optional extra; without it this package cannot be imported
    collect_ignore = ["othello_env/jax"]

_OURS = {"_pytest", "pytest", "xdist", "_hypothesis_pytestplugin", "hypothesis"}


@pytest.fixture(autouse=True)
def no_last_value() -> Iterator[None]:
    """A doctest leaves its last value in `builtins._`. If this is a tuple with a list, tyro cannot be imported."""
    yield
    vars(builtins).pop("_", None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add filters for warnings to each test. Pytest calls this function."""
    filters = ["error", *(f"default:::{module}" for module in _modules_of_plugins(config))]
    filters.append(r"ignore:os\.fork\(\) was called:RuntimeWarning")  # JAX's own, if a test before has imported it
    for item in items:
        item.add_marker(pytest.mark.filterwarnings(*filters), append=False)  # before a test's own filters, which win


def _modules_of_plugins(config: pytest.Config) -> list[str]:
    """The modules of the installed pytest plugins that these tests do not use."""
    found = set()
    for plugin in config.pluginmanager.get_plugins():
        name = plugin.__name__ if isinstance(plugin, ModuleType) else type(plugin).__module__
        file = getattr(sys.modules.get(name), "__file__", None)
        is_here = file is not None and Path(file).is_relative_to(config.rootpath) and "site-packages" not in file
        if not is_here:
            found.add(name.partition(".")[0])
    return sorted(name for name in sys.modules if name.partition(".")[0] in found - _OURS)
