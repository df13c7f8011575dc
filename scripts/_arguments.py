"""Command lines as dataclasses: each field is an option with its default, its help and the values that it accepts.

    @dataclass(frozen=True)
    class Arguments:
        out: Path = path("the agent", suffix=".npz")
        games: int = whole(100, "games of each match")

    args = parse(__doc__, Arguments)

Every number has bounds. A wrong value ends the command with a message, which gives the expected and the given value.
"""

from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from dataclasses import MISSING, field, fields
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["even", "flag", "one_of", "option", "parse", "parse_all", "path", "real", "text", "whole"]

T = TypeVar("T")


def whole(default: Any, help_text: str, least: int = 1, most: int = 10**9, *, nargs: str | None = None) -> Any:
    """A field for a whole number from `least` to `most`. With `nargs`, a field for a tuple of such numbers."""
    expected = f"a whole number from {least} to {most}"
    return _field(default, help_text, _reader(int, lambda number: least <= number <= most, expected), nargs=nargs)


def even(default: Any, help_text: str, most: int = 10**9) -> Any:
    """A field for an even number of games from 2 to `most`, so that each opening is played with both colours."""
    expected = f"an even number from 2 to {most}"
    return _field(default, help_text, _reader(int, lambda number: 2 <= number <= most and number % 2 == 0, expected))


def real(default: Any, help_text: str, least: float, most: float = 1e9) -> Any:
    """A field for a finite number from `least` to `most`."""
    expected = f"a number from {least:g} to {most:g}"
    # The comparisons are false for NaN, so NaN is not accepted.
    return _field(default, help_text, _reader(float, lambda number: least <= number <= most, expected))


def one_of(default: Any, help_text: str, values: Sequence[Any], *, nargs: str | None = None) -> Any:
    """A field for one of `values`, which all have the same type. With `nargs`, a field for a tuple of such values."""
    *others, last = values
    expected = f"{', '.join(map(str, others))} or {last}"
    return _field(default, help_text, _reader(type(last), lambda value: value in values, expected), nargs=nargs)


def text(default: Any, help_text: str, *, nargs: str | None = None) -> Any:
    """A field for any text. With `nargs`, a field for a tuple of texts."""
    return _field(default, help_text, None, nargs=nargs)


def path(help_text: str, default: Any = MISSING, *, suffix: str = "", positional: bool = False) -> Any:
    """A field for the path of an output. The path must end in `suffix`, and is required if the field has no default."""

    def path_to_write(given: str) -> Path:
        found = Path(given)
        if suffix and found.suffix != suffix:
            raise ArgumentTypeError(f"expected a {suffix} file, got {given!r}")
        try:
            nearest = next(folder for folder in found.parents if folder.exists())
        except (OSError, StopIteration):  # a name in the path is too long, or the path is empty
            raise ArgumentTypeError(f"expected a path that can be written, got {given!r}") from None
        if not nearest.is_dir():
            raise ArgumentTypeError(f"expected a path in a folder, got {given!r}, and {str(nearest)!r} is a file")
        return found

    return _field(default, help_text, path_to_write, positional=positional)


def flag(help_text: str, default: bool | None = False) -> Any:
    """A field for an option that takes no value. If the option is given, the field is True, otherwise the default."""
    return field(default=default, metadata={"help": help_text, "action": "store_true"})


def _field(default: Any, help_text: str, read: Callable[[str], Any] | None, **more: Any) -> Any:
    return field(default=default, metadata={"help": help_text, "type": read, **more})


def _reader(kind: Callable[[str], T], accepts: Callable[[T], bool], expected: str) -> Callable[[str], T]:
    """A function that converts a text into a value for argparse. It raises an error if the value is not accepted."""

    def read(given: str) -> T:
        try:
            value = kind(given)
        except ValueError:
            pass
        else:
            if accepts(value):
                return value
        raise ArgumentTypeError(f"expected {expected}, got {given!r}")

    return read


def option(name: str) -> str:
    """The name of the option for a field: ``--random-plies`` for ``random_plies``."""
    return "--" + name.replace("_", "-")


def parse(description: str | None, kind: type[T], arguments: Sequence[str] | None = None) -> T:
    """The command's arguments as an object of one dataclass. See `parse_all`."""
    (parsed,) = parse_all(description, [kind], arguments)
    return parsed  # type: ignore[no-any-return]


def parse_all(description: str | None, kinds: Sequence[type], arguments: Sequence[str] | None = None) -> list[Any]:
    """The command's arguments as objects of several dataclasses. The dataclasses' fields must have different names.

    A dataclass may have a method `check`, which raises ImportError, OSError or ValueError if the values do not fit
    together or cannot be used.

    Args:
        description: the script's docstring, which ``--help`` prints.
        kinds: the dataclasses.
        arguments: the words of the command line. By default, these are the words with which the script was started.

    Returns:
        One object for each dataclass, in the order of `kinds`.

    Raises:
        SystemExit: with status 2 after a message about a wrong argument, or with status 0 after ``--help``.
    """
    parser = ArgumentParser(description=description, formatter_class=RawDescriptionHelpFormatter)
    for kind in kinds:
        for each in fields(kind):
            _add(parser, each.name, each.default, dict(each.metadata))
    given = parser.parse_args(arguments)
    parsed = [_made(kind, given) for kind in kinds]
    for each in parsed:
        if hasattr(each, "check"):
            try:
                each.check()
            except (ImportError, OSError, ValueError) as error:
                parser.error(str(error).splitlines()[0])
    return parsed


def _add(parser: ArgumentParser, name: str, default: Any, how: dict[str, Any]) -> None:
    is_positional = how.pop("positional", False)
    if default is not MISSING and default is not None and how.get("action") != "store_true":
        shown = " ".join(map(str, default)) if isinstance(default, tuple) else default
        how["help"] += f" [{shown}]" if shown != "" else ""
    if is_positional:
        parser.add_argument(name, **how, **({} if default is MISSING else {"default": default, "nargs": "?"}))
    elif default is MISSING:
        parser.add_argument(option(name), required=True, **how)
    else:
        parser.add_argument(option(name), default=default, **how)


def _made(kind: type[T], given: Namespace) -> T:
    values = {each.name: getattr(given, each.name) for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
