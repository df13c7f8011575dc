"""Write games as text that a person can copy, and read the text that a person pastes.

A game of Othello from the usual start is written as a transcript: ``f5 d6 c3``. For Othello from another start, and for
every game of Tribolo, the board and the player to move come before the moves: ``-BRG/... blue b1 c3``. Checkers is
written as PDN (Portable Draughts Notation), in which Red is called Black. Games of Othello can also be read from GGF
(Generic Game Format).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

from othello_env.data import Games, read_games
from othello_env.data.formats import ggf
from othello_env.drawing import scene
from othello_env.games.game import NotationError, State
from othello_env.games.registry import GameSpec, position_to_text
from othello_env.page.messages import PageGame, Position, page_games

__all__ = ["MOST_GAMES", "played_game", "read_file_games", "read_text", "write_text"]

_LONGEST_NAME = 100  # characters
_SIDES = ("black", "white")  # the columns with the names of the players; in PDN with a capital letter


def read_text(record: PageGame, text: str) -> PageGame:
    """Read the game in a text, and return its record.

    The text may have moves, a board, or both. It may also be GGF, and for checkers PDN.

    Args:
        record: a record. Moves and boards in the text are read as those of the record's kind of game, such as checkers.
            If the text has no board, the record's seed determines the start position.
        text: the text.

    Raises:
        ValueError: the text cannot be read, or one of its moves is not legal.
    """
    if ggf.is_ggf(text):
        return _read_ggf(record, text)
    return _read_moves(record, text)


MOST_GAMES = 1000
"""The most games of a file that are listed."""


def read_file_games(record: PageGame, name: str, data: bytes) -> dict[str, Any]:
    """The games of a file: see `othello_env.data.read_games`. A file with one game may also have it as any text.

    Args:
        record: a record; see `read_text`.
        name: the file's name, whose ending tells the format.
        data: the file's content.

    Returns:
        A dict with the ``games``, each with its ``title`` and its ``record``, and the number of games that are ``left``
        out: games behind the first `MOST_GAMES`, and damaged games.

    Raises:
        ValueError: the file has no games.
    """
    with TemporaryDirectory() as folder, warnings.catch_warnings(record=True):
        file = Path(folder) / f"games{PurePath(name).suffix.lower()}"
        file.write_bytes(data)
        try:
            games = read_games(file, game=record.game if record.game.startswith("othello") else "othello", skip=True)
        except ValueError as error:
            try:
                return {"games": [{"title": name, "record": read_text(record, data.decode()).to_json()}], "left": 0}
            except ValueError:
                raise NotationError(str(error).replace(f"{file}", name)) from None
    if not len(games):
        raise NotationError(f"{name} has no game that can be read")
    first = range(min(len(games), MOST_GAMES))
    return {"games": [_listed(record, games, i) for i in first], "left": len(games) - len(first)}


def _listed(record: PageGame, games: Games, i: int) -> dict[str, Any]:
    """The title and the record of a game in a file."""
    sides = [next((name for name in (side, side.capitalize()) if name in games.columns), "") for side in _SIDES]
    names = [str(games.columns[side][i]) if side else "" for side in sides]
    final = games.state(i)
    read = played_game(record, games.starts[int(games.start[i])], final, names)
    who = " – ".join(name or "?" for name in names) if any(names) else f"{len(read.moves)} plies"  # noqa: RUF001
    return {"title": f"{i + 1}. {who}, {'-'.join(map(str, final.scores()))}", "record": read.to_json()}


def _read_ggf(record: PageGame, text: str) -> PageGame:
    games, messages = ggf.load(text)
    if messages:
        raise NotationError(messages[0])
    if len(games) != 1:
        raise NotationError(f"expected one game, got {len(games)}")
    names = tuple(str(games.columns[side][0]) for side in ("black", "white"))
    return played_game(record, games.starts[int(games.start[0])], games.state(0), names)


def played_game(record: PageGame, start: State, final: State, names: Sequence[str] = ()) -> PageGame:
    """The record of a game that was read.

    Args:
        record: the record from which the seed is taken.
        start: the first position. Its board decides which game it is, such as 6x6 Othello.
        final: the last position, with the moves that led to it.
        names: the names of the players, if the text has them.
    """
    game = _game_of(record, start)
    position = None if start == GameSpec.parse(game).start(0) else Position(*position_to_text(start))
    agents = tuple(name[:_LONGEST_NAME] for name in names) if any(names) else ()
    return PageGame(game, record.seed, position, final.moves[len(start.moves) :], agents)


def _game_of(record: PageGame, start: State) -> str:
    """The game on the page that begins in this position: one of its own for the board's size, or that of the record."""
    game = str(GameSpec.from_state(start))
    return game if game in page_games() else record.game


def _read_moves(record: PageGame, text: str) -> PageGame:
    spec = GameSpec.parse(record.game)
    usual = spec.start(record.seed)
    if spec.definition.loads is not None:
        return played_game(record, *spec.definition.loads(text, usual))
    board, player, moves = _parts(usual, text)
    if not board:
        return PageGame(record.game, record.seed, None, usual.play_transcript(moves).moves)
    start = spec.position(board, player) if player else usual.position_from_text(board)
    position = Position(*position_to_text(start))
    return PageGame(_game_of(record, start), record.seed, position, start.play_transcript(moves).moves)


def _parts(usual: State, text: str) -> tuple[str, str | None, str]:
    """Split a text into the board, the player to move, and the moves. Each of the three may be missing."""
    words, drawn = text.split(), scene(usual)
    players = {look.symbol.lower(): name for name, look, _ in drawn.scores}
    cells = {*players, "*", ".", "/", *(cell.symbol for row in drawn.cells for cell in row)}
    end = next((i for i, word in enumerate(words) if not set(word.lower()) <= cells), len(words))
    # X and O can be discs, or the player to move. If the words before an X or O already form a whole board, this X or O
    # is the player to move.
    if end > 1 and words[end - 1].lower() in players and _is_board(usual, words[: end - 1]):
        end -= 1
    named = players | {name: name for name in usual.player_names}
    player = named.get(words[end].lower()) if 0 < end < len(words) else None
    return " ".join(words[:end]), player, " ".join(words[end + (player is not None) :])


def _is_board(usual: State, words: list[str]) -> bool:
    try:
        usual.position_from_text(" ".join(words))
    except NotationError:
        return False
    return True


def write_text(record: PageGame) -> str:
    """Write a game as text that `read_text` can read.

    Raises:
        ValueError: a move is not legal.
    """
    game = GameSpec.parse(record.game).definition
    states = record.states()
    start = states[0]
    if game.dumps is not None:
        return game.dumps(start, states[-1])
    moves = [action for state, action in zip(states, record.moves, strict=False) if not state.must_pass]
    names = " ".join(map(start.action_to_text, moves))
    if record.position is None and not game.is_random:
        return names
    board, player = position_to_text(start)
    return f"{board} {player}\n{names}".strip()
