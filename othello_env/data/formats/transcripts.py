"""Transcripts as text: a game on each line, such as ``f5d6c3d3c4``. Passes may be left out."""

from __future__ import annotations

from othello_env.data.games import Games, GamesError
from othello_env.games.game import IllegalActionError, NotationError
from othello_env.games.registry import Rules, names_of_moves

__all__ = ["dump", "load"]


def load(text: str, rules: str | Rules = "othello") -> tuple[Games, list[str]]:
    """The games of a text with a transcript on each line. Empty lines and lines that begin with ``#`` are left out.

    The column `line` has the number of the line, from 1.

    Returns:
        The games whose moves are legal, and a message for each other line.

    Raises:
        GamesError: no line has a game.
        ValueError: there are no such rules.
    """
    kind = Rules.parse(rules) if isinstance(rules, str) else rules
    start = kind.start(0)
    finals, lines, messages = [], [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            finals.append(start.play_transcript(line))
            lines.append(number)
        except (IllegalActionError, NotationError) as error:
            messages.append(f"line {number}, {error}".splitlines()[0])
    if not finals:
        raise GamesError(messages[0] if messages else "there is no transcript")
    return Games.of(finals, [start], line=lines), messages


def dump(games: Games) -> str:
    """The transcripts of games that begin at the usual start, one on each line, with passes.

    Raises:
        ValueError: a game has another start.
        GamesError: a move is illegal.
    """
    usual = games.rules.start(0)
    if any(start != usual for start in games.starts):
        raise ValueError("a transcript begins at the usual start; write games from other positions as GGF or .npz")
    bad = games.illegal()
    for i in (bad >= 0).nonzero()[0][:1].tolist():
        games.state(i)  # raises the error
    rows = [row[:length] for row, length in zip(games.actions.tolist(), games.lengths.tolist(), strict=True)]
    if games.rules.name == "othello":
        names = [usual.action_to_text(action) for action in range(usual.num_actions)]
        return "".join("".join(names[action] for action in row) + "\n" for row in rows)
    return "".join(names_of_moves(usual, row) + "\n" for row in rows)
