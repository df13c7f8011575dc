"""The words of a game for a language model: its rules, a position, a move that an answer names, and why it is wrong."""

from __future__ import annotations

import re

from othello_env.games.checkers.notation import action_from_squares, squares_of_move
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import IllegalActionError, NotationError, State, WrongGameError
from othello_env.games.othello.position import Othello
from othello_env.games.tribolo.position import Tribolo

__all__ = [
    "LONGEST",
    "WrongAnswerError",
    "correction",
    "play_text",
    "position_text",
    "read_part",
    "rules_text",
]

LONGEST = 20_000
"""The largest number of characters of an answer that are read. They are the last characters."""
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.IGNORECASE | re.DOTALL)
_REST_OF_THINKING = re.compile(r"\A.*</think(?:ing)?>", re.IGNORECASE | re.DOTALL)  # it began in the prompt
_ESCAPE = re.compile(r"""\\(?:u([0-9a-f]{4})|(["'/\\])|[nrt](?![a-z]{2}))""", re.IGNORECASE | re.ASCII)  # not \text
_SIGNS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-") | {"\u00d7": "x", "\u2019": "'"})

# The repetitions have limits, so that no answer takes long to read. `\b` would not find a move beside a Chinese word.
_FIELD = re.compile(r"""["']move["']\s{0,9}:\s{0,9}["']([^"']{0,100})["']""", re.IGNORECASE)
_OTHERS = re.compile(  # what somebody else plays, or what is only thought of, is no statement of the own move
    r"(?:white|black|red|green|blue|opponent)'s (?:\w{1,20} ){0,2}(?:move|answer)|(?:last|previous) move|\bif i\b",
    re.IGNORECASE,
)
_STATEMENT = (
    r"(?:(?<!/)(?:move|answer)[\"'*_` ]{0,4}(?:[:=>]|is)|\bi(?:'ll| will)? (?:play|choose|take)|boxed"
    r"|(?=\[[-\w ]{1,60}\]))[^a-z0-9]{0,9}(?:\\[a-z]{1,9}\{)?"
)
_SQUARE = r"(?<![a-z0-9])[a-z]-?[0-9]{1,2}(?![a-z0-9])"
_JUMPS = r"(?<![a-z0-9])[0-9]{1,2}(?: {0,2}[-x] {0,2}[0-9]{1,2}){1,20}(?![a-z0-9])"


