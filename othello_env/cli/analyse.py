"""``othello-env analyse POSITION``: let an engine evaluate a position, or every move of the games in a file."""

from typing import Any

import click

from othello_env import drawing
from othello_env.agent import make_agent
from othello_env.cli import _options as options
from othello_env.cli._review import reviews_files
from othello_env.games.othello.position import Othello
from othello_env.games.registry import Rules

__all__ = ["BOARDS_BEGIN_WITH_DASHES", "command", "position_from_text", "position_options", "summary"]

BOARDS_BEGIN_WITH_DASHES = {"ignore_unknown_options": True}
"""With these settings, click does not take a board that begins with ``-`` for an option."""


def position_from_text(text: str, to_move: str, rules: Rules) -> Othello:
    """Read a position from a transcript, or from a board that is written as X, O and -, row by row.

    Args:
        text: the transcript or the board.
        to_move: the player to move, X or O, if the text is a board.
        rules: the rules of the game, which must be Othello. If the text is a transcript, the rules give the size of the
            board.

    Raises:
        click.BadParameter: the game is not Othello.
    """
    start = rules.start(0)
    if not isinstance(start, Othello):
        raise click.BadParameter(f"expected othello, perhaps with a size, got {rules}", param_hint="--game")
    cells = "".join(text.split())
    if cells and not cells.strip("XxOo*-."):
        return Othello.from_text(cells, to_move)
    return start.play_transcript(text)


def position_options(function: Any) -> Any:
    """Add the argument POSITION to a command, and the options that say how to read it."""
    function = click.option(
        "--to-move",
        type=click.Choice(["X", "O"], case_sensitive=False),
        default="X",
        help="The player to move, if POSITION is a board; X is black.",
    )(function)
    return click.argument("position")(options.game_option(function))


def summary(analysis: Any) -> str:
    """An engine's analysis in a few lines."""
    state = analysis.state
    line = " ".join(state.action_to_text(action) for action in analysis.pv)
    rows = [
        ("best", state.action_to_text(analysis.best)),
        ("score", f"{_score(analysis.score, analysis.unit)} {analysis.unit} for {state.player_names[state.to_move]}"),
        ("line", line),
        ("depth", f"{analysis.depth}, to the end of the game" if analysis.exact else str(analysis.depth)),
        ("nodes", f"{analysis.nodes:,} in {analysis.seconds:.2f} s"),
    ]
    if analysis.discs is not None and not analysis.exact:
        rows.insert(2, ("discs", f"{analysis.discs:+.1f} expected"))
    text = "\n".join(f"{name:<6} {value}" for name, value in rows)
    if analysis.lines is not None:
        text = f"{text}\n{_lines_table(analysis)}"
    if analysis.scores is None:
        return text
    best_first = sorted(analysis.scores.items(), key=lambda item: -item[1])
    moves: list[tuple[str, ...]] = [
        (state.action_to_text(action), _score(score, analysis.unit)) for action, score in best_first
    ]
    return f"{text}\n{options.table(('move', 'score'), moves)}"


def _lines_table(analysis: Any) -> str:
    texts = [" ".join(map(analysis.state.action_to_text, line.pv)) for line in analysis.lines]
    width = max(map(len, texts))
    rows: list[tuple[str, ...]] = [
        (
            text.split()[0],
            _score(line.score, line.unit),
            "" if line.discs is None else f"{line.discs:+.1f}",
            text.ljust(width),
        )
        for text, line in zip(texts, analysis.lines, strict=True)
    ]
    return options.table(("move", "score", "discs", "line".ljust(width)), rows)


def _score(score: float, unit: str) -> str:
    return f"{score:+.3f}" if unit == "expected result" else f"{score:+.0f}"


@click.command("analyse", context_settings=BOARDS_BEGIN_WITH_DASHES)
@position_options
@click.option("--agent", default="engine:ms=1000", help="The spec of the engine that analyses.")
@click.option("--scores", is_flag=True, help="Also show every move's score. This needs a search for each move.")
@click.option(
    "--lines",
    type=click.IntRange(0, 64),
    default=0,
    help="For this number of best moves, also show the expected line of play. This needs a search for each move.",
)
@reviews_files
def command(position: str, to_move: str, rules: Rules, agent: str, scores: bool, lines: int) -> None:
    """Let an engine evaluate a position, or every move of the games in a file.

    The command prints the board, the best move, the score and the expected line of play. POSITION is a transcript from
    the start (f5d6c3) or a board written as X, O and -, row by row from a1.

    POSITION may also be a file of games (WTHOR, GGF, transcripts, records of matches) or a dataset. For a file or a
    dataset, the command prints how many discs each move lost, and the default agent is engine:depth=8. Near the end of
    a game, the losses are exact. Earlier in the game, they are estimates of the engine.
    """
    state = position_from_text(position, to_move, rules)
    analyst: Any = make_agent(agent)
    if not hasattr(analyst, "analyse"):
        raise click.UsageError(f"{agent} does not analyse; expected an engine, such as engine:ms=1000")
    click.echo(drawing.text(state))
    click.echo(summary(analyst.analyse(state, scores=scores, **({"lines": lines} if lines else {}))))
