"""Othello's notation: squares such as ``f5``, transcripts such as ``f5d6c3``, boards as text."""

import re
from collections.abc import Iterator
from numbers import Integral

from othello_env.games.game import NotationError, check_text

__all__ = [
    "PASS",
    "board_from_text",
    "board_to_text",
    "player_from_text",
    "square_from_text",
    "square_to_text",
    "tokens",
]

PASS = "pass"
_PASSES = {"pass", "pa", "ps", "--"}
_FILES = "abcdefgh"
_TOKEN = re.compile(r"pass|\S{1,2}", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s,;]+|\b\d+\.+")
_PLAYERS = {"x": 0, "b": 0, "black": 0, "o": 1, "w": 1, "white": 1}
_CELLS = {"X": 0, "x": 0, "*": 0, "O": 1, "o": 1, "-": None, ".": None}


def square_to_text(action: int, size: int) -> str:
    """The name of an action: its file and rank, or ``pass``.

    >>> square_to_text(37, 8), square_to_text(64, 8)
    ('f5', 'pass')

    Raises:
        ValueError: there is no such action on this board.
    """
    if action == size * size:
        return PASS
    if not 0 <= action < size * size:
        raise ValueError(f"actions here must be 0 to {size * size}, not {action!r}")
    row, column = divmod(action, size)
    return f"{_FILES[column]}{row + 1}"


def square_from_text(text: str, size: int) -> int:
    """Find an action by its name: a square or ``pass``.

    >>> square_from_text("F5", 8), square_from_text("pass", 6)
    (37, 36)

    Raises:
        NotationError: there is no such square on this board.
        TypeError: the argument is not text.
    """
    name = check_text(text, "a square").strip().lower()
    if name in _PASSES:
        return size * size
    if len(name) == 2 and name[0] in _FILES[:size] and name[1] in "12345678"[:size]:
        return size * (int(name[1]) - 1) + _FILES.index(name[0])
    raise NotationError(f"expected a square from a1 to {_FILES[size - 1]}{size}, or pass, got {text.strip()!r}")


def tokens(transcript: str) -> Iterator[str]:
    """Split a transcript into moves. Spaces, commas, semicolons and move numbers between moves are optional.

    >>> list(tokens("1. f5 d6  2. C3 pass"))
    ['f5', 'd6', 'C3', 'pass']

    Raises:
        TypeError: the argument is not text.
    """
    for match in _TOKEN.finditer(_SEPARATORS.sub(" ", check_text(transcript, "a transcript"))):
        yield match.group()


def player_from_text(to_move: str | int) -> int:
    """Find the index of a player (0 black, 1 white). The player is given as ``X`` or ``O``, as a colour or by index.

    Raises:
        NotationError: there is no such player.
        TypeError: the argument is neither text nor an integer.
    """
    if to_move in (0, 1) and not isinstance(to_move, bool):
        return int(to_move)
    if isinstance(to_move, bool) or not isinstance(to_move, str | Integral):
        kind = type(to_move).__name__
        raise TypeError(f"expected the player to move as X or O (black or white), not {to_move!r} of type {kind}")
    try:
        return _PLAYERS[str(to_move).lower()]
    except KeyError:
        raise NotationError(f"expected the player to move as X or O (black or white), got {to_move!r}") from None


def board_from_text(text: str) -> tuple[int, list[int | None]]:
    """Read a board: its size, and the owner of each square, row by row from a1 (0 black, 1 white, None empty).

    Spaces are ignored. ``*`` means ``X``, and ``.`` means ``-``.

    Raises:
        NotationError: a character is not one of ``X x * O o - .``, or no board has this number of squares.
        TypeError: the argument is not text.
    """
    cells = "".join(check_text(text, "a board").split())
    for place, cell in enumerate(cells):
        if cell not in _CELLS:
            raise NotationError(f"a board must be written with X, O and -, not {cell!r} at square number {place + 1}")
    sizes = {16: 4, 36: 6, 64: 8}
    if len(cells) not in sizes:
        raise NotationError(f"a board has 16, 36 or 64 squares, got {len(cells)}")
    return sizes[len(cells)], [_CELLS[cell] for cell in cells]


def board_to_text(owners: list[int | None]) -> str:
    """The text of a board on one line, in the format that `board_from_text` reads."""
    return "".join("-" if owner is None else "XO"[owner] for owner in owners)
