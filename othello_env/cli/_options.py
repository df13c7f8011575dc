"""Options and output that several commands share."""

import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

import click

from othello_env.arena.openings import BALANCED, parse_openings
from othello_env.games.game import NotationError
from othello_env.games.registry import Rules
from othello_env.support.files import read_file

__all__ = [
    "MOST_GAMES",
    "MOST_SECONDS",
    "MOST_THREADS",
    "EvenRange",
    "FloatRange",
    "bar",
    "game_option",
    "make_new_folder",
    "openings_option",
    "openings_text",
    "seed_option",
    "show",
    "size_option",
    "table",
]

_F = TypeVar("_F", bound=Callable[..., Any])
_LARGEST_OPENINGS = 64 << 20  # bytes of a file
_LONGEST_PATH = 255  # longer names of files are errors on some systems
_LARGEST_SEED = 2**64 - 1

MOST_GAMES, MOST_SECONDS, MOST_THREADS = 10**9, 1e9, 1024
"""More than anybody has use for, so that a slip is told and nothing overflows."""


class FloatRange(click.FloatRange):
    """Like click's, which takes nan for a number within any range; here a range has two ends."""

    def __init__(self, least: float, most: float, *, above: bool = False) -> None:
        super().__init__(least, most, min_open=above)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class EvenRange(click.IntRange):
    """A number of games that are played in colour-swapped pairs."""

    def __init__(self) -> None:
        super().__init__(2, MOST_GAMES)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number: int = super().convert(value, param, ctx)
        if number % 2:
            self.fail(f"{number} is not even (each opening is played with both colours).", param, ctx)
        return number


def size_option(function: _F) -> _F:
    """``--size``."""
    return click.option("--size", type=click.Choice(["4", "6", "8"]), default="8", callback=_to_int, help="Board.")(
        function
    )


def _to_int(_context: click.Context, _parameter: click.Parameter, value: str) -> int:
    return int(value)


def game_option(function: _F) -> _F:
    """``--game``."""
    return click.option(
        "--game",
        "rules",
        default="othello",
        is_eager=True,  # openings are read by its rules
        callback=lambda _context, _parameter, value: Rules.parse(value),
        help="othello, checkers or tribolo, with options: othello:size=6.",
    )(function)


def seed_option(text: str = "The same seed repeats the run.") -> Callable[[_F], _F]:
    """``--seed``, and what it repeats."""
    return click.option("--seed", type=click.IntRange(0, _LARGEST_SEED), default=0, help=text)


def openings_option(function: _F) -> _F:
    """``--openings``."""
    return click.option(
        "--openings",
        default="random:10",
        help=f"Where games begin: random:PLIES, {BALANCED} (a packaged list), start, transcripts separated by commas, "
        "or a file with one a line.",
        callback=_openings,
    )(function)


def _openings(context: click.Context, _parameter: click.Parameter, value: str) -> str | list[str] | None:
    if value == "start":
        return None
    if value.partition(":")[0] == "random" or value == BALANCED:
        return value
    if len(value) < _LONGEST_PATH and Path(value).is_file():
        try:
            return [*parse_openings(read_file(value, _LARGEST_OPENINGS).decode())]
        except UnicodeDecodeError as error:
            raise click.BadParameter(f"{value!r} is no text: {error}") from None
    expected = f"expected random:PLIES, {BALANCED}, start, transcripts or a file of them"
    if re.search(r"[/\\]|\.[A-Za-z]\w*$", value):
        raise click.BadParameter(f"there is no file {value!r}; {expected}")
    parts = [part.strip() for part in value.split(",")]
    if not all(parts):
        raise click.BadParameter(f"{expected}, got {value!r} (an opening of no moves is written start)")
    try:
        for part in parts:
            context.params["rules"].start(0).play_transcript(part)
    except NotationError as error:
        raise click.BadParameter(f"{expected}, got {value!r} ({error})") from None
    return parts


def openings_text(openings: str | list[str] | None) -> str:
    """Openings in a few words."""
    return f"{len(openings)} given" if isinstance(openings, list) else openings or "start"


def make_new_folder(path: Path) -> None:
    """Make a folder for results, and see that files can be written there.

    Raises:
        click.BadParameter: it is there already and holds something.
        OSError: it cannot be made or written.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise click.BadParameter(f"{path} exists and is not an empty folder.", param_hint="--out")
    path.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=path):
        pass


def show(text: str) -> None:
    """Show how long work gets on, in one line of a terminal, which the next call replaces; nothing in a pipe."""
    if sys.stderr.isatty():
        click.echo(f"\r{text}\x1b[K", nl=False, err=True)


@contextmanager
def bar(label: str, length: int) -> Iterator[Callable[[], None]]:
    """A progress bar on a terminal, nothing in a pipe; the yielded function takes a step."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    progress: Any
    with click.progressbar(
        length=length, label=label, file=sys.stderr, show_pos=True, update_min_steps=max(1, length // 200)
    ) as progress:
        yield lambda: progress.update(1)


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Rows of text under a head, the first column left-aligned, the others right-aligned."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, tuple("-" * width for width in widths), *rows]:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
