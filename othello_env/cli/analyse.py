"""``othello-env analyse POSITION``: let an engine evaluate a position, or every move of the games in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from othello_env import drawing
from othello_env.agent import Agent, make_agent
from othello_env.cli import _options as options
from othello_env.cli.data import parts_of
from othello_env.data import Games
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameSpec
from othello_env.review import ANALYST, BLUNDER, EXACT_EMPTIES, MoveReview, review_game, summarise
from othello_env.support.files import check_output, write_file, write_json

__all__ = ["BOARDS_BEGIN_WITH_DASHES", "command", "position_from_text", "position_options", "summary"]

_FORMAT = "othello-env review 1"

BOARDS_BEGIN_WITH_DASHES = {"ignore_unknown_options": True}
"""With these settings, click does not take a board that begins with ``-`` for an option."""


def position_from_text(text: str, to_move: str | None, game: GameSpec) -> Othello:
    """Read a position from a transcript, or from a board that is written as X, O and -, row by row.

    Args:
        text: the transcript or the board.
        to_move: the player to move, X or O, if the text is a board; None for X.
        game: the game, which must be Othello. If the text is a transcript, it gives the size of the board.

    Raises:
        click.BadParameter: the game is not Othello.
        click.UsageError: `to_move` is given for a transcript.
    """
    start = options.othello_start(game)
    cells = "".join(text.split())
    if cells and not cells.strip("XxOo*-."):
        return Othello.from_text(cells, to_move or "X")
    if to_move is not None:
        raise click.UsageError("--to-move is for a board; a transcript tells the player to move")
    return start.play_transcript(text)


def position_options(function: Any) -> Any:
    """Add the argument POSITION to a command, and the options that say how to read it."""
    function = click.option(
        "--to-move",
        type=click.Choice(["X", "O"], case_sensitive=False),
        help="The player to move, if POSITION is a board: X is black and the default.",
    )(function)
    return click.argument("position")(options.game_option(function, options.OTHELLO))


def summary(analysis: Any) -> str:
    """An engine's analysis in a few lines."""
    state = analysis.state
    player = state.player_names[state.to_move]
    score = ("score", f"{_score(analysis.score, analysis.unit)} {analysis.unit} for {player}")
    if analysis.unit == "wins":
        winner = state.player_names[state.to_move if analysis.score > 0 else 1 - state.to_move]
        score = ("result", f"{winner} wins" if analysis.score else "a draw")
    rows = [
        ("best", state.action_to_text(analysis.best)),
        score,
        ("line", state.names_of(analysis.pv)),
        ("depth", f"{analysis.depth}, to the end of the game" if analysis.exact else str(analysis.depth)),
        ("nodes", f"{analysis.nodes:,} in {analysis.seconds:.2f} s"),
    ]
    if analysis.discs is not None and not analysis.exact:
        rows.insert(2, ("discs", f"{analysis.discs:+.1f} expected discs for {player}"))
    text = "\n".join(f"{name:<6} {value}" for name, value in rows)
    if analysis.scores is None:
        return text
    best_first = sorted(analysis.scores.items(), key=lambda item: -item[1])
    moves: list[tuple[str, ...]] = [
        (state.action_to_text(action), _score(score, analysis.unit)) for action, score in best_first
    ]
    if analysis.score_discs is None or analysis.unit == "discs":
        return f"{text}\n{options.table(('move', 'score'), moves)}"
    moves = [
        (*move, f"{analysis.score_discs[action]:+.1f}") for move, (action, _) in zip(moves, best_first, strict=True)
    ]
    return f"{text}\n{options.table(('move', 'score', 'discs'), moves)}"


def _score(score: float, unit: str) -> str:
    return f"{score:+.3f}" if unit in ("mean of result and margin", "win minus loss") else f"{score:+.0f}"


