"""Read and write text with one transcript (the moves of a game, such as ``f5d6c3d3c4``) on each line."""

from __future__ import annotations

import re

import numpy as np

from othello_env.data.games import Games, GamesError, padded, with_passes
from othello_env.games.game import IllegalActionError, NotationError
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameLike, GameSpec

__all__ = ["dump", "load"]


def load(text: str, game: GameLike = "othello") -> tuple[Games, list[str]]:
    """Read the games of a text with a transcript on each line.

    Passes may be left out. Empty lines and lines that begin with ``#`` are ignored. The games get a column `line`: for
    each game, the number of its line in the text. Lines are counted from 1.

    Returns:
        The games whose moves are all legal, and a message for each line with an illegal or unreadable move.

    Raises:
        GamesError: no line has a game whose moves are all legal.
        ValueError: the game is unknown.
    """
    kind = GameSpec.parse(game)
    start = kind.start(0)
    lines = {
        number: line
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    }
    known = _plain(start, lines) if type(start) is Othello else {}  # the fast way is compiled for its rules alone
    moves, messages = dict[int, tuple[int, ...]](), []
    for number, line in lines.items():
        try:
            moves[number] = known[number] if number in known else start.play_transcript(line).moves[len(start.moves) :]
        except (IllegalActionError, NotationError) as error:
            messages.append(f"line {number}, {error}".splitlines()[0])
    if not moves:
        raise GamesError(messages[0] if messages else "there is no transcript")
    return Games(*padded(list(moves.values())), kind, columns={"line": list(moves)}), messages


def dump(games: Games) -> str:
    """The transcripts of the games, with passes. Each game is a line.

    Raises:
        ValueError: a game does not begin at the usual start, or has no moves.
        GamesError: a move is illegal.
    """
    usual = games.game.start(0)
    if not games.begin_as_usual:
        raise ValueError("a transcript begins at the usual start; write games from other positions as GGF or .npz")
    if len(games) and not games.lengths.all():
        raise ValueError("a game without moves has no transcript; write such games as GGF or .npz")
    games.check()
    rows = [row[:length] for row, length in zip(games.actions.tolist(), games.lengths.tolist(), strict=True)]
    if games.game.name == "othello":
        names = [usual.action_to_text(action) for action in range(usual.num_actions)]
        return "".join("".join(names[action] for action in row) + "\n" for row in rows)
    return "".join(usual.names_of(row) + "\n" for row in rows)


def _plain(start: Othello, lines: dict[int, str]) -> dict[int, tuple[int, ...]]:
    """Read the plain lines. A plain line has only names of squares, and all its moves are legal.

    Compiled code checks the moves. `load` reads all other lines with `State.play_transcript`. The errors of this
    method say what is wrong in a line.

    Returns:
        A dict from the number of each plain line to the actions of its game, passes included.
    """
    size = start.size
    only_squares = re.compile(rf"(?:[a-{'abcdefgh'[size - 1]}][1-{size}]){{1,{size * size}}}")
    numbers = [number for number, line in lines.items() if only_squares.fullmatch(line)]
    squares = np.full((len(numbers), size * size), -1, np.int8)
    for row, number in zip(squares, numbers, strict=True):
        letters = np.frombuffer(lines[number].encode(), np.uint8).reshape(-1, 2)
        row[: len(letters)] = size * (letters[:, 1] - ord("1")) + letters[:, 0] - ord("a")
    actions, lengths, wrong = with_passes(squares, start)
    rows = zip(numbers, actions.tolist(), lengths.tolist(), wrong.tolist(), strict=True)
    return {number: tuple(row[:length]) for number, row, length, bad in rows if bad < 0}
