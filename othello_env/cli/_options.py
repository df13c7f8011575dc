"""Options and output that several commands share."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

import click

from othello_env.arena.openings import BALANCED, parse_openings
from othello_env.arena.rules import Rules
from othello_env.files import read_file
from othello_env.games.game import NotationError

__all__ = [
    "bar",
    "even",
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
    return click.option("--seed", type=click.IntRange(0), default=0, help=text)


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
    try:
        for part in parts:
            context.params["rules"].start(0).play_transcript(part)
    except NotationError as error:
        raise click.BadParameter(f"{expected}, got {value!r} ({error})") from None
    return parts


def openings_text(openings: str | list[str] | None) -> str:
    """Openings in a few words."""
    return f"{len(openings)} given" if isinstance(openings, list) else openings or "start"


def even(_context: click.Context, _parameter: click.Parameter, value: int | None) -> int | None:
    """Check a number of games, if there is one; they are played in colour-swapped pairs."""
    if value is not None and (value < 2 or value % 2):
        raise click.BadParameter(f"{value} is not even and at least 2 (each opening is played with both colours).")
    return value


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
