"""How groups of commands show their help. The error about an unknown command suggests a similar name."""

import click

from othello_env.support.words import near

__all__ = ["HelpfulGroup"]

_LONGEST_SUMMARY = 200


class HelpfulGroup(click.Group):
    """A group of commands.

    The group's help shows the summaries in full. If no command is given, the group shows its help. For an unknown
    command, it suggests a similar name.
    """

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
