"""GGF, the Generic Game Format of the server GGS: a game is ``(;GM[Othello]PB[black]...B[D3//0.01]W[C5];)``.

A line may begin with the number of its games: 2 for a synchronised pair with swapped colours. The tags of a game come
in any order. BO is the first board: its size, its rows (``*`` black, ``O`` white, ``-`` empty) and the player to move.
A move is a square or PA. The mover's evaluation and the seconds may follow, after slashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from othello_env.data.games import Games, GamesError
from othello_env.games.game import IllegalActionError, NotationError
from othello_env.games.othello.position import Othello

__all__ = ["dump", "is_ggf", "load"]

_TAG = re.compile(r"\s{0,100}([A-Za-z]{1,20})\s{0,100}\[((?:[^\[\]\\\n]|\\.){0,2000})\]")
_END = re.compile(r"\s{0,100};\s{0,100}\)")
_COUNT = re.compile(r"(?:^|\s)(\d{1,9})\s{0,100}$")
_LONGEST = 2000
"""The most characters in a tag's value; longer ones are cut when they are written, and refused when they are read."""
_TEXTS = {"black": "PB", "white": "PW", "place": "PC", "date": "DT", "result": "RE", "time": "TI", "type": "TY"}
_NUMBERS = {"black_rating": "RB", "white_rating": "RW"}


def is_ggf(text: str) -> bool:
    """Whether this text has games in GGF."""
    return "(;" in text


def load(text: str) -> tuple[Games, list[str]]:
    """The games of a GGF text.

    The columns are `black`, `white`, `place`, `date`, `result`, `time` and `type` (texts; empty if the tag is missing),
    `black_rating` and `white_rating` (float, NaN if missing), and `line`, the number of the line, from 1.

    Returns:
        The games whose moves are legal, and a message for each of the other games.

    Raises:
        GamesError: the text has no such game.
    """
    found: list[tuple[Othello, Othello, dict[str, str], int]] = []
    messages = []
    for number, game in enumerate(_split(text), start=1):
        try:
            if game.fault:
                raise GamesError(game.fault)
            start = _start(game.tags)
            if found and start.size != found[0][0].size:
                raise GamesError(f"a board of size {start.size} after boards of size {found[0][0].size}")
            found.append((start, _played(start, game.moves), game.tags, game.line))
        except (GamesError, IllegalActionError, NotationError) as error:
            messages.append(f"game {number} (line {game.line}), {error}".splitlines()[0])
    if not found:
        raise GamesError(messages[0] if messages else "there is no game in GGF: (;GM[Othello]...;)")
    columns: dict[str, Any] = {
        name: np.array([tags.get(tag, "") for _, _, tags, _ in found]) for name, tag in _TEXTS.items()
    }
    for name, tag in _NUMBERS.items():
        columns[name] = np.array([_number(tags.get(tag, "")) for _, _, tags, _ in found])
    columns["line"] = np.array([line for *_, line in found], np.int32)
    return Games.of([final for _, final, _, _ in found], [start for start, *_ in found], columns), messages


def dump(games: Games) -> str:
    """The GGF text of games of Othello, one on each line.

    The columns that `load` makes become tags; any of them may be missing. Without a column `result`, the result is
    Black's discs minus White's in a finished game, and ``?`` in an unfinished one.

    Raises:
        GamesError: a move is illegal.
        ValueError: the games are not of Othello.
    """
    if games.rules.name != "othello":
        raise ValueError(f"GGF files have games of othello, not of {games.rules}")
    ends, lines = games.ends, []
    for i in range(len(games)):
        start: Any = games.starts[games.start[i]]
        tags = {"GM": "Othello"}
        for name, tag in (_TEXTS | _NUMBERS).items():
            value = str(games.columns[name][i]) if name in games.columns else ""
            if value and value != "nan":
                tags[tag] = value
        tags.setdefault("TY", str(start.size))
        tags.setdefault("RE", f"{ends.margins[i, 0]:+.2f}" if ends.over[i] else "?")
        rows = [start.to_text()[k : k + start.size].replace("X", "*") for k in range(0, start.size**2, start.size)]
        tags["BO"] = " ".join([str(start.size), *rows, "*O"[start.to_move]])
        text = "".join(f"{tag}[{_escaped(value)}]" for tag, value in tags.items())
        mover = start.to_move
        for action in games.actions[i, : games.lengths[i]].tolist():
            name = "PA" if action == start.pass_action else start.action_to_text(action).upper()
            text += f"{'BW'[mover]}[{name}]"
            mover = 1 - mover
        lines.append(f"1 (;{text};)")
    return "".join(line + "\n" for line in lines)


@dataclass
class _Game:
    """The parts of a game's text: its line, its tags, its moves (``B`` or ``W``, and the text), and what is wrong."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[str, str]] = field(default_factory=list)
    fault: str = ""


def _split(text: str) -> Iterator[_Game]:
    """The games of a text. This takes a time proportional to the length of the text."""
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
        while tag := _TAG.match(text, end):
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


def _start(tags: dict[str, str]) -> Othello:
    kind, variant = tags.get("GM", "Othello"), tags.get("TY", "")
    if kind.lower() != "othello":
        raise GamesError(f"expected a game of Othello, got {kind!r}")
    if "a" in variant.lower():
        raise GamesError(f"anti-Othello (type {variant}) has other rules")
    words = tags.get("BO", "").split()
    size = words[0] if words else (re.match(r"s?(\d*)", variant) or [""])[1] or "8"
    if size not in ("4", "6", "8"):
        raise GamesError(f"expected a board of size 4, 6 or 8, got {size[:20]!r}")
    if not words:
        if "r" in variant.lower():
            raise GamesError(f"a random start (type {variant}) needs the tag BO")
        return Othello(int(size))
    rows, player = words[1:-1], words[-1]
    board = "".join(rows)
    if len(board) != int(size) ** 2 or len(rows) not in (1, int(size)) or len({len(row) for row in rows}) > 1:
        raise GamesError(
            f"expected {size} rows of {size} squares and the player to move in BO, got {tags['BO'][:100]!r}"
        )
    return Othello.from_text(board, {"*": "X", "O": "O"}.get(player.upper(), player))


def _played(start: Othello, moves: list[tuple[str, str]]) -> Othello:
    state = start
    for ply, (colour, value) in enumerate(moves, start=1):
        if "BW"[state.to_move] != colour and not state.must_pass:
            raise GamesError(f"ply {ply}: {colour}[{value}], but it is the other side's turn")
        try:
            if "BW"[state.to_move] != colour:
                state = state.play(state.pass_action)  # some files leave passes out
            state = state.play(state.action_from_text(value.split("/")[0]))
        except (IllegalActionError, NotationError) as error:
            raise GamesError(f"ply {ply}: {error}") from None
    return state


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _escaped(value: str) -> str:
    return re.sub(r"([\[\]\\])", r"\\\1", value.replace("\n", " ")[:_LONGEST])
