"""The notation of English draughts: moves such as ``11-15`` and ``15x22x31``, Forsyth-Edwards notation, boards.

Printed games number the dark squares row by row, from 1 at the top left. These are the standard numbers. In this file,
the number of a square is the standard number minus one. An action is ``4 * square + direction``, with directions 0-3
for NW, NE, SW, SE.
"""

import re
from collections.abc import Iterator
from functools import cache

from othello_env.games.game import NotationError, check_text

__all__ = [
    "action_from_squares",
    "action_to_text",
    "board_to_text",
    "column_of",
    "destination",
    "fen_to_pieces",
    "pieces_to_fen",
    "squares_of_move",
    "tokens",
]

_DIRECTIONS = ("NW", "NE", "SW", "SE")
_MOVE = re.compile(r"\d{1,9}(?:[-x:]\d{1,9})+", re.IGNORECASE | re.ASCII)
_FEN = re.compile(r"([BW]):([BW])([K\d,-]*):([BW])([K\d,-]*)\.?", re.IGNORECASE | re.ASCII)
_PIECES = re.compile(r"(K?)(\d{1,9})(?:-(\d{1,9}))?", re.IGNORECASE | re.ASCII)
_MOVE_NUMBER = re.compile(r"(?<![\d.])\d+\.+")


def column_of(square: int, size: int) -> int:
    """The column of a dark square, counted from 0 on the left. The top left corner of the board is light."""
    row, k = divmod(square, size // 2)
    return 2 * k + 1 - row % 2


@cache
def destination(square: int, direction: int, steps: int, size: int) -> int | None:
    """The square that is `steps` diagonal steps away in this direction, or None if this square is off the board."""
    row = square // (size // 2) + (steps if direction & 2 else -steps)
    column = column_of(square, size) + (steps if direction & 1 else -steps)
    if not (0 <= row < size and 0 <= column < size):
        return None
    return row * (size // 2) + column // 2


def action_to_text(action: int, is_jump: bool, size: int) -> str:
    """The name of a step or jump. If the move would leave the board, the name ends with the direction.

    >>> action_to_text(4 * 10 + 2, False, 8), action_to_text(4 * 10 + 3, True, 8), action_to_text(0, False, 8)
    ('11-15', '11x20', '1-NW')
    """
    square, direction = divmod(action, 4)
    target = destination(square, direction, 2 if is_jump else 1, size)
    if target is None:
        return f"{square + 1}-{_DIRECTIONS[direction]}"
    return f"{square + 1}{'x' if is_jump else '-'}{target + 1}"


def action_from_squares(square: int, target: int, size: int) -> tuple[int, int] | None:
    """The action from `square` to `target`, and the distance between these squares in steps (1 or 2).

    Returns None if no step or jump leads from `square` to `target`.
    """
    for steps in (1, 2):
        for direction in range(4):
            if destination(square, direction, steps, size) == target:
                return 4 * square + direction, steps
    return None


def squares_of_move(text: str, size: int) -> list[int]:
    """The squares in the text of a move, numbered from 0. A move has at least two squares.

    >>> squares_of_move("15x22x31", 8)
    [14, 21, 30]

    Raises:
        NotationError: the text is not a move on this board.
        TypeError: the argument is not text.
    """
    name = check_text(text, "a move").strip()
    last = size * size // 2
    numbers = [int(number) for number in re.findall(r"\d+", name)] if _MOVE.fullmatch(name) else []
    if not numbers or not all(1 <= number <= last for number in numbers):
        raise NotationError(f"expected a move such as 11-15 or 15x22x31 on squares 1 to {last}, got {name!r}")
    return [number - 1 for number in numbers]


def tokens(transcript: str) -> Iterator[str]:
    """Split a transcript into moves at spaces, commas, semicolons and move numbers.

    >>> list(tokens("1. 11-15 22-18 2.15x22, 25x18"))
    ['11-15', '22-18', '15x22', '25x18']

    Raises:
        TypeError: the argument is not text.
    """
    yield from _MOVE_NUMBER.sub(" ", check_text(transcript, "a transcript")).replace(",", " ").replace(";", " ").split()


def board_to_text(pieces: list[tuple[int, bool] | None], size: int) -> str:
    """The board, row by row. Each row ends with the standard numbers of its dark squares.

    A light square is ``.``, and an empty dark square is ``-``.
    """
    half = size // 2
    lines = []
    for row in range(size):
        cells = ["."] * size
        for square in range(row * half, row * half + half):
            piece = pieces[square]
            cells[column_of(square, size)] = "-" if piece is None else ("rR", "wW")[piece[0]][piece[1]]
        lines.append(f"   {' '.join(cells)}  {row * half + 1:2}-{row * half + half}")
    return "\n".join(lines)


def pieces_to_fen(red: list[str], white: list[str], to_move: int) -> str:
    """A position as text. Each side's pieces are a list such as ``["1", "K14"]``.

    In this notation, the letter B (black) stands for Red.
    """
    return f"{'BW'[to_move]}:W{','.join(white)}:B{','.join(red)}"


def fen_to_pieces(text: str, size: int, men: int) -> tuple[int, list[tuple[int, int, bool]]]:
    """Read a position. Returns the player to move (0 is Red) and the pieces.

    Each piece has its owner, its square (from 0), and whether it is a king.

    >>> fen_to_pieces("W:WK31,32:B1-2", 8, 12)
    (1, [(1, 30, True), (1, 31, False), (0, 0, False), (0, 1, False)])

    Raises:
        NotationError: the text does not show a position, two pieces stand on one square, a side has more than `men`
            pieces, or a man stands on the row where it becomes a king.
        TypeError: the argument is not text.
    """
    match = _FEN.fullmatch("".join(check_text(text, "a position").split()))
    if match is None or match[2].upper() == match[4].upper():
        raise NotationError(f'expected a position such as "B:W21-32:B1-11,K15", got {text!r}')
    last = size * size // 2
    pieces: list[tuple[int, int, bool]] = []
    for colour, places in ((match[2], match[3]), (match[4], match[5])):
        for place in filter(None, places.split(",")):
            parsed = _PIECES.fullmatch(place)
            first = int(parsed[2]) if parsed else 0
            end = int(parsed[3] or first) if parsed else 0
            if parsed is None or not 1 <= first <= end <= last:
                raise NotationError(f"expected squares from 1 to {last} or ranges of them, got {place!r} in {text!r}")
            pieces += [("BW".index(colour.upper()), number - 1, bool(parsed[1])) for number in range(first, end + 1)]
    squares = [square for _, square, _ in pieces]
    if len(set(squares)) < len(squares):
        raise NotationError(f"two pieces stand on one square in {text!r}")
    if max(sum(owner == player for owner, _, _ in pieces) for player in (0, 1)) > men:
        raise NotationError(f"a side has at most {men} pieces on {size}x{size}, got {text!r}")
    if any(not is_king and square // (size // 2) == (0 if owner else size - 1) for owner, square, is_king in pieces):
        raise NotationError(f"a man on the last row is a king and is written with K, got {text!r}")
    return "BW".index(match[1].upper()), pieces
