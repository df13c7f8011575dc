"""Reviews of the games of a file, for ``othello-env analyse FILE``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import update_wrapper
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from othello_env.agent import make_agent
from othello_env.cli import _options as options
from othello_env.cli._games import parts_of
from othello_env.data import Games, MoveReview, review_game, summarise
from othello_env.data.review import ANALYST, BLUNDER, EXACT_EMPTIES
from othello_env.games.registry import Rules
from othello_env.support.files import check_output, write_json

__all__ = ["Selection", "reviews_files"]

_FORMAT = "othello-env review 1"
_LARGEST_NUMBER = 10**9


@dataclass(frozen=True)
class _Request:
    """What to review, and how. The fields are the command's argument and options."""

    source: Path
    rules: Rules
    agent: Any
    exact: int
    blunder: float
    select: list[tuple[int, int]] | None
    first: int
    skip: bool
    summary: bool
    out: Path | None


class Selection(click.ParamType):  # type: ignore[type-arg]  # only the newest click has a type argument here
    """The numbers of games, such as ``1,3-5``, as a list of pairs (first, last)."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[tuple[int, int]]:
        if isinstance(value, list):
            return value
        parts = [re.fullmatch(r"\s*([0-9]{1,10})(?:-([0-9]{1,10}))?\s*", part) for part in value.split(",")]
        ranges = [(int(part[1]), int(part[2] or part[1])) for part in parts if part]
        if len(ranges) < len(parts) or any(not 1 <= first <= last <= _LARGEST_NUMBER for first, last in ranges):
            self.fail(f"expected numbers of games from 1 on, such as 1,3-5, got {value!r}", param, ctx)
        return ranges


_OPTIONS = (
    click.option("--select", type=Selection(), help="Games: review only the games with these numbers, such as 1,3-5."),
    click.option(
        "--exact",
        type=click.IntRange(0, 30),
        default=EXACT_EMPTIES,
        help="Games: solve positions with at most this number of empty squares.",
    ),
    click.option(
        "--blunder",
        type=options.FloatRange(0, 64, above=True),
        default=BLUNDER,
        help="Games: a move that loses at least this number of discs is a blunder.",
    ),
    click.option(
        "--from",
        "first",
        type=click.IntRange(1, 1000),
        default=1,
        help="Games: the first ply to review, such as 11 after random openings of 10 plies.",
    ),
    click.option("--summary", is_flag=True, help="Games: leave out the tables of moves."),
    click.option("--out", type=options.FILE, help="Games: also write the reviews to this JSON file."),
    click.option("--skip", is_flag=True, help="Games: leave damaged games out, and print their number."),
)
_MINE = ("select", "exact", "blunder", "first", "summary", "out", "skip")
_SHARED = {"rules", "agent"}


def reviews_files(function: Callable[..., None]) -> Callable[..., None]:
    """A decorator: if a command's argument POSITION is a file or a dataset of games, the command reviews the games."""

    def command(context: click.Context, /, position: str, **given: Any) -> None:
        mine = {name: given.pop(name) for name in _MINE}
        if not _is_source(position):
            options.refuse(_MINE, "is for files of games")
            function(position=position, **given)
            return
        options.refuse(given.keys() - _SHARED, "is for a position")
        is_default = context.get_parameter_source("agent") is ParameterSource.DEFAULT
        agent: Any = make_agent(ANALYST if is_default else given["agent"])
        _review_source(_Request(Path(position), given["rules"], agent, **mine))

    decorated: Any = update_wrapper(click.pass_context(command), function)
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _is_source(text: str) -> bool:
    """Whether a text names an existing file or dataset.

    Raises:
        click.BadParameter: the text looks like a path, but there is no such file.
    """
    if options.existing_path(text) is not None:
        return True
    is_board = not text.strip("XxOo*-.")  # such as "..XO..OX", which ends like the name of a file
    if not is_board and re.fullmatch(r"\S*(?:[/\\]\S*|\.[A-Za-z]{3,8})", text):
        raise click.BadParameter(f"there is no file {text!r}; expected a file of games, a transcript or a board")
    return False


def _review_source(request: _Request) -> None:
    """Review the games of a file or dataset, print the reviews, and write them to a JSON file.

    After an interrupt, the JSON file has the reviews that were finished before.

    Raises:
        click.UsageError: the file or dataset has none of the selected games.
    """
    if request.out is not None:
        check_output(request.out)
        options.check_distinct(request.source, request.out, f"--out {request.out} is the file of the games")
    found: list[dict[str, Any]] = []
    moves: dict[str, list[MoveReview]] = {}
    card = {
        "format": _FORMAT,
        "source": str(request.source),
        "agent": repr(request.agent),
        "exact_empties": request.exact,
        "blunder": request.blunder,
        "first_ply": request.first,
    }
    try:
        for number, games, i in _chosen(request):
            found.append(_review(number, games, i, request, moves))
        if not found:
            raise click.UsageError(f"{request.source} has no such game")
        if len(found) > 1:
            click.echo(f"all {len(found)} games")
            click.echo(_table(moves, request.blunder))
    finally:
        if request.out is not None and found:
            write_json(request.out, card | {"games": found})


