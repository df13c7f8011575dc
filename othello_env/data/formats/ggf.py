"""GGF, the Generic Game Format of the Generic Game Server (GGS).

A game is ``(;GM[Othello]PB[black]...B[D3//0.01]W[C5];)``.

A line may begin with the number of games on the line. The number is 2 for a synchronised match: two games at the same
time, with swapped colours. The tags of a game may have any order. The tag BO has the first position: the size of the
board, its rows (``*`` is black, ``O`` is white, ``-`` is empty) and the player to move. A move is a square, or PA for a
pass. After the move and a slash, there may be the player's evaluation in discs. After a second slash, there may be the
time of the move in seconds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.data.games import Games, GamesError, padded
from othello_env.games.game import IllegalActionError, NotationError
from othello_env.games.othello.ggf import board_tag, game_text, move_name
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameSpec

__all__ = ["dump", "is_ggf", "load"]

_TAG = re.compile(r"\s{0,100}([A-Za-z]{1,20})\s{0,100}\[((?:[^\[\]\\\n]|\\.){0,2000})\]")
_MOVE = r"\s{0,100}([BW])\[([^\[\]\\\n]{0,100})\]"
_MOVES = re.compile(rf"(?:{_MOVE})+")
_EACH_MOVE = re.compile(_MOVE)
_END = re.compile(r"\s{0,100};\s{0,100}\)")
_COUNT = re.compile(r"(?:^|\s)(\d{1,9})\s{0,100}$")
_LONGEST = 2000
"""The largest number of characters in the value of a tag. `dump` cuts longer values, and `load` refuses them."""
_LARGEST_NUMBER = 1e9
_TEXTS = {"black": "PB", "white": "PW", "place": "PC", "date": "DT", "result": "RE", "time": "TI", "type": "TY"}
_NUMBERS = {"black_rating": "RB", "white_rating": "RW"}
_OF_START = (("GM", "Othello"), ("TY", ""), ("BO", ""))
"""The tags that say how a game begins. Each pair has the tag, and the value that is used if the tag is missing."""
_EACH = ("scores", "times")
"""The columns that have a number for each action. GGF writes these numbers after the move, in this order."""


def is_ggf(text: str) -> bool:
    """Whether this text has games in GGF."""
    return "(;" in text


def load(text: str) -> tuple[Games, list[str]]:
    """Read the games of a GGF text.

    The columns `black`, `white`, `place`, `date`, `result`, `time` and `type` are texts; a text is empty if its tag is
    missing. The columns `black_rating` and `white_rating` are floats; NaN if the tag is missing. The column `line` is
    the number of the game's line, from 1.

    If at least one move has an evaluation or a time, there are also the columns `scores` (the players' evaluations in
    discs) and `times` (in seconds). These are float32 arrays with a row for each game and a number for each action. A
    missing number is NaN.

    Returns:
        The games that can be read and have only legal moves, and a message for each of the other games.

    Raises:
        GamesError: the text has no game that can be read and has only legal moves.
    """
    games, messages = list[_Game](), list[str]()
    for number, game in enumerate(_split(text), start=1):
        try:
            _play(game, games[0].start.size if games else None)
            games.append(game)
        except (GamesError, IllegalActionError, NotationError) as error:
            messages.append(f"game {number} (line {game.line}), {error}".splitlines()[0])
    if not games:
        raise GamesError(messages[0] if messages else "there is no game in GGF: (;GM[Othello]...;)")
    places = {start: place for place, start in enumerate(dict.fromkeys(game.start for game in games))}
    spec, starts = GameSpec.parse(f"othello:size={games[0].start.size}"), [places[game.start] for game in games]
    return Games(*padded([game.actions for game in games]), spec, tuple(places), starts, _columns(games)), messages


def _columns(games: list[_Game]) -> dict[str, Any]:
    columns: dict[str, Any] = {
        name: np.array([game.tags.get(tag, "") for game in games]) for name, tag in _TEXTS.items()
    }
    for name, tag in _NUMBERS.items():
        columns[name] = np.array([_number(game.tags.get(tag, "")) for game in games])
    columns["line"] = np.array([game.line for game in games], np.int32)
    if any("/" in text for game in games for text in game.texts):
        parts = [[(text + "//").split("/") for text in game.texts] for game in games]
        for place, name in enumerate(_EACH, start=1):
            columns[name] = _rows([[_number(part[place]) for part in row] for row in parts])
    return columns


def _rows(numbers: list[list[float]]) -> npt.NDArray[np.float32]:
    """Rows of numbers as an array (N, T). Short rows are filled up with NaN."""
    rows = np.full((len(numbers), max(map(len, numbers))), np.nan, np.float32)
    for row, given in zip(rows, numbers, strict=True):
        row[: len(given)] = given
    return rows


def dump(games: Games) -> str:
    """The GGF text of games of Othello, one game on each line.

    The numbers in the columns `scores` and `times` are written after the moves. The columns of texts and ratings that
    `load` describes become tags. Any other column, such as `line`, is not written. No column is required. If a game has
    no text in the column `result`, this function writes a result. For a finished game, this is Black's discs minus
    White's discs, and empty squares count for the winner. For an unfinished game, it is ``?``.

    Raises:
        GamesError: a move is illegal.
        ValueError: the games are not of Othello.
    """
    if games.game.name != "othello":
        raise ValueError(f"GGF files have games of othello, not of {games.game}")
    outcomes, lines = games.outcomes, []
    given = [games.columns.get(name, np.zeros(0)) for name in _EACH]
    unknown = np.full(games.actions.shape, np.nan)
    columns = [column if column.ndim == 2 else unknown for column in given]
    for i in range(len(games)):
        start: Any = games.starts[games.start[i]]
        tags = dict[str, str]()
        for name, tag in (_TEXTS | _NUMBERS).items():
            value = str(games.columns[name][i]) if name in games.columns else ""
            if value and value != "nan":
                tags[tag] = _escaped(value)
        tags.setdefault("TY", str(start.size))
        tags.setdefault("RE", f"{outcomes.margins[i, 0]:+.2f}" if outcomes.over[i] else "?")
        moves = []
        for ply, action in enumerate(games.actions[i, : games.lengths[i]].tolist()):
            numbers = "/".join(_written(column[i, ply]) for column in columns)
            moves.append(f"{move_name(start, action)}/{numbers}".rstrip("/"))
        lines.append(f"1 {game_text(board_tag(start), moves, tags)}")
    return "".join(line + "\n" for line in lines)


@dataclass
class _Game:
    """A game of a GGF text.

    `_split` sets `line`, `tags`, `moves` and `fault`. Each entry of `moves` is a pair: the colour (``B`` or ``W``) and
    the move's text. `fault` says what is wrong with the game, and is empty if nothing is wrong. `_play` sets `start`,
    `actions` and `texts`. `texts` has the text of each action, which is empty for a pass that the GGF text leaves out.
    """

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[str, str]] = field(default_factory=list)
    fault: str = ""
    start: Othello = field(default_factory=Othello)
    actions: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def _split(text: str) -> Iterator[_Game]:
    """Yield the games of a text without checking their moves. The running time is linear in the text's length."""
    line, counted, announced, seen = 1, 0, 0, 0
    end = 0
    while (begin := text.find("(;", end)) >= 0:
        line += text.count("\n", counted, begin)
        counted = begin
        between = text[max(end, begin - 200) : begin]
        if (count := _COUNT.search(between)) or "\n" in between:
            announced, seen = int(count[1]) if count else 1, 0
        seen += 1
        game = _Game(line)
        end = begin + 2
        while True:
            if moves := _MOVES.match(text, end):
                game.moves += _EACH_MOVE.findall(text, end, moves.end())
                end = moves.end()
            tag = _TAG.match(text, end)
            if not tag:
                break
            name, value = tag[1].upper(), tag[2]
            if name in ("B", "W"):
                game.moves.append((name, value))
            elif name in game.tags:
                break
            else:
                game.tags[name] = re.sub(r"\\(.)", r"\1", value).strip()
            end = tag.end()
        closing = _END.match(text, end)
        if closing:
            end = closing.end()
            following = text.find("(;", end)
            after = text[end : following if following >= 0 else len(text)]
            if seen < announced and (following < 0 or "\n" in after):
                game.fault = f"the line announces {announced} games, but has {seen}"
        else:
            game.fault = f"expected a tag that was not given before, or ;) at the end, got {text[end : end + 20]!r}"
        yield game