@click.command("analyse", context_settings=BOARDS_BEGIN_WITH_DASHES)
@position_options
@click.option("--agent", default="engine:ms=1000", help="The spec of the engine that analyses.")
@click.option("--scores", is_flag=True, help="Also show every move's score. This needs a search for each move.")
@click.option(
    "--select",
    type=click.IntRange(1, options.MOST_GAMES),
    multiple=True,
    help="Games: review only the game with this number. The option may be repeated.",
)
@click.option(
    "--exact",
    type=click.IntRange(0, 30),
    default=EXACT_EMPTIES,
    help="Games: solve positions with at most this number of empty squares.",
)
@click.option("--out", type=options.FILE, help="Games: also write the reviews to this JSON file.")
@click.option("--skip", is_flag=True, help="Games: leave damaged games out, and print their number.")
@click.option(
    "--html",
    "page",
    type=options.FILE,
    help="Also write the game with the values of all its positions to this HTML file, which any browser opens.",
)
def command(
    position: str, to_move: str | None, game: GameSpec, agent: str, scores: bool, page: Path | None, **of_games: Any
) -> None:
    """Let an engine evaluate a position, or every move of the games in a file.

    The command prints the board, the best move, the score and the expected line of play. POSITION is a transcript from
    the start (f5d6c3) or a board written as X, O and -, row by row from a1.

    POSITION may also be a file of games (WTHOR, GGF, transcripts, records of matches) or a dataset. For a file or a
    dataset, the command prints how many discs each move lost, and the default agent is engine:depth=8. Near the end of
    a game, the losses are exact. Earlier in the game, they are estimates of the engine.
    """
    if page is not None:
        check_output(page)
    if _is_source(position):
        options.refuse(("to_move", "scores"), "is for a position")
        if not options.is_given("agent"):
            agent = ANALYST
        _review_source(Path(position), game, make_agent(agent), page=page, **of_games)
        return
    options.refuse(of_games, "is for files of games")
    state = position_from_text(position, to_move, game)
    analyst: Any = make_agent(agent)
    if not hasattr(analyst, "analyse"):
        raise click.UsageError(f"{agent} does not analyse; expected an engine, such as engine:ms=1000")
    if page is not None:
        _write_review(page, "Othello", options.othello_start(game) if state.moves else state, state, analyst)
    click.echo(drawing.text(state))
    click.echo(summary(analyst.analyse(state, scores=scores)))


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


def _review_source(
    source: Path,
    game: GameSpec,
    agent: Agent,
    *,
    select: tuple[int, ...],
    exact: int,
    out: Path | None,
    skip: bool,
    page: Path | None,
) -> None:
    """Review the games of a file or dataset, print the reviews, and write them to the JSON file `out`.

    After an interrupt, the JSON file has the reviews that were finished before.

    Raises:
        click.UsageError: the file or dataset has none of the selected games.
    """
    if out is not None:
        check_output(out)
        options.check_distinct(source, out, f"--out {out} is the file of the games")
    reviews: list[dict[str, Any]] = []
    moves: dict[str, list[MoveReview]] = {}
    try:
        for number, games, i in _chosen(parts_of(source, game, skip), select):
            if page is not None and reviews:
                raise click.UsageError("--html is for one game; choose it by --select")
            final, names = games.state(i), _names(games, i)
            first = _opening_plies(games, i) + 1  # the agents did not choose the moves of the opening
            start = games.starts[games.start[i]]
            with options.bar(f"game {number}", int(games.lengths[i])) as step:
                reviewed = []
                for move in review_game(final, agent, exact=exact, start=start, first=first):
                    reviewed.append(move)
                    step()
            by_player = [[move for move in reviewed if move.player == player] for player in range(2)]
            _print_review(number, final, names, reviewed, by_player)
            if page is not None:
                _write_review(page, f"{names[0]} – {names[1]}", start, final, agent, names)  # noqa: RUF001
            for name, mine in zip(names, by_player, strict=True):
                moves.setdefault(name, []).extend(mine)
            sides = final.player_names
            review = {"game": number, "players": dict(zip(sides, names, strict=True)), "discs": [*final.discs()]}
            review |= {"finished": final.is_over, "first_ply": first, "moves": [move.to_json() for move in reviewed]}
            summaries = [summarise(mine).to_json() for mine in by_player]
            reviews.append(review | {"summary": dict(zip(sides, summaries, strict=True))})
        if not reviews:
            raise click.UsageError(f"{source} has no such game")
        if len(reviews) > 1:
            click.echo(f"all {len(reviews)} games")
            click.echo(_players_table(moves))
    finally:
        if out is not None and reviews:
            card = {"format": _FORMAT, "source": str(source), "agent": repr(agent), "exact_empties": exact}
            write_json(out, card | {"blunder": BLUNDER, "games": reviews})


