"""Import an object by a text such as ``path.py:name``, and import a package's names when they are first used."""

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["NotThereError", "import_object", "later", "search_current_folder"]


class NotThereError(ValueError):
    """A text refers to a module that does not exist, or to a name that the module does not have."""


def import_object(text: str) -> Any | None:
    """Import the object that a text ``path.py:name`` or ``package.module:name`` names.

    If the text has another form, the result is None. A file can import the modules in its own folder.

    Raises:
        FileNotFoundError: there is no such file.
        NotThereError: there is no such module, or the module does not have the name (the message lists those
            that it has).
        ModuleNotFoundError: the module exists, but it imports a second module that does not exist. The message names
            both modules.
        ImportError: the module ended the program.
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
    except SystemExit as error:
        raise ImportError(
            f"{source} ended the program while it was imported; what only the script itself should do belongs under "
            'if __name__ == "__main__"'
        ) from error
    if not hasattr(module, name):
        has = [key for key, x in vars(module).items() if getattr(x, "__module__", "") == module.__name__]
        named = ", ".join(key for key in has if not key.startswith("_"))
        raise NotThereError(f"there is no {name!r} in {source}, which has {named or 'nothing of its own'}")
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
        value = getattr(importlib.import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

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
        with _modules_beside(path):
            spec.loader.exec_module(module)
    except BaseException:  # a module that could not be executed must not stay in `sys.modules`
        if sys.modules.get(path.stem) is module:
            del sys.modules[path.stem]
            if before is not None:
                sys.modules[path.stem] = before
        raise
    return module


_folders: set[Path] = set()
"""The folders from which files were imported."""


@contextmanager
def _modules_beside(path: Path) -> Iterator[None]:
    """Let a file import the modules in its folder, as ``python file.py`` does.

    Two files in different folders may each have a module ``net``, such as two versions of an agent. So a module that a
    file in another folder imported is forgotten if this folder has one of the same name. While the file is imported,
    its folder comes first in `sys.path`. Later it comes last, so that it hides no other package.
    """
    folder = path.resolve().parent
    modules = {entry.stem for entry in folder.iterdir() if entry.suffix == ".py" or (entry / "__init__.py").is_file()}
    for name in (modules - {path.stem}) & {*sys.modules}:
        home = _home_of(sys.modules[name])
        if home != folder and home in _folders:
            for known in [*sys.modules]:
                if known.partition(".")[0] == name:
                    del sys.modules[known]
    _folders.add(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        if str(folder) not in sys.path:
            sys.path.append(str(folder))


def _home_of(module: types.ModuleType) -> Path | None:
    """The folder in which Python found a module or a package."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return None
    path = Path(file).resolve()
    return path.parents[1 if path.name == "__init__.py" else 0]


def _is_of(module: types.ModuleType, path: Path) -> bool:
    """Whether a module was loaded from this file."""
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).resolve() == path.resolve()
