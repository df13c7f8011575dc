"""The command ``othello-env``. Each file of this package is one subcommand, unless its name begins with ``_``."""

import contextlib
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click
from click.shell_completion import shell_complete

import othello_env
from othello_env.arena import FaultWarning
from othello_env.cli._help import HelpfulGroup, with_whole_words
from othello_env.support.compiling import compilation_reported
from othello_env.support.imports import search_current_folder
from othello_env.support.jit import interruptible

__all__ = ["main"]

_COMPLETE = "_OTHELLO_ENV_COMPLETE"
_FAILURE = 2
_INTERRUPTED = 130


class _Commands(HelpfulGroup):
    """The subcommands. Each subcommand is a module of this package, which is imported only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(file.stem for file in Path(__file__).parent.glob("[a-z]*.py"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = import_module(f"{__name__}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return with_whole_words(command)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(othello_env.__version__, prog_name="othello-env")
def _command() -> None:
    """Othello for people who train agents."""


def main(arguments: list[str] | None = None, *, is_interrupted: Callable[[], bool] = lambda: False) -> None:
    """Run the command, and then exit.

    After an error, the command prints one line on stderr, and the exit status is 2. After an interrupt (Ctrl-C), the
    exit status is 130.

    Args:
        arguments: the arguments of the command; by default the arguments of this process.
        is_interrupted: a function that returns True if there was an interrupt, but Python could not raise
            KeyboardInterrupt, for example because a destructor was running. If the command fails after such an
            interrupt, `main` ends as after Ctrl-C.
    """
    given = sys.argv[1:] if arguments is None else arguments
    search_current_folder()
    try:
        status = _run(given, is_interrupted)
    except (click.Abort, EOFError, KeyboardInterrupt):
        with _undisturbed():
            if sys.stderr.isatty():
                click.echo(err=True)  # the terminal shows ^C, so the message begins on a new line
            _stop("interrupted", _INTERRUPTED)
    except click.ClickException as error:
        _stop(error.format_message(), _FAILURE)
    except BrokenPipeError:
        sys.stderr.close()  # nobody reads stdout; without this line, Python would print an error about it
        sys.exit(_FAILURE)
    except (ValueError, OSError, ImportError, othello_env.AgentError) as error:
        _stop(_in_words(error) or type(error).__name__, _FAILURE)
    except Exception as error:  # the error is probably in a user's file, so the message says where it was raised
        _stop(f"{type(error).__name__}: {error}".splitlines()[0] + _place(error), _FAILURE)
    sys.exit(status if isinstance(status, int) else 0)


def _run(arguments: list[str], is_interrupted: Callable[[], bool]) -> Any:
    try:
        with compilation_reported(_say_compiling), warnings.catch_warnings():
            warnings.simplefilter("ignore", FaultWarning)  # each command itself prints the faults of the agents
            return _invoke(arguments)
    except Exception as error:
        if is_interrupted():
            raise KeyboardInterrupt from error
        raise


def _invoke(arguments: list[str]) -> Any:
    """Do what click's own `main` does, but print no empty line after an interrupt."""
    if instruction := os.environ.get(_COMPLETE):
        sys.exit(shell_complete(_command, {}, "othello-env", _COMPLETE, instruction))
    try:
        with interruptible(), _command.make_context("othello-env", arguments) as context:
            return _command.invoke(context)
    except click.exceptions.Exit as error:  # click raises it after --help, for example
        return error.exit_code


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore further interrupts, so that the message is printed whole."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _say_compiling() -> None:
    """Say on stderr that code is being compiled.

    If the terminal shows a progress bar, the message replaces the bar. When the bar moves on, it appears on the next
    line.
    """
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    with contextlib.suppress(OSError, ValueError):  # raised if stderr is closed or nobody reads it
        click.echo(f"{clear}othello-env: compiling for first use; this takes up to half a minute, once", err=True)


def _in_words(error: Exception) -> str:
    """The message of an error. For an error of the operating system, the message is the path and the reason."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{str(error.filename)!r} cannot be used: {error.strerror}"
    return str(error)


def _place(error: Exception) -> str:
    """The file and line where an error was raised, as text.

    The text is empty for a SyntaxError, because its own message names the file and the line.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return "" if isinstance(error, SyntaxError) else f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"


def _stop(message: str, status: int) -> NoReturn:
    first = message.strip().splitlines()[0].rstrip(":")  # more lines may follow, such as a board; they are not printed
    click.echo(f"othello-env: {first}", err=True)
    sys.exit(status)
