"""Othello games in SGF, the Smart Game Format (red-bean.com/sgf): ``(;GM[2]SZ[8];B[f5];W[d6])``.

Only the main line is read: at each branch, the first variation is taken. A square is written as a letter and a digit
(``f5``), or as two letters for column and row (``fe``), as in Go. A pass is an empty value, or one of
``pass``, ``pa`` and ``tt``. Passes may be left out. The properties AB, AW and PL give the first position: its black
discs, its white discs and the player to move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from othello_env.games.game import NotationError
from othello_env.games.othello.position import Othello

__all__ = ["is_sgf", "read_sgf"]

_PROPERTY = re.compile(r"\s*([A-Za-z]{1,20})\s*((?:\[(?:[^\]\\]|\\.)*\]\s*)+)", re.DOTALL)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_MOVE = re.compile(r";\s*[BW]\s*\[")
_SIZES = (4, 6, 8)
_PASSES = ("", "pass", "pa", "tt")


def is_sgf(text: str) -> bool:
    """Whether a text is a game in SGF. A game in GGF also begins with ``(;``, but has no ``;`` before its moves."""
    return text.lstrip().startswith("(;") and ("GM[2]" in text.replace(" ", "") or _MOVE.search(text) is not None)


def read_sgf(text: str) -> tuple[Othello, Othello, tuple[str, str]]:
    """Read a game in SGF, and return its first and its last position, and the names of its players.

    Raises:
        NotationError: the text is not a game of Othello in SGF.
        IllegalActionError: a move is not legal.
    """
    main = list(_properties(text))
    tags: dict[str, list[str]] = {}
    for name, values in main:
        tags.setdefault(name, []).extend(values)
    if tags.get("GM", ["2"])[0].strip() != "2":
        raise NotationError(f"expected a game of Othello, GM[2], got GM[{tags['GM'][0].strip()[:20]}]")
    start = _start(tags)
    state, ply = start, 0
    for name, values in main:
        if name not in ("B", "W"):
            continue
        for value in values:
            ply += 1
            if "BW"[state.to_move] != name and state.must_pass:
                state = state.play(state.pass_action)
            if "BW"[state.to_move] != name:
                raise NotationError(f"move {ply}: {name}[{value[:20]}], but it is the other side's turn")
            state = state.play_move(_square(value, state.size))
    return start, state, (tags.get("PB", [""])[0], tags.get("PW", [""])[0])


def _properties(text: str) -> Iterator[tuple[str, list[str]]]:
    """The properties of the main line, which ends at the first closing parenthesis."""
    place = 0
    while place < len(text):
        if text[place] == ")":
            return
        if text[place] in "(;" or text[place].isspace():
            place += 1
            continue
        match = _PROPERTY.match(text, place)
        if match is None:
            raise NotationError(f"expected a property such as B[f5], got {text[place : place + 20]!r}")
        yield match[1].upper(), [re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for value in _VALUE.findall(match[2])]
        place = match.end()
    raise NotationError("expected ) at the end of the game")


def _start(tags: dict[str, list[str]]) -> Othello:
    text = tags.get("SZ", ["8"])[0].strip()
    if text not in map(str, _SIZES):
        raise NotationError(f"expected a board of size 4, 6 or 8, got SZ[{text[:20]}]")
    size = int(text)
    player = "O" if tags.get("PL", ["B"])[0].strip().upper().startswith("W") else "X"
    discs = {_square(value, size): symbol for tag, symbol in (("AB", "X"), ("AW", "O")) for value in tags.get(tag, [])}
    if not discs:
        return Othello(size)
    squares = [f"{column}{row}" for row in range(1, size + 1) for column in "abcdefgh"[:size]]
    return Othello.from_text("".join(discs.get(square, "-") for square in squares), player)


def _square(value: str, size: int) -> str:
    """The name of the square that a value in SGF means, or ``pass``."""
    text = value.strip().lower()
    if text in _PASSES:
        return "pass"
    if len(text) == 2 and text.isalpha():
        text = f"{text[0]}{ord(text[1]) - ord('a') + 1}"
    if not re.fullmatch(f"[a-{'abcdefgh'[size - 1]}][1-{size}]", text):
        raise NotationError(f"expected a square such as f5, got {value[:20]!r}")
    return text
