"""``othello-env data``: make, convert, label and describe games as data."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
from click.core import ParameterSource

from othello_env.agent import file_hashes, make_agent
from othello_env.agent.spec import named_files
from othello_env.arena.tournament.schedule import check_games
from othello_env.cli import _options as options
from othello_env.data import (
    DamagedGamesWarning,
    Dataset,
    Games,
    MoveLabels,
    Statistics,
    agent_labels,
    exact_labels,
    match_games,
    random_games,
    read_games,
    read_names,
    tokens,
    write_games,
)
from othello_env.data.formats.tokens import tokens_of, write_tokens
from othello_env.data.games import random_games_of
from othello_env.games.othello.position import Othello
from othello_env.games.othello.tokens import VOCABULARIES, vocabulary_of
from othello_env.games.registry import GameSpec
from othello_env.support.arrays import DAMAGE, Member
from othello_env.support.files import check_output, write_file

__all__ = ["command", "parts_of"]

_RANDOM_PART, _MATCH_PART = 100_000, 1_000
"""The number of games in one part of a dataset: the first is for random games, the second for games of a match."""
_LONGEST_NAME = 80
"""In the name of a file, an agent's spec is cut after this number of characters."""
_INPUT = click.Path(exists=True, path_type=Path)


@click.group("data", cls=options.Group)
def command() -> None:
    """Make, convert, label and describe games as data."""


@command.group("make", cls=options.Group)
def _make() -> None:
    """Make a dataset: a folder with games in several files, the parts.

    A part is written completely or not at all. Ctrl-C ends the work. The same command continues the work later.
    """


_vocabulary_option = click.option(
    "--vocabulary",
    type=click.Choice(VOCABULARIES),
    help="Write sequences of tokens for language models (.npy or .parquet).",
)


@_make.command("random")
@click.option("--games", type=click.IntRange(1, options.MOST_GAMES), required=True, help="The number of games.")
@click.option("--out", type=options.FOLDER, required=True, help="The folder of the dataset; a file with --vocabulary.")
@click.option("--threads", type=click.IntRange(1, options.MOST_THREADS), default=1, help="The number of threads.")
@options.game_option
@_vocabulary_option
@options.seed_option("The same seed makes the same games.")
def _make_random(games: int, out: Path, threads: int, game: GameSpec, vocabulary: str | None, seed: int) -> None:
    """Make games by random legal moves.

    With --vocabulary, games of Othello are written as sequences of tokens to one file, whose name ends in .npy or
    .parquet.
    """
    if type(game.start(0)) is not Othello:
        options.refuse(("threads", "vocabulary"), f"is for Othello, not for {game}")
        make = partial(random_games_of, game)
        recipe = {"make": "random", "game": str(game), "seed": seed}
        _make_dataset(out, recipe, games, _MATCH_PART, lambda first, count: make(count, seed, first))
        return
    size = options.othello_start(game).size
    if vocabulary is not None:
        words = vocabulary_of(vocabulary, size)

        def batches() -> Iterator[npt.NDArray[np.int8]]:
            with options.bar("games", games) as advance:
                for first in range(0, games, _RANDOM_PART):
                    count = min(_RANDOM_PART, games - first)
                    made = random_games(count, size=size, seed=seed, first=first, num_threads=threads)
                    yield tokens_of(made.actions.astype(np.int8, copy=False), made.lengths, words)
                    advance(count)

        write_tokens(out, batches(), games, words)
        click.echo(f"{out}: {games:,} sequences")
        return

    def part(first: int, count: int) -> Games:
        return random_games(count, size=size, seed=seed, first=first, num_threads=threads)

    _make_dataset(out, {"make": "random", "size": size, "seed": seed}, games, _RANDOM_PART, part)


@_make.command("match")
@click.argument("a")
@click.argument("b", required=False)
@click.option("--games", type=click.IntRange(2, options.MOST_GAMES), required=True, help="An even number of games.")
@click.option("--out", type=options.FOLDER, required=True, help="The folder of the dataset.")
@options.workers_option
@click.option("--ray", is_flag=True, help="Play on a Ray cluster (extra ray).")
@options.openings_option
@options.game_option
@options.seed_option("The same seed makes the same games.")
def _make_match(a: str, b: str | None, games: int, out: Path, **how: Any) -> None:
    """Make games of agent A against agent B. Without B, agent A plays against itself.

    For varied games, give an agent random choices in its spec, for example epsilon=0.1.
    """
    check_games(games)
    game, recipe = how["game"], {"make": "match", "a": a, "b": b, "openings": how["openings"]}
    recipe |= {"game": str(game), "seed": how["seed"]}
    if files := [_identity(agent) for agent in (a, b) if agent is not None and named_files(agent)]:
        recipe["files"] = files
    forfeited: Counter[str] = Counter()

    def part(first: int, count: int) -> Games:
        made = match_games(a, b, count, first=first, **how)
        for seat, player in enumerate(game.start(0).player_names):
            forfeited.update(made.columns[player][made.columns["forfeit"] == seat].tolist())
        return made

    try:
        _make_dataset(out, recipe, games, _MATCH_PART, part)
    finally:
        for name, count in forfeited.items():
            click.echo(f"{name} forfeited {count} games; othello-env match shows the reason", err=True)


