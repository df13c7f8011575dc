"""GGF, the Generic Game Format of the server GGS: a game is ``(;GM[Othello]PB[black]...B[D3//0.01]W[C5];)``.

Before the games of a line, a number says how many there are: 2 for a synchronised pair with swapped colours. The tags
of a game come in any order. BO is the first board: its size, its rows (``*`` black, ``O`` white, ``-`` empty) and the
player to move. A move is a square or PA, then the mover's evaluation and the seconds, each of which may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from othello_env.data.games import Games, GamesError
from othello_env.games.game import IllegalActionError, NotationError
from othello_env.games.othello.position import Othello

__all__ = ["dump", "is_ggf", "load"]

_GAME = re.compile(r"\(;((?:[^\[;]|\[(?:[^\]\\]|\\.)*\]|;(?!\)))*);\)", re.DOTALL)
_TAG = re.compile(r"\s*([A-Za-z]+)\s*\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_TEXTS = {"black": "PB", "white": "PW", "place": "PC", "date": "DT", "result": "RE", "time": "TI", "type": "TY"}
_NUMBERS = {"black_rating": "RB", "white_rating": "RW"}
_MOST = 100_000  # characters of a game


def is_ggf(text: str) -> bool:
    """Whether this text has games in GGF."""
    return "(;" in text[:1000] and "GM[" in text[:2000].upper().replace(" ", "")


def load(text: str) -> tuple[Games, list[str]]:
    """The games of a GGF text.

    The columns are `black`, `white`, `place`, `date`, `result`, `time` and `type` (texts; empty if the tag is missing),
    `black_rating` and `white_rating` (float, NaN if missing), and `line`, the number of the line, from 1.

    Returns:
        The games whose moves are legal, and a message for each other game.

    Raises:
        GamesError: there is no such game, or the boards of the games differ in size.
    """
    found: list[tuple[Othello, Othello, dict[str, str], int]] = []
    messages = []
    for number, (line, tags, moves) in enumerate(_split(text), start=1):
        try:
            start = _start(tags)
            found.append((start, _played(start, moves), tags, line))
        except (GamesError, IllegalActionError, NotationError) as error:
            messages.append(f"game {number} (line {line}), {error}".splitlines()[0])
    if not found:
        raise GamesError(messages[0] if messages else "there is no game in GGF: (;GM[Othello]...;)")
    sizes = {start.size for start, *_ in found}
    if len(sizes) > 1:
        raise GamesError(f"the games are on boards of sizes {sorted(sizes)}; a file has games of one size")
    columns: dict[str, Any] = {
        name: np.array([tags.get(tag, "") for _, _, tags, _ in found]) for name, tag in _TEXTS.items()
    }
    for name, tag in _NUMBERS.items():
        columns[name] = np.array([_number(tags.get(tag, "")) for _, _, tags, _ in found])
    columns["line"] = np.array([line for *_, line in found], np.int32)
    return Games.of([final for _, final, _, _ in found], [start for start, *_ in found], **columns), messages


def dump(games: Games) -> str:
    """The GGF text of games of Othello, one on each line.

    The columns of `load` become tags if they are there. Without a column `result`, the result is Black's discs minus
    White's in a finished game, and ``?`` in an unfinished one.

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


def _split(text: str) -> Iterator[tuple[int, dict[str, str], list[tuple[str, str]]]]:
    """The line, the tags and the moves (``B`` or ``W``, and the text) of each game."""
    line, before = 1, 0
    for match in _GAME.finditer(text):
        line += text.count("\n", before, match.start())
        before = match.start()
        tags: dict[str, str] = {}
        moves = []
        for tag, value in _TAG.findall(match[0][2:-2]):
            if tag.upper() in ("B", "W"):
                moves.append((tag.upper(), value))
            else:
                tags[tag.upper()] = re.sub(r"\\(.)", r"\1", value).strip()
        yield line, tags, moves


def _start(tags: dict[str, str]) -> Othello:
    kind, variant = tags.get("GM", "Othello"), tags.get("TY", "")
    if kind.lower() != "othello":
        raise GamesError(f"expected a game of Othello, got {kind!r}")
    if "a" in variant.lower():
        raise GamesError(f"anti-Othello (type {variant}) has other rules")
    words = tags.get("BO", "").split()
    if not words:
        return Othello()
    if len(words) < 3 or not words[0].isdecimal():
        raise GamesError(f"expected BO[size, rows, player to move], got {tags['BO']!r}")
    board, player = "".join(words[1:-1]), words[-1]
    if len(board) != int(words[0]) ** 2:
        raise GamesError(f"expected {words[0]} rows of {words[0]} squares in BO, got {tags['BO']!r}")
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
    return value.replace("\\", "\\\\").replace("]", "\\]")
