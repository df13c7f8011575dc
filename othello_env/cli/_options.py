"""Command-line options that several commands share, and functions for the output of commands."""

import math
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, Any, TypeVar

import click
from click.core import ParameterSource

from othello_env.agent import AgentLeftError, WrongGameError
from othello_env.arena.openings import BALANCED, parse_openings
from othello_env.arena.play.records import GameRecord, forfeits
from othello_env.games.game import NotationError
from othello_env.games.openings import Openings
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameSpec, find_game
from othello_env.support.files import in_one_process, read_file

__all__ = [
    "FILE",
    "FOLDER",
    "MOST_GAMES",
    "MOST_SECONDS",
    "MOST_THREADS",
    "OTHELLO",
    "FloatRange",
    "Group",
    "bar",
    "check_distinct",
    "existing_path",
    "game_option",
    "is_given",
    "openings_option",
    "openings_text",
    "othello_start",
    "recorded",
    "refuse",
    "report_forfeits",
    "results_folder",
    "say",
    "seed_option",
    "show",
    "size_option",
    "table",
    "without_board",
    "workers_option",
]

_F = TypeVar("_F", bound=Callable[..., Any])
_R = TypeVar("_R")
_LARGEST_OPENINGS = 64 << 20  # the largest size of a file of openings, in bytes
_LONGEST_PATH = 255  # a longer text is never tried as a path: some systems raise an error for it
_LARGEST_SEED = 2**64 - 1
_WIDEST_BAR = 36
_LOCK = ".lock"  # in a folder of results, while a run writes there
_NARROWEST = 20  # the least width of the first column of a table
_BALANCED = ", ".join(BALANCED)
_EXPECTED = f"expected random:PLIES, {_BALANCED}, start, transcripts or a file of them"
_SHOWN = "othello-env shown"  # in the context's dict `meta`
_SHOW_SECONDS = 60.0
_LONGEST_SUMMARY = 200

MOST_GAMES, MOST_SECONDS, MOST_THREADS = 10**9, 1e9, 1024
"""Upper limits of options. A larger number is probably a typing mistake, and it could overflow."""


FILE = click.Path(dir_okay=False, path_type=Path)
"""The type of an option that takes the path of a file to write."""
FOLDER = click.Path(path_type=Path)
"""The type of an option that takes the path of a folder to write to."""


class Group(click.Group):
    """A group of commands, whose help has whole summaries. If no command is given, it shows its help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        commands = [(name, command) for name in names if (command := self.get_command(ctx, name)) is not None]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(_LONGEST_SUMMARY)) for name, command in commands])


class FloatRange(click.FloatRange):
    """A number from `least` to `most`. If `above` is True, the number must be greater than `least`.

    NaN is an error here, but not in `click.FloatRange`.
    """

    name = "number"

    def __init__(self, least: float, most: float, *, above: bool = False) -> None:
        super().__init__(least, most, min_open=above)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


OTHELLO = "othello, perhaps with its size, such as othello:size=6."
"""The help of ``--game`` in a command that only Othello has."""


def game_option(
    function: Callable[..., Any],
    text: str = "othello, checkers or tribolo, perhaps with options, such as othello:size=6; or the class of a "
    "registered game, FILE.py:CLASS.",
) -> Callable[..., Any]:
    """Add the options ``--game`` and ``--size`` to a command. The command gets the game as the argument `game`.

    `text` is the help of ``--game``.
    """

    @click.option(
        "--size",
        type=click.IntRange(2, 99),
        help="The side of the board: --size 6 is short for --game othello:size=6.",
    )
    @click.option("--game", default="othello", help=text)
    @wraps(function)
    def run(*arguments: Any, game: str, size: int | None, **options: Any) -> Any:
        found = _with_size(game, size)
        if isinstance(openings := options.get("openings"), list):
            try:
                Openings(openings, found.start)
            except NotationError as error:
                told = f"{_EXPECTED}, got {','.join(openings)!r} ({error})"
                raise click.BadParameter(told, param_hint="--openings") from None
        try:
            return function(*arguments, game=found, **options)
        except WrongGameError as error:
            advice = ""
            if found.name == "othello":  # the user may have forgotten its size
                advice = "; --size and --game say what is played, such as --size 6"
            raise click.UsageError(f"{error}{advice}") from error

    return run


def size_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `game_option` to a command for Othello. The command gets the board's size, `size`."""

    @wraps(function)
    def run(*arguments: Any, game: GameSpec, **options: Any) -> Any:
        return function(*arguments, size=othello_start(game).size, **options)

    return game_option(run, OTHELLO)