def _chosen(request: _Request) -> Iterator[tuple[int, Games, int]]:
    """Yield (number, games, i) for each selected game. The game is entry `i` of `games`.

    `number` is the number of the game in the file or dataset, counted from 1. Damaged games that are left out do not
    count.
    """
    select = request.select
    last = math.inf if select is None else max(end for _, end in select)
    before = 0
    for games in parts_of(request.source, request.rules, request.skip):
        for i in range(len(games)):
            number = before + i + 1
            if select is None or any(first <= number <= end for first, end in select):
                yield number, games, i
        before += len(games)
        if before >= last:
            return


def _review(number: int, games: Games, i: int, request: _Request, moves: dict[str, list[MoveReview]]) -> dict[str, Any]:
    """Review a game, print the review, add its moves to `moves`, and return the review as plain values.

    `moves` has the reviewed moves of each player, by the player's name.
    """
    final: Any = games.state(i)
    names = _names(games, i)
    with options.bar(f"game {number}", int(games.lengths[i])) as step:
        reviewed = []
        start = games.starts[games.start[i]]
        for move in review_game(final, request.agent, exact=request.exact, start=start, first=request.first):
            reviewed.append(move)
            step()
    black, white = final.discs()
    click.echo(f"game {number}: {names[0]} (black) against {names[1]} (white), {black}-{white}")
    if not request.summary:
        click.echo(_moves_table(reviewed) + "\n")
    each = {name: [move for move in reviewed if move.player == p] for p, name in enumerate(final.player_names)}
    click.echo(_table(each, request.blunder))
    summaries = {name: summarise(mine, blunder=request.blunder) for name, mine in each.items()}
    for move in sorted((move for found in summaries.values() for move in found.blunders), key=lambda move: move.ply):
        click.echo(f"blunder: {_sentence(move)}")
    click.echo()
    for p, mine in enumerate(each.values()):
        moves.setdefault(names[p], []).extend(mine)
    return {
        "game": number,
        "players": dict(zip(final.player_names, names, strict=True)),
        "discs": [black, white],
        "finished": final.is_over,
        "moves": [move.to_json() for move in reviewed],
        "summary": {name: found.to_json() for name, found in summaries.items()},
    }


def _names(games: Games, i: int) -> tuple[str, str]:
    """The players' names in a game. A player without a name in the file is called black or white."""
    black, white = (str(games.columns[side][i]) if side in games.columns else "" for side in ("black", "white"))
    return black or "black", white or "white"


def _moves_table(moves: list[MoveReview]) -> str:
    rows: list[tuple[str, ...]] = []
    for move in moves:
        text = move.state.action_to_text
        how = "exact" if move.exact else f"depth {move.depth}"
        better = text(move.best) if move.best != move.action else ""
        shown = (f"{move.loss:.1f}", f"{move.score:+.1f}", better, how)
        rows.append((str(move.ply), move.state.player_names[move.player], text(move.action), *shown))
    return options.table(("ply", "player", "move", "loss", "score", "better", "found by"), rows)


def _table(moves: dict[str, list[MoveReview]], blunder: float) -> str:
    """A table with one row for each player, which summarises the player's moves."""
    rows: list[tuple[str, ...]] = []
    for name, mine in moves.items():
        found = summarise(mine, blunder=blunder)
        worst = ", ".join(f"{move.state.action_to_text(move.action)} {move.loss:.1f}" for move in found.worst)
        counts = (str(found.moves), f"{found.loss:.2f}", f"{found.exact_loss:.2f}", f"{found.best:.0%}")
        rows.append((name, *("-" if "nan" in text else text for text in counts), str(len(found.blunders)), worst))
    return options.table(("player", "choices", "mean loss", "exact part", "best moves", "blunders", "worst"), rows)


def _sentence(move: MoveReview) -> str:
    text, name = move.state.action_to_text, move.state.player_names[move.player]
    how = "exactly" if move.exact else f"by depth {move.depth} about"
    return (
        f"ply {move.ply}, {name} played {text(move.action)}; {text(move.best)} is {how} {move.loss:.1f} discs better "
        f"({move.best_score:+.1f} against {move.score:+.1f})"
    )
