"""The words of a game for a language model: its rules, a position, a move that an answer names, and why it is wrong."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import lru_cache

from othello_env.games.game import IllegalActionError, NotationError, State, WrongGameError
from othello_env.games.registry import game_of

__all__ = [
    "LONGEST",
    "WrongAnswerError",
    "correction",
    "news_text",
    "play_text",
    "position_text",
    "question_text",
    "read_part",
    "rules_text",
]

LONGEST = 20_000
"""The largest number of characters of an answer that are read. They are the last characters."""
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.IGNORECASE | re.DOTALL)
_REST_OF_THINKING = re.compile(r"\A.*</think(?:ing)?>", re.IGNORECASE | re.DOTALL)  # it began in the prompt
_SIGNS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-") | {"\u00d7": "x", "\u2019": "'"})

# The repetitions have limits, so that no answer takes long to read. `\b` would not find a move beside a Chinese word.
_FIELD = re.compile(r"""["']move["']\s{0,9}:\s{0,9}["']([^"']{0,100})["']""", re.IGNORECASE)
_OTHERS = re.compile(  # what somebody else plays, or what is only thought of, is no statement of the own move
    r"(?:white|black|red|green|blue|opponent)'s (?:\w{1,20} ){0,2}(?:move|answer)|(?:last|previous) move|\bif i\b"
    r"|\bi(?:'d| would) \w{1,9}(?: with| for)? [^ ,.;]{1,12}(?=,? (?:but|if|unless)\b)",
    re.IGNORECASE,
)
_STATEMENT = (
    r"(?:(?<!/)(?:move|answer)[\\\"'*_` ]{0,4}(?:[:=>]|is)|boxed"
    r"|\bi(?:'ll|'d| will| would)? (?:play|choose|take|pick|go (?:with|for))"
    r"|(?=\[[-\w ]{1,60}\]))[^a-z0-9]{0,9}(?:\\[a-z]{1,9}\{)?"
)
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
        WrongGameError: the class of the position is not registered, or nothing says its rules in words.
    """
    game, kind = game_of(state), type(state)
    if game is None or game.state is not kind:
        raise WrongGameError(f"there are rules in words for registered games, not for {kind.__name__}")
    if game.rules_text is not None:
        rules = game.rules_text(state)
    elif kind.__doc__:  # that of a base class may tell other rules
        names = ", ".join(map(state.action_to_text, state.legal_actions()[:3]))
        rules = f"{inspect.cleandoc(kind.__doc__)}\n\nMoves have names such as {names}."
    else:
        raise WrongGameError(f"{game.name} has no rules in words: no rules_text, and no docstring of {kind.__name__}")
    cost = "A wrong answer loses the game." if attempts == 1 else _COST.format(attempts=attempts)
    return f"{rules}\n\n{_ANSWER} {cost}"


def position_text(state: State, *, legal_moves: bool = False, history: bool = False) -> str:
    """The board of a position and whose move it is; if they are asked for, the moves so far and the legal moves."""
    text = f"{state}\n"
    if history:
        text += f"Moves so far: {', '.join(map(state.action_to_text, state.moves)) or 'none'}.\n"
    text += f"You are {state.player_names[state.to_move]}. It is your move."
    if legal_moves:
        text += f"\nLegal moves: {' '.join(map(state.action_to_text, state.legal_actions()))}"
    return text


def question_text(state: State, attempts: int, *, legal_moves: bool = False, history: bool = False) -> str:
    """The rules (see `rules_text`) and a position (see `position_text`)."""
    return f"{rules_text(state, attempts)}\n\n{position_text(state, legal_moves=legal_moves, history=history)}"


def news_text(before: State, state: State, player: int, *, legal_moves: bool = False) -> str:
    """What was played since a position, as this player reads it, and the position now (see `position_text`)."""
    actions, lines = state.moves[len(before.moves) :], []
    for at, action in zip(before.positions(actions), actions, strict=False):
        who = "You" if at.to_move == player else at.player_names[at.to_move].capitalize()
        lines.append(f"{who} passed." if at.must_pass else f"{who} played {at.action_to_text(action)}.")
    if not state.is_over:
        return "\n".join([*lines, position_text(state, legal_moves=legal_moves)])
    result = state.returns()[player]
    end = "You won." if result > 0 else "You lost." if result < 0 else "The game is a draw."
    return "\n".join([*lines, str(state), end])


def read_part(answer: str) -> str:
    """The part of an answer that is read: without the model's thinking, and at most the last 20,000 characters."""
    return _REST_OF_THINKING.sub(" ", _THINKING.sub(" ", answer))[-LONGEST:]


def play_text(state: State, answer: str) -> State:
    r"""The position after the move that an answer names.

    Thinking (``<think>...</think>``) is no answer. In the rest, the first of these that is there counts, and of several
    the last one:

    1. a field of JSON, such as ``{"move": "f5"}``. A field inside another object counts only if there is no outer one.
    2. a statement, such as ``move: f5``, ``I play f5``, ``I'd go with f5``, ``[f5]`` or ``\boxed{f5}``.
    3. a move on this board.
    4. a name like that of a move, such as ``k9``. It is illegal.

    Capital letters, the kind of a dash, spaces around it, and a hyphen in a square do not matter. In checkers, a move
    may be a whole chain of jumps. Of a very long answer only the last 20,000 characters are read.

    Raises:
        WrongAnswerError: the answer names no move, or a move that the rules do not allow.
    """
    text = read_part(answer).translate(_SIGNS)
    pattern, spelled = _notation(state)
    statement, anywhere = _patterns(pattern)
    field = _outermost_field(text)
    if field is not None:
        names = anywhere.findall(field)
    elif not (names := statement.findall(_OTHERS.sub(" ", text))):
        every = anywhere.findall(text)
        names = [name for name in every if _reason(state, spelled(name)) is not None] or every
    if not names:
        said = "the answer" if field is None else repr(field[:20])
        raise WrongAnswerError("unreadable", f"{said} names no move")
    name = spelled(names[-1])
    try:
        return state.play_move(name)
    except (IllegalActionError, NotationError):
        reason = _reason(state, name) or "there is no such move on this board"
        raise WrongAnswerError("illegal", f"{name} is not legal: {reason}") from None


def _outermost_field(text: str) -> str | None:
    """The content of the last field ``"move"`` in JSON that is inside the fewest objects, or None."""
    fields = [field for field in _FIELD.finditer(text) if any(map(str.isalnum, field[1]))]
    depths = [text.count("{", 0, field.start()) - text.count("}", 0, field.start()) for field in fields]
    least = min(depths, default=0)
    outermost = [field[1] for field, depth in zip(fields, depths, strict=True) if depth == least]
    return outermost[-1] if outermost else None


@lru_cache(64)
def _patterns(move: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What finds the moves that a text states ("move: d3"), and all moves that it names."""
    name, flags = f"(?<![a-z0-9])(?:{move})(?![a-z0-9])", re.IGNORECASE | re.ASCII
    return re.compile(f"{_STATEMENT}({name})", flags), re.compile(name, flags)


def _notation(state: State) -> tuple[str, Callable[[str], str]]:
    """What looks like the name of a move of this game, and a function that spells such a name as the game writes it."""
    game = game_of(state)
    if game is not None and game.move_pattern is not None:
        return game.move_pattern, lambda name: re.sub("(?<=[a-z])-(?=[0-9])", "", name.lower().replace(" ", ""))
    names = {name.lower(): name for name in map(state.action_to_text, range(state.num_actions))}
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True))), lambda name: names[name.lower()]


def _reason(state: State, name: str) -> str | None:
    """Why a move is not legal, or None if there is no such move on this board."""
    game = game_of(state)
    if game is not None and game.explain is not None:
        return game.explain(state, name)
    try:
        state.action_from_text(name)
    except NotationError:
        return None
    return "the rules do not allow it here"


def correction(error: WrongAnswerError) -> str:
    """The text that tells a model why its answer was not accepted, and asks again."""
    return f"That was not accepted: {error}. Answer with a legal move."