_INSTEAD = {
    "train": "python scripts/train/self_play.py",
    "quickstart": "python scripts/train/self_play.py",
    "solve": "an agent such as alphabeta in othello-env play",
    "analyse": "an agent such as alphabeta in othello-env play",
    "gtp": "othello-env match or tournament",
    "label": "the records of othello-env match",
}
"""For commands that only Othello has: what serves other games."""


def othello_start(game: GameSpec) -> Othello:
    """The start of the game that ``--game`` and ``--size`` name, in a command that only Othello has.

    Raises:
        click.BadParameter: the game is not Othello, but perhaps a variant of its rules.
    """
    start = game.start(0)
    if type(start) is not Othello:  # these commands use engines and formats of Othello, and no variant of its rules
        name = click.get_current_context().info_name or ""
        instead = f"; {name} is not made for {game}, use {_INSTEAD[name]} --game {game}" if name in _INSTEAD else ""
        raise click.BadParameter(f"expected othello, perhaps with a size, got {game}{instead}", param_hint="--game")
    return start


def _with_size(game: str, size: int | None) -> GameSpec:
    if size is None:
        return find_game(game)
    if "size=" in game:
        raise click.UsageError(f"give the size either in --game {game} or with --size {size}, not twice")
    has_options = ":" in re.sub(r"\.py:\w+", "", game)
    return find_game(f"{game}{',' if has_options else ':'}size={size}")


def seed_option(text: str = "The same seed repeats the run.") -> Callable[[_F], _F]:
    """A decorator that adds the option ``--seed`` to a command; `text` is the option's help."""
    return click.option("--seed", type=click.IntRange(0, _LARGEST_SEED), default=0, help=text)


def openings_option(function: _F) -> _F:
    """Add the option ``--openings`` to a command."""
    return click.option(
        "--openings",
        default="random:10",
        help=f"Where games begin: random:PLIES, {_BALANCED} (packaged lists for 8x8 and 6x6), "
        "start, transcripts separated by commas, or a file with one transcript on each line.",
        callback=_openings,
    )(function)


def workers_option(function: _F) -> _F:
    """Add the option ``--workers`` to a command. Without the option, the value is None."""
    return click.option(
        "--workers", type=click.IntRange(1, MOST_THREADS), help="The number of processes that play.  [default: 1]"
    )(function)


def _openings(_context: click.Context, _parameter: click.Parameter, value: str) -> str | list[str] | None:
    if value == "start":
        return None
    if value in BALANCED or re.fullmatch(r"random:[0-9]{1,9}", value):
        return value
    path = existing_path(value)
    if path is None or not path.is_file():
        return [part.strip() for part in value.split(",")]
    try:
        openings = [*parse_openings(read_file(path, _LARGEST_OPENINGS).decode())]
    except UnicodeDecodeError as error:
        raise click.BadParameter(f"{value!r} is not text: {error}") from None
    if not openings:
        raise click.BadParameter(f"the file {value!r} has no transcript")
    return openings


def existing_path(text: str) -> Path | None:
    """The path that a text names; None if there is no such file or folder, or if the text cannot be a path."""
    if 0 < len(text) < _LONGEST_PATH and "\0" not in text and Path(text).exists():
        return Path(text)
    return None


def refuse(names: Container[str | None], why: str) -> None:
    """Check that the user gave none of these options to the running command.

    Args:
        names: the options, by the names of the command's parameters, such as ``game``.
        why: the words that follow the name of the option in the error message, such as "is for files".

    Raises:
        click.UsageError: the user gave one of these options.
    """
    for option in click.get_current_context().command.params:
        if option.name in names and is_given(option.name or ""):
            raise click.UsageError(f"{option.opts[0]} {why}")


def is_given(*names: str) -> bool:
    """Whether the user gave one of these options to the running command."""
    context = click.get_current_context()
    return any(context.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in names)


def openings_text(openings: str | list[str] | None) -> str:
    """A few words that describe the value of the option ``--openings``."""
    return f"{len(openings)} given" if isinstance(openings, list) else openings or "start"


@contextmanager
def results_folder(path: Path | None) -> Iterator[None]:
    """Make a folder for the results of a run, and keep other runs out of it. Without a path, do nothing.

    Raises:
        click.BadParameter: the path exists and is not an empty folder.
        OSError: the folder cannot be made, no file can be written there, or another run writes to it.
    """
    if path is None:
        yield
        return
    if path.exists() and (not path.is_dir() or {file.name for file in path.iterdir()} - {_LOCK}):
        raise click.BadParameter(f"{path} exists and is not an empty folder.", param_hint="--out")
    path.mkdir(parents=True, exist_ok=True)
    with in_one_process(path / _LOCK, OSError(f"another process writes to {path}")):
        yield


def _columns(stream: IO[str]) -> int:
    """The width of the terminal to which a stream writes. Without COLUMNS, lines of a file may have any length."""
    is_limited = stream.isatty() or os.environ.get("COLUMNS")
    return shutil.get_terminal_size().columns if is_limited else sys.maxsize