def _play(game: _Game, size: int | None) -> None:
    """Find the position in which a game begins, and its actions, with the passes that the text leaves out.

    `size` is that of the earlier boards, if there are any.

    Raises:
        GamesError, IllegalActionError, NotationError: the game is damaged, a move is illegal or cannot be read, or a
            side moves when it is the other side's turn.
    """
    if game.fault:
        raise GamesError(game.fault)
    state = game.start = _start(*(game.tags.get(tag, default) for tag, default in _OF_START))
    if size not in (None, state.size):
        raise GamesError(f"the board has size {state.size}, but earlier boards have size {size}")
    for ply, (colour, value) in enumerate(game.moves, start=1):
        if "BW"[state.to_move] != colour and not state.must_pass:
            raise GamesError(f"ply {ply}: {colour}[{value}], but it is the other side's turn")
        try:
            if "BW"[state.to_move] != colour:
                state = state.play(state.pass_action)
                game.texts.append("")
            state = state.play(state.action_from_text(value.split("/")[0]))
        except (IllegalActionError, NotationError) as error:
            raise GamesError(f"ply {ply}: {error}") from None
        game.texts.append(value)
    game.actions = list(state.moves[len(game.start.moves) :])


@lru_cache(maxsize=1024)
def _start(kind: str, variant: str, board: str) -> Othello:
    """The position in which a game begins, from the values of its tags GM, TY and BO."""
    if kind.lower() != "othello":
        raise GamesError(f"expected a game of Othello, got {kind!r}")
    if "a" in variant.lower():
        raise GamesError(f"anti-Othello (type {variant}) has other rules")
    words = board.split()
    size = words[0] if words else (re.match(r"s?(\d*)", variant) or [""])[1] or "8"
    if size not in ("4", "6", "8"):
        raise GamesError(f"expected a board of size 4, 6 or 8, got {size[:20]!r}")
    if not words:
        if "r" in variant.lower():
            raise GamesError(f"a random start (type {variant}) needs the tag BO")
        return Othello(int(size))
    rows, player = words[1:-1], words[-1]
    squares = "".join(rows)
    if len(squares) != int(size) ** 2 or len(rows) not in (1, int(size)) or len({len(row) for row in rows}) > 1:
        raise GamesError(f"expected {size} rows of {size} squares and the player to move in BO, got {board[:100]!r}")
    return Othello.from_text(squares, {"*": "X", "O": "O"}.get(player.upper(), player))


def _number(text: str) -> float:
    """The number that a text holds; NaN if the text is not a number, or if the number is too large."""
    try:
        number = float(text) if text else math.nan
    except ValueError:
        return math.nan
    return number if abs(number) <= _LARGEST_NUMBER else math.nan


def _written(number: Any) -> str:
    """A number as text, with enough digits to read the number back exactly. NaN becomes an empty text."""
    return "" if np.isnan(number) else np.format_float_positional(number, trim="-")


def _escaped(value: str) -> str:
    return re.sub(r"([\[\]\\])", r"\\\1", value.replace("\n", " ")[:_LONGEST])