def _patterns(move: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    flags = re.IGNORECASE | re.ASCII
    return re.compile(f"{_STATEMENT}({move})", flags), re.compile(move, flags)


_SQUARES, _CHAINS = _patterns(_SQUARE), _patterns(_JUMPS)
"""What finds the moves that a text states ("move: d3"), and all moves that it names; for squares and for checkers."""

_RULES: dict[type[State], str] = {
    Othello: (
        "This is Othello on a board of {height} rows and {width} columns. A square is named by the letter of its "
        "column and the number of its row, such as c2. The sign - is an empty square. A player puts a disc on an "
        "empty square. In at least one of the eight directions, an unbroken line of the opponent's discs must begin "
        "next to this square, and one of the player's own discs must stand behind this line. All discs of all such "
        "lines become the player's. A player without a move passes; the pass is made for the player. The game is over "
        "when nobody can move. The player with the most discs wins."
    ),
    Tribolo: (
        "This is Tribolo, a game of three players, on a board of {height} rows and {width} columns with walls (#). "
        "The sign - is an empty cell. A cell is named by the letter of its column and the number of its row, such as "
        "c2. A player takes an empty cell. In at least one of the eight directions, an unbroken line of cells of one "
        "opponent must begin next to this cell, and one of the player's own cells must stand behind this line. All "
        "cells of all such lines become the player's. A player without a move is skipped. The game is over when "
        "nobody can move. The player with the most cells wins."
    ),
    Checkers: (
        "This is English draughts (checkers) on a board of {height} rows and {width} columns. The dark squares are "
        "numbered row by row from the top left; the numbers of a row stand beside it. The sign - is an empty dark "
        "square. A step is written 11-15, a jump over an opponent's piece 15x22, and a chain of jumps with the same "
        "piece 15x22x31. Red's men (r) move down the board, White's men (w) move up, and kings (R, W) move both ways, "
        "always along diagonals. A player who can jump must jump, and a piece that can jump again must go on. A man "
        "that reaches the last row becomes a king, and its move ends. A player who cannot move loses. {draw}"
    ),
}
_DRAWS = {
    "repetition": "The game is a draw when a position occurs for the second time with the same player to move.",
    "threefold": "The game is a draw when a position occurs for the third time with the same player to move.",
    "40-move": "The game is a draw after 40 moves of each player without a jump or a move of a man.",
}
_ANSWER = 'Answer with one move as JSON: {"move": "..."}. Or name the move at the end of your answer.'
_COST = "A wrong answer counts against you. You may correct it, but {attempts} wrong answers in a row lose the game."


class WrongAnswerError(ValueError):
    """An answer names no legal move.

    Attributes:
        kind: ``"unreadable"`` if the answer names no move, ``"illegal"`` if the rules do not allow the move.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


def rules_text(state: State, attempts: int) -> str:
    """The rules of a position's game, how to answer with a move, and what a wrong answer costs.

    Args:
        state: a position.
        attempts: the number of wrong answers for a move after which the game is lost.

    Raises:
        WrongGameError: the game is not Othello, Tribolo or checkers.
    """
    if type(state) not in _RULES:
        raise WrongGameError(f"there are texts for Othello, Tribolo and Checkers, not for {type(state).__name__}")
    _, height, width = state.observation_shape
    draw = _DRAWS[state.draws] if isinstance(state, Checkers) else ""
    rules = _RULES[type(state)].format(height=height, width=width, draw=draw)
    cost = "A wrong answer loses the game." if attempts == 1 else _COST.format(attempts=attempts)
    return f"{rules.strip()}\n\n{_ANSWER} {cost}"


def position_text(state: State, *, legal_moves: bool = False) -> str:
    """A position for the player to move: the board, whose move it is, and the legal moves if `legal_moves` is True."""
    text = f"{state}\nYou are {state.player_names[state.to_move]}. It is your move."
    if legal_moves:
        text += f"\nLegal moves: {' '.join(map(state.action_to_text, state.legal_actions()))}"
    return text


def read_part(answer: str) -> str:
    """The part of an answer that is read: without the model's thinking, and at most the last 20,000 characters."""
    return _REST_OF_THINKING.sub(" ", _THINKING.sub(" ", answer))[-LONGEST:]


def play_text(state: State, answer: str) -> State:
    r"""The position after the move that an answer names.

    Thinking (``<think>...</think>``) is no answer. In the rest, the first of these that is there counts, and of several
    the last one:

    1. a field of JSON, such as ``{"move": "f5"}``. A field inside another object counts only if there is no outer one.
    2. a statement, such as ``move: f5``, ``I play f5``, ``[f5]`` or ``\boxed{f5}``.
    3. a move on this board.
    4. a name like that of a move, such as ``k9``. It is illegal.

    Capital letters, the kind of a dash, spaces around it, and a hyphen in a square do not matter. In checkers, a move
    may be a whole chain of jumps. Of a very long answer only the last 20,000 characters are read.

    Raises:
        WrongAnswerError: the answer names no move, or a move that the rules do not allow.
    """
    text = _ESCAPE.sub(_unescaped, read_part(answer)).translate(_SIGNS)
    statement, anywhere = _CHAINS if isinstance(state, Checkers) else _SQUARES
    field = _outermost_field(text)
    if field is not None:
        names = anywhere.findall(field)
    elif not (names := statement.findall(_OTHERS.sub(" ", text))):
        every = anywhere.findall(text)
        names = [name for name in every if _is_on_board(state, _spelled(state, name))] or every
    if not names:
        said = "the answer" if field is None else repr(field[:20])
        raise WrongAnswerError("unreadable", f"{said} names no move")
    name = _spelled(state, names[-1])
    try:
        return state.play_move(name)
    except (IllegalActionError, NotationError):
        raise WrongAnswerError("illegal", f"{name} is not legal: {_reason(state, name)}") from None


def _unescaped(escape: re.Match[str]) -> str:
    """The character that an escape of JSON stands for; for a new line or tab, a space."""
    return chr(int(escape[1], 16)) if escape[1] else escape[2] or " "


def _outermost_field(text: str) -> str | None:
    """The content of the last field ``"move"`` in JSON that is inside the fewest objects, or None."""
    fields = [found for found in _FIELD.finditer(text) if any(map(str.isalnum, found[1]))]
    depths = [text.count("{", 0, found.start()) - text.count("}", 0, found.start()) for found in fields]
    least = min(depths, default=0)
    outermost = [found[1] for found, depth in zip(fields, depths, strict=True) if depth == least]
    return outermost[-1] if outermost else None


def _spelled(state: State, name: str) -> str:
    """The name of a move as the game writes it."""
    return name.lower().replace(" " if isinstance(state, Checkers) else "-", "")


def _is_on_board(state: State, name: str) -> bool:
    try:
        if isinstance(state, Checkers):
            squares = squares_of_move(name, state.size)
            # The board shows the numbers of a row, such as 5-8. They are no move, since no step joins these squares.
            return "x" in name or action_from_squares(squares[0], squares[1], state.size) is not None
        state.action_from_text(name)
    except NotationError:
        return False
    return True


def _reason(state: State, name: str) -> str:
    """Why a move is not legal."""
    if not _is_on_board(state, name):
        return "there is no such move on this board"
    if isinstance(state, Checkers):
        if state.going_square is not None:
            return f"the piece on {state.going_square + 1} must jump on"
        if state.must_jump:  # a name such as 15x31 is not enough if several chains join the two squares
            return "you can jump, so you must jump; name every square of a chain"
        return "no piece of yours can move like that"
    _, _, width = state.observation_shape
    row, column = divmod(state.action_from_text(name), width)
    if state.observation(state.to_move)[:, row, column].any():
        return "it is not empty"
    return "no line of the other side ends at one of your own"


def correction(error: WrongAnswerError) -> str:
    """The text that tells a model why its answer was not accepted, and asks again."""
    return f"That was not accepted: {error}. Answer with a legal move."
