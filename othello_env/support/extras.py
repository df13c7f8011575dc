"""Import optional dependencies where they are used."""

import importlib
from typing import Any

__all__ = ["MissingExtraError", "extra_class", "import_extra"]


class MissingExtraError(ImportError):
    """A package that an optional feature needs is not installed."""


def import_extra(module: str, extra: str) -> Any:
    """Import a module that ``pip install othello-env[EXTRA]`` installs, where EXTRA is the argument `extra`.

    Raises:
        MissingExtraError: the module is not installed. The message contains the command that installs the module.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise MissingExtraError(f"this needs {package}: pip install 'othello-env[{extra}]'") from None


def extra_class(module: str, name: str) -> Any:
    """A class of an optional package as a base class, or `object` if the package is not installed.

    With `object`, the module of the derived class can be imported without the package.
    """
    try:
        return getattr(import_extra(module, ""), name)
    except MissingExtraError:
        return object