@command.command("convert")
@click.argument("source", type=_INPUT)
@click.argument("target", type=options.FILE)
@click.option("--players", type=_INPUT, help="A file with the players' names for WTHOR games (WTHOR.JOU).")
@click.option("--tournaments", type=_INPUT, help="A file with the tournaments' names for WTHOR games (WTHOR.TRN).")
@click.option("--skip", is_flag=True, help="Leave damaged games out, and print their number.")
@click.option("--distinct", is_flag=True, help="Of equal games, keep only the first.")
@_vocabulary_option
@options.game_option
def _convert(
    source: Path,
    target: Path,
    players: Path | None,
    tournaments: Path | None,
    skip: bool,
    distinct: bool,
    vocabulary: str | None,
    game: GameSpec,
) -> None:
    """Write the games of a file or dataset to a file.

    SOURCE is a dataset, or a file of WTHOR, GGF, transcripts, PDN, records of matches (.jsonl), Parquet, Othello-GPT's
    tokens (.npy) or .npz. TARGET ends in .npz, .npy, .wtb, .ggf, .txt, .pdn or .parquet. With --vocabulary, TARGET
    ends in .npy or .parquet and gets sequences of tokens.
    """
    names = {
        "players": read_names(players) if players else (),
        "tournaments": read_names(tournaments) if tournaments else (),
    }
    games = Games.joined(parts_of(source, game, skip, **names))
    kept = games.distinct() if distinct else games
    if vocabulary is None:
        write_games(target, kept)
    else:
        rows = tokens(kept, vocabulary)
        write_tokens(target, [rows], len(rows), vocabulary_of(vocabulary, kept.starts[0].observation_shape[1]))
    click.echo(f"{target}: {len(kept):,} games" + (f" of {len(games):,}" if len(kept) < len(games) else ""))


@command.command("info")
@click.argument("source", type=_INPUT)
@click.option("--skip", is_flag=True, help="Leave damaged games out, and print their number.")
@options.game_option
def _info(source: Path, skip: bool, game: GameSpec) -> None:
    """Describe the games of a file or dataset."""
    parts = parts_of(source, game, skip)
    first = next(parts)
    statistics = Statistics.from_parts(part.statistics() for part in chain([first], parts))
    if source.is_dir():
        dataset, columns = Dataset(source), dict[str, Any]()
        click.echo(f"{source}: {len(dataset):,} of {dataset.count:,} games in parts of {dataset.part_size:,}")
        click.echo(f"made by: {dataset.made_by}")
    else:
        columns = first.columns
        click.echo(f"{source}: {len(first):,} games of {first.game}, {len(first.starts):,} different starts")
    rows = [
        ("finished", f"{statistics.finished:,}"),
        ("first player wins", f"{statistics.first_wins:.4f}"),
        ("second player wins", f"{statistics.second_wins:.4f}"),
        ("draws", f"{statistics.draws:.4f}"),
        ("mean margin of the first player", f"{statistics.margin:+.3f}"),
        ("plies a game", f"{statistics.plies:.2f}"),
        ("passes a game", f"{statistics.passes:.3f}"),
    ]
    for name, value in rows:
        if "nan" not in value:  # without a finished game, shares and means are NaN and not shown
            click.echo(f"{name}: {value}")
    for name, column in columns.items():
        # An empty text and NaN, which is not equal to itself, are unknown values.
        known = column[column != "" if column.dtype.kind == "U" else column == column]
        if len(known):
            click.echo(f"column {name}, {'a number for each action' if column.ndim == 2 else f'such as {known[0]}'}")


