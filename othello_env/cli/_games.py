"""Games from files and datasets, for the commands that read them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from othello_env.cli import _options as options
from othello_env.data import DamagedGamesWarning, Dataset, Games, read_games
from othello_env.games.registry import Rules

__all__ = ["parts_of", "read"]


def read(source: Path, rules: Rules, skip: bool, **names: Any) -> Games:
    """Read the games of a file. If `skip` is True, leave out damaged games, and print a warning on stderr."""
    with _told():
        return read_games(source, rules=str(rules), skip=skip, **names)


def parts_of(source: Path, rules: Rules, skip: bool, **names: Any) -> Iterator[Games]:
    """Yield the games of each part of a dataset, or all games of a file.

    If `skip` is True, leave out damaged games, and print a warning on stderr.

    Raises:
        click.UsageError: `source` is a dataset, and the user gave an option that is only for files.
    """
    if not source.is_dir():
        yield read(source, rules, skip, **names)
        return
    options.refuse(("rules", *names), "is for files; a dataset itself says what its games are")
    parts = Dataset(source).parts(skip=skip)
    while True:
        with _told():
            games = next(parts, None)
        if games is None:
            return
        yield games


@contextmanager
def _told() -> Iterator[None]:
    """Print each `DamagedGamesWarning` as a line on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DamagedGamesWarning)
        yield
    for warning in caught:
        click.echo(str(warning.message), err=True)
