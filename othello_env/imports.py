"""Python objects that a text names: ``path.py:name`` or ``package.module:name``."""

import importlib
import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

__all__ = ["NotThereError", "import_object"]


class NotThereError(ValueError):
    """A module, or something in it, that is not there."""


def import_object(text: str) -> Any | None:
    """What ``path.py:name`` or ``package.module:name`` names, or None if the text is of neither form.

    Raises:
        FileNotFoundError: there is no such file.
        NotThereError: there is no such module, or nothing of that name in it.
    """
    source, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        return None
    if source.endswith(".py"):
        module = _import_file(Path(source))
    else:
        if not all(part.isidentifier() for part in source.split(".")):
            return None
        try:
            module = importlib.import_module(source)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{source}.".startswith(f"{error.name}."):
                raise
            raise NotThereError(f"there is no module {error.name!r}") from None
    if not hasattr(module, name):
        raise NotThereError(f"there is no {name!r} in {source}")
    return getattr(module, name)


def _import_file(path: Path) -> types.ModuleType:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r} to import from")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        if sys.modules.get(path.stem) is module:
            del sys.modules[path.stem]
        raise
    return module