@command.command("label")
@click.argument("source", type=_INPUT)
@click.option("--agent", help="Take the values of this agent, such as engine:depth=4, in place of exact scores.")
@click.option("--empties", type=click.IntRange(1, 24), default=12, help="The largest number of empty squares.")
@click.option(
    "--count",
    type=click.IntRange(1, options.MOST_GAMES),
    help="Label only this number of positions, drawn at random, if SOURCE is a file.",
)
@options.seed_option("Determines which positions --count draws.")
@click.option("--workers", type=click.IntRange(1, 1024), help="The number of processes, by default 1.")
@click.option("--ray", is_flag=True, help="Use a Ray cluster (extra ray).")
@click.option("--out", type=options.FILE, help="The file of labels (.npz), if SOURCE is a file.")
@partial(options.game_option, text=options.OTHELLO)
def _label(source: Path, agent: str | None, out: Path | None, game: GameSpec, **exact: Any) -> None:
    """Label games of Othello.

    In each position with at most EMPTIES empty squares, every move gets its exact score in discs. With --agent, every
    move in each position gets the agent's value or probability; not every agent has one. With M positions and A
    actions, the labels are the arrays game (M,), ply (M,) and values (M, A), and games, the number of games.

    If SOURCE is a file, its labels are written beside it, to NAME.exact-12.npz. The labels of the agent engine:depth=4
    are written to NAME.agent-engine-depth-4.npz. If SOURCE is a dataset, each part gets a file in the folder, such as
    exact-12-000000.npz. A part whose file is complete is not labelled again.
    """
    if agent is None:
        if exact["count"] is None:
            options.refuse(("seed",), "belongs to --count")
        name = f"exact-{exact['empties']}" + ("" if exact["count"] is None else f"-{exact['count']}")
        find, maker = partial(exact_labels, **exact), ""
    else:
        options.refuse(exact, "is for exact scores, not for --agent")
        name = "agent-" + re.sub(r"[^\w.]+", "-", agent).strip("-")[:_LONGEST_NAME]
        find, maker = partial(agent_labels, agent=make_agent(agent)), _identity(agent)  # one agent for all parts
    parts = parts_of(source, game, skip=False)
    if not source.is_dir():
        path = out or source.with_suffix(f".{name}.npz")
        options.check_distinct(source, path, f"--out {path} is the file of the games")
        click.echo(f"{path}: {_write_labels(path, next(parts), find, maker):,} positions")
        return
    options.refuse(("count",), "is for a file of games, not for a dataset")
    if out is not None:
        raise click.UsageError("the labels of a dataset are written into its folder, so --out cannot be given")
    rows = before = total = 0
    with options.bar("games", len(Dataset(source))) as step:
        for total, games in enumerate(parts, start=1):
            path = source / f"{name}-{total - 1:06d}.npz"
            if _labelled_games(path, maker) == len(games):
                before += 1
            else:
                rows += _write_labels(path, games, find, maker)
            step(len(games))
    text = f"{source / name}-*.npz: {rows:,} positions"
    click.echo(f"{text}; {before:,} of {total:,} parts were labelled before" if before else text)


def _make_dataset(out: Path, recipe: dict[str, Any], games: int, part: int, make_part: Any) -> None:
    with options.bar("games", games) as advance:
        done = 0

        def progress(count: int) -> None:
            nonlocal done
            advance(count - done)
            done = count

        command: str = click.get_current_context().find_root().obj
        dataset = Dataset.make(out, recipe, games, part, make_part, progress, command)
    click.echo(f"{out}: {len(dataset):,} games")


def _identity(agent: str) -> str:
    """A text that differs for different agents: the spec, and the hash of each file that the spec names."""
    hashes = file_hashes(make_agent(agent))  # making the agent refuses a huge file before all of it is read
    return " ".join([agent, *(digest.removeprefix("sha256:") for digest in hashes.values())])


def _write_labels(path: Path, games: Games, find: Callable[[Games], MoveLabels], maker: str) -> int:
    """Label games, and write the labels to a file. Return the number of labelled positions.

    `maker` identifies the agent (see `_identity`), and is also stored in the file. If no agent gives the labels,
    `maker` is empty and is not stored.
    """
    check_output(path)
    labels = find(games)
    more: dict[str, Any] = {"agent": np.str_(maker)} if maker else {}
    data = io.BytesIO()
    np.savez(data, games=len(games), **vars(labels), **more)
    write_file(path, data.getvalue())
    return len(labels)


def _labelled_games(path: Path, maker: str) -> int:
    """The number of games whose labels are in a file; -1 if the file is missing or damaged.

    Raises:
        click.UsageError: the labels in the file are by another agent. `maker` identifies the expected agent.
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            count, agent = int(Member(archive, "games").read()), str(Member(archive, "agent").read()) if maker else ""
    except (*DAMAGE, KeyError, TypeError):
        return -1
    if agent != maker:
        raise click.UsageError(
            f"{path} has labels by another agent, or by an earlier version of its file; remove the old labels first"
        )
    return count


def parts_of(source: Path, game: GameSpec, skip: bool, **names: Any) -> Iterator[Games]:
    """Yield the games of each part of a dataset, or all games of a file.

    If `skip` is True, leave out damaged games, and print a warning on stderr.

    Raises:
        click.UsageError: `source` is a dataset without games or of another game, or the user gave an option that is
            only for files.
    """
    if not source.is_dir():
        with _told():
            games = read_games(source, game=str(game), skip=skip, **names)
        yield games
        return
    options.refuse(names, "is for files, not for a dataset")
    is_given = ParameterSource.COMMANDLINE in map(click.get_current_context().get_parameter_source, ("game", "size"))
    dataset = Dataset(source)
    if not len(dataset):
        raise click.UsageError(f"{source} has no games yet")
    parts = dataset.parts(skip=skip)
    while True:
        with _told():
            part = next(parts, None)
        if part is None:
            return
        if is_given and part.game != game:
            raise click.UsageError(f"{source} has games of {part.game}, not of {game}")
        yield part


@contextmanager
def _told() -> Iterator[None]:
    """Print each `DamagedGamesWarning` as a line on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DamagedGamesWarning)
        yield
    for warning in caught:
        click.echo(str(warning.message), err=True)