def show(*parts: str) -> None:
    """Show parts on the current line of the terminal, in place of the last text.

    The last parts are left out if the line is too short. Without a terminal, the parts are a line of stderr, if no such
    line was written in the last minute.
    """
    if not sys.stderr.isatty():
        if any(parts) and _is_due():
            click.echo("  ".join(parts), err=True)
        return
    room, text = _columns(sys.stderr) - 1, ""
    for part in parts:
        longer = f"{text}  {part}" if text else part
        if len(longer) > room:
            break
        text = longer
    click.echo(f"\r{text}\x1b[K", nl=False, err=True)


def _is_due() -> bool:
    """Whether a minute of the running command has passed since the last True, or since the first call."""
    context, now = click.get_current_context(silent=True), time.monotonic()
    if context is None or now < context.meta.setdefault(_SHOWN, now) + _SHOW_SECONDS:
        return False
    context.meta[_SHOWN] = now
    return True


def say(text: str, *, err: bool = False) -> None:
    """Print a sentence. On a terminal, its lines break between words."""
    room = _columns(sys.stderr if err else sys.stdout)
    if len(text) > room:
        text = textwrap.fill(text, room, break_long_words=False, break_on_hyphens=False)
    click.echo(text, err=err)


@contextmanager
def bar(label: str, length: int) -> Iterator[Callable[..., None]]:
    """Show a progress bar, or lines of progress if stderr is not a terminal (see `show`).

    The bar is no wider than the terminal, so it takes one line. The yielded function moves the bar. Its argument is the
    number of steps, by default 1.
    """
    if not sys.stderr.isatty() or length < 1:
        done = 0

        def count(steps: int = 1) -> None:
            nonlocal done
            done += steps
            show(f"{label} {done:,} of {length:,}")

        yield count
        return
    progress: Any
    room = _columns(sys.stderr) - len(f"{label}  []  {length}/{length}  00:00:00") - 1
    with click.progressbar(
        length=length,
        label=label,
        file=sys.stderr,
        show_pos=True,
        width=max(5, min(_WIDEST_BAR, room)),
        update_min_steps=max(1, length // 200),
    ) as progress:
        yield lambda steps=1: progress.update(steps)


@contextmanager
def recorded(length: int, report: Callable[[list[_R]], bool]) -> Iterator[Callable[[_R], None]]:
    """Show a progress bar while games are played, and call `report` with their records at the end.

    The caller must call the yielded function with the record of each game. `report` is also called if the user
    interrupts the games, and if an error ends them after the first game. If `report` returns True, the command ends
    with status 1.
    """
    records: list[_R] = []
    try:
        with bar("games", length) as step:

            def take(record: _R) -> None:
                records.append(record)
                step()

            yield take
    except BaseException as error:
        if records or isinstance(error, KeyboardInterrupt | AgentLeftError):
            report(records)
        raise
    if report(records):
        raise click.exceptions.Exit(1)


def check_distinct(games: Path, other: Path, message: str) -> None:
    """Check that a file of games is not replaced by another file that the command writes.

    Raises:
        click.UsageError: both paths name the same file. The error has this message.
    """
    if games.resolve() == other.resolve():
        raise click.UsageError(f"{message}; the games would be lost")


def report_forfeits(records: Sequence[GameRecord], agents: Mapping[str, str]) -> bool:
    """Print a line for each agent that forfeited games, with the number of these games and the first fault.

    Args:
        records: the games.
        agents: for the name of each agent in the records, the name to print.

    Returns:
        Whether an agent forfeited all its games.
    """
    lost_all = False
    for name, shown in agents.items():
        if faults := forfeits(name, records):
            games = sum(name in record.agents for record in records)
            say(f"{shown} forfeited {len(faults)} of {games} games; the first: {without_board(faults[0])}")
            lost_all |= len(faults) == games
    return lost_all


def without_board(fault: str) -> str:
    """The first line of a fault's text and, after further lines such as a board, the place in a file."""
    return re.sub(r"\n.*?( \([^()\n]+, line \d+\).*)?\Z", r"\1", fault, flags=re.DOTALL)


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table as text, with a head and rows. The first column is left-aligned, all other columns are right-aligned.

    If stdout is a terminal that is too narrow for the table, a long first cell takes a line of its own.
    """
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    widths[0] = min(widths[0], max(_NARROWEST, _columns(sys.stdout) - sum(widths[1:]) - 2 * len(widths[1:])))
    lines = []
    for first, *rest in [head, tuple("-" * width for width in widths), *rows]:
        if len(first) > widths[0]:
            lines.append(first)
            first = ""
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
