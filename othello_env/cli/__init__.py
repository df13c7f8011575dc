"""The command ``othello-env``. Each file of this package is one subcommand, unless its name begins with ``_``."""

import contextlib
import os
import re
import shlex
import sys
import sysconfig
import traceback
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click
from click.shell_completion import shell_complete

import othello_env
from othello_env.agent import agent_names
from othello_env.arena import FaultWarning
from othello_env.cli._options import Group
from othello_env.support.imports import search_current_folder
from othello_env.support.jit import interruptible, raise_interrupt

__all__ = ["main"]

_COMPLETE = "_OTHELLO_ENV_COMPLETE"
_FAILURE = 2
_INTERRUPTED = 130
_LONG_WORD = re.compile(r"(\S{100})\S{150,}(\S{50})")
_LONGEST = 3_000  # the largest number of characters in a message


class _Commands(Group):
    """The subcommands. Each subcommand is a module of this package, which is imported only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(file.stem for file in Path(__file__).parent.glob("[a-z]*.py"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = import_module(f"{__name__}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command


_AGENTS = f"""Begin with quickstart or play.

An AGENT is a name, perhaps with options (engine:depth=6), a file of weights (agent.npz) or a Python function
(policy.py:function). The names are {", ".join(agent_names())}.
"""


@click.group(
    cls=_Commands, epilog=_AGENTS, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(othello_env.__version__, prog_name="othello-env")
def _command() -> None:
    """Othello for people who train agents."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command, and then exit.

    After an error, the command prints one line on stderr, and the exit status is 2. After an interrupt (Ctrl-C), the
    exit status is 130. Each command itself keeps what was done before the interrupt.

    Args:
        arguments: the arguments of the command; by default the arguments of this process.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed; without this line, a file could get its number
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - it stays open
    search_current_folder()
    try:
        status = _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            click.echo(err=True)  # the terminal shows ^C, so the message begins on a new line
        _stop("interrupted", _INTERRUPTED)
    except click.ClickException as error:
        _stop(error.format_message() + _where_to_look(error), _FAILURE)
    except BrokenPipeError:  # nobody reads the output
        with contextlib.suppress(OSError):  # otherwise Python would try again to write it, and print an error
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_FAILURE)
    except (ValueError, OSError, ImportError, othello_env.AgentError) as error:
        _stop(_first_line(_in_words(error).strip() or type(error).__name__) + _place(_frames(error)), _FAILURE)
    except SystemExit:
        raise
    except BaseException as error:  # it is probably of a user's file, so the message says where it was raised
        frames = _frames(error) or traceback.extract_tb(error.__traceback__)
        _stop(_first_line(f"{type(error).__name__}: {error}") + _place(frames), _FAILURE)
    sys.exit(status if isinstance(status, int) else 0)


def _run(arguments: list[str]) -> Any:
    """Do what click's own `main` does, but leave errors and interrupts to `main`."""
    if instruction := os.environ.get(_COMPLETE):
        sys.exit(shell_complete(_command, {}, "othello-env", _COMPLETE, instruction))
    try:
        with interruptible(), warnings.catch_warnings():
            warnings.simplefilter("ignore", FaultWarning)  # each command itself prints the faults of the agents
            words = shlex.join(["othello-env", *arguments])  # before click takes the list apart
            with _command.make_context("othello-env", arguments, obj=words) as context:
                return _command.invoke(context)
    except click.exceptions.Exit as error:  # click raises it after --help, for example
        return error.exit_code
    except click.Abort as error:  # click raises it at a prompt, after Ctrl-C and at the end of the input
        raise_interrupt(error)
        raise click.ClickException("the input ended before the answer to a question") from error


def _where_to_look(error: click.ClickException) -> str:
    """Which help to read, if the user does not know what a command takes."""
    is_unknown = isinstance(error, click.MissingParameter | click.NoSuchOption) or "extra argument" in error.message
    if not isinstance(error, click.UsageError) or not is_unknown or not error.ctx:
        return ""
    stop = "" if error.format_message().endswith(".") else "."
    return f"{stop} {error.ctx.command_path} --help shows what it takes"


def _in_words(error: Exception) -> str:
    """The message of an error. For an error of the operating system, the message is the path and the reason."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{str(error.filename)!r} cannot be used: {error.strerror}"
    return str(error)


def _frames(error: BaseException | None) -> list[traceback.FrameSummary]:
    """Where an error, or the error that caused it, came from a user's own files; empty if it did not.

    For a SyntaxError, the list is empty too, because its own message names the file and the line.
    """
    while error is not None and not isinstance(error, SyntaxError):
        if frames := [frame for frame in traceback.extract_tb(error.__traceback__) if _is_of_a_user(frame.filename)]:
            return frames
        error = error.__cause__
    return []


def _is_of_a_user(file: str) -> bool:
    """Whether a file of a traceback is neither of this package, nor of Python or an installed package."""
    path = Path(file)
    is_installed = bool({"site-packages", "dist-packages", "othello_agents"} & {*path.parts})
    others = (Path(othello_env.__file__).parent, sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
    return not (is_installed or file.startswith("<") or any(path.is_relative_to(folder) for folder in others))


def _place(frames: list[traceback.FrameSummary]) -> str:
    """The file and line of the last of these frames, as text."""
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""


def _first_line(message: str) -> str:
    """The first line of a message. More lines may follow, such as a board; they are not printed.

    What the user gave may be long, so long words and long lines are shortened.
    """
    line = _LONG_WORD.sub(r"\1...\2", message.strip().partition("\n")[0].rstrip(": \r"))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def _stop(message: str, status: int) -> NoReturn:
    click.echo(f"othello-env: {_first_line(message)}", err=True)
    sys.exit(status)
