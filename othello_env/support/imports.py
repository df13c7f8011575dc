"""Import an object by a text such as ``path.py:name``, and import a package's names when they are first used."""

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["NoSuchNameError", "NotThereError", "import_object", "later", "search_current_folder"]


class NotThereError(ValueError):
    """A text refers to a module that does not exist, or to a name that the module does not have."""


class NoSuchNameError(NotThereError):
    """A module does not have the wanted name. The message lists the names that the module has."""


def import_object(text: str) -> Any | None:
    """Import the object that a text ``path.py:name`` or ``package.module:name`` names.

    If the text has another form, the result is None.

    Raises:
        FileNotFoundError: there is no such file.
        NotThereError: there is no such module, or the module does not have the name (`NoSuchNameError`).
        ModuleNotFoundError: the module exists, but it imports a second module that does not exist. The message names
            both modules.
    """
    source, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        return None
    is_file = source.endswith(".py")
    if not is_file and not all(part.isidentifier() for part in source.split(".")):
        return None
    try:
        module = _import_file(Path(source)) if is_file else importlib.import_module(source)
    except ModuleNotFoundError as error:
        if not is_file and error.name is not None and f"{source}.".startswith(f"{error.name}."):
            raise NotThereError(f"there is no module {error.name!r}") from None
        raise ModuleNotFoundError(f"{source} cannot be imported: {error}", name=error.name) from error
    if not hasattr(module, name):
        has = [key for key, x in vars(module).items() if getattr(x, "__module__", "") == module.__name__]
        named = ", ".join(key for key in has if not key.startswith("_"))
        raise NoSuchNameError(f"there is no {name!r} in {source}, which has {named or 'nothing of its own'}")
    return getattr(module, name)


def search_current_folder() -> None:
    """Let Python find modules in the current folder too, so that a text ``package.module:name`` can name them."""
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.append(folder)


def later(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Make a function `__getattr__` for a package.

    The function imports each name of the package when the name is first used.

    Args:
        package: the package's name.
        homes: a dict from the names of modules to the names that are imported from them.
    """
    modules = {name: module for module, names in homes.items() for name in names}

    def __getattr__(name: str) -> Any:  # noqa: N807 - Python prescribes this name
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(modules[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    return __getattr__


def _import_file(path: Path) -> types.ModuleType:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r} to import from")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(path.stem)
    if before is None or _is_of(before, path):  # objects can be pickled only if their module is in `sys.modules`
        sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:  # a module that could not be executed must not stay in `sys.modules`
        if sys.modules.get(path.stem) is module:
            del sys.modules[path.stem]
            if before is not None:
                sys.modules[path.stem] = before
        raise
    return module


def _is_of(module: types.ModuleType, path: Path) -> bool:
    """Whether a module was loaded from this file."""
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).resolve() == path.resolve()
