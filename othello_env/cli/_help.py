"""How help is shown.

Lines break only between words. Summaries are not cut off. The error about an unknown command suggests a similar name.
"""

import re
from collections.abc import Iterable

import click

from othello_env.support.words import near

__all__ = ["HelpfulGroup", "with_whole_words"]

_HYPHEN, _NO_BREAK = re.compile(r"(?<=\w)-(?=\w)"), "\u2011"
_LONGEST_SUMMARY = 200


class _Formatter(click.HelpFormatter):
    """Breaks lines only between words, never at a hyphen within a word."""

    def write_text(self, text: str) -> None:
        super().write_text(_HYPHEN.sub(_NO_BREAK, text))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        whole = [(_HYPHEN.sub(_NO_BREAK, name), _HYPHEN.sub(_NO_BREAK, text)) for name, text in rows]
        super().write_dl(whole, col_max, col_spacing)

    def getvalue(self) -> str:
        return super().getvalue().replace(_NO_BREAK, "-")


class _Context(click.Context):
    formatter_class = _Formatter


def with_whole_words(command: click.Command) -> click.Command:
    """Make the help of a command and its subcommands break lines only between words. Return the command."""
    command.context_class = _Context
    for subcommand in getattr(command, "commands", {}).values():
        with_whole_words(subcommand)
    return command


class HelpfulGroup(click.Group):
    """A group of commands.

    The group's help shows the summaries in full. If no command is given, the group shows its help. For an unknown
    command, it suggests a similar name.
    """

    context_class = _Context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        commands = [(name, command) for name in names if (command := self.get_command(ctx, name)) is not None]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(_LONGEST_SUMMARY)) for name, command in commands])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            known = self.list_commands(ctx)
            ctx.fail(f"there is no command {name!r}{near(name, known)}; the commands are {', '.join(known)}")
        return super().resolve_command(ctx, args)