def _chosen(parts: Iterator[Games], select: tuple[int, ...]) -> Iterator[tuple[int, Any, int]]:
    """Yield (number, games, i) for each selected game; for each game if none is selected.

    The game is entry `i` of `games`. `number` is its number in the file or dataset, counted from 1. Damaged games that
    are left out do not count.
    """
    number = 0
    for games in parts:
        for i in range(len(games)):
            number += 1
            if not select or number in select:
                yield number, games, i
        if select and number >= max(select):
            return


def _print_review(
    number: int,
    final: Othello,
    names: tuple[str, str],
    reviewed: list[MoveReview],
    by_player: list[list[MoveReview]],
) -> None:
    black, white = final.discs()
    click.echo(f"game {number}: {names[0]} (black) against {names[1]} (white), {black}-{white}")
    click.echo(_moves_table(reviewed) + "\n")
    sides = zip(names, final.player_names, strict=True)
    players = [side if name == side else f"{name} ({side})" for name, side in sides]
    click.echo(_players_table(dict(zip(players, by_player, strict=True))))
    blunders = [move for mine in by_player for move in summarise(mine).blunders]
    for move in sorted(blunders, key=lambda move: move.ply):
        click.echo(f"blunder: {_sentence(move, players[move.player])}")
    click.echo()


def _write_review(
    path: Path, title: str, start: Othello, final: Othello, agent: Any, names: tuple[str, ...] = ()
) -> None:
    """Write a game with the values of all its positions to an HTML file."""
    from othello_env.page.standalone import review_html

    write_file(path, review_html(title, start, final, agent, names).encode())


def _names(games: Games, i: int) -> tuple[str, str]:
    """The players' names in a game. A player without a name in the file is called black or white."""
    black, white = (str(games.columns[side][i]) if side in games.columns else "" for side in ("black", "white"))
    return black or "black", white or "white"


def _opening_plies(games: Games, i: int) -> int:
    """The number of plies of a game's opening, whose moves no agent chose; 0 unless the game is of a record."""
    return int(games.columns["opening_plies"][i]) if "opening_plies" in games.columns else 0


def _moves_table(moves: list[MoveReview]) -> str:
    rows: list[tuple[str, ...]] = []
    for move in moves:
        text = move.state.action_to_text
        how = "exact" if move.exact else f"depth {move.depth}"
        better = text(move.best) if move.best != move.action else ""
        shown = (f"{move.loss:.1f}", f"{move.score:+.1f}", better, how)
        rows.append((str(move.ply), move.state.player_names[move.player], text(move.action), *shown))
    return options.table(("ply", "player", "move", "loss", "score", "better", "found by"), rows)


def _players_table(moves: dict[str, list[MoveReview]]) -> str:
    """A table with one row for each player, which summarises the player's moves."""
    rows: list[tuple[str, ...]] = []
    for name, mine in moves.items():
        summary = summarise(mine)
        worst = ", ".join(f"{move.state.action_to_text(move.action)} {move.loss:.1f}" for move in summary.worst)
        counts = (str(summary.moves), f"{summary.loss:.2f}", f"{summary.exact_loss:.2f}", f"{summary.best:.0%}")
        rows.append((name, *("-" if "nan" in text else text for text in counts), str(len(summary.blunders)), worst))
    return options.table(("player", "choices", "mean loss", "exact part", "best moves", "blunders", "worst"), rows)


def _sentence(move: MoveReview, player: str) -> str:
    text = move.state.action_to_text
    how = "exactly" if move.exact else f"by depth {move.depth} about"
    return (
        f"ply {move.ply}, {player} played {text(move.action)}; {text(move.best)} is {how} {move.loss:.1f} discs better "
        f"({move.best_score:+.1f} against {move.score:+.1f})"
    )
