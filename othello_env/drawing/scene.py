"""The content of a picture of a position, for each game. Text, SVG and pixels are all made from this content."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch

from othello_env.games.checkers.notation import column_of, destination
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import State
from othello_env.games.othello.position import Othello
from othello_env.games.tribolo.position import Tribolo
from othello_env.support.numbers import check_type

__all__ = [
    "Cell",
    "Look",
    "Number",
    "Piece",
    "Place",
    "Scene",
    "action_path",
    "caption",
    "scene",
    "scene_with_values",
]

Place = tuple[int, int]
"""Row and column, from 0 at the top left."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a player's pieces look.

    Attributes:
        symbol: the character that stands for the piece in a drawing as text.
        fill: the colour of the piece, ``#rrggbb``.
        light: the colour of the piece where light falls on it.
        mark: the colour of the mark for the last move. The mark is drawn on this player's piece.
    """

    symbol: str
    fill: str
    light: str
    mark: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A square of the board.

    Attributes:
        symbol: the character that stands for the empty square in a drawing as text.
        fill: the colour of the square, ``#rrggbb``.
        label: a small text in the square's corner.
    """

    symbol: str
    fill: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on the board. A king is drawn with a crown. In a drawing as text, a king is a capital letter."""

    place: Place
    look: Look
    is_king: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A number on a square: the value of the best action that ends on this square.

    Attributes:
        place: the square.
        text: the number as text.
        share: how good the action is, compared with all actions that have a value, from 0 (worst) to 1 (best).
    """

    place: Place
    text: str
    share: float


@dataclass(frozen=True, slots=True)
class Scene:
    """The content of a picture of a position.

    Attributes:
        cells: the squares, a tuple of rows.
        pieces: the pieces on the squares.
        legal: the squares that are marked for the legal moves of the player to move.
        last: the squares that are marked for the last move.
        mover: the look of the pieces of the player to move.
        column_labels: a label for each column.
        row_labels: a label for each row.
        scores: for each player, the name, the look of the pieces, and the score.
        status: the player to move or the winner, in a few words.
        dots: the squares that have a dot on their upper left corner.
        grid: the colour of the lines between squares.
        numbers: the numbers on squares. Each number is the value of an action.
    """

    cells: tuple[tuple[Cell, ...], ...]
    pieces: tuple[Piece, ...]
    legal: tuple[Place, ...]
    last: tuple[Place, ...]
    mover: Look
    column_labels: tuple[str, ...]
    row_labels: tuple[str, ...]
    scores: tuple[tuple[str, Look, int], ...]
    status: str
    dots: tuple[Place, ...] = ()
    grid: str = "#1c5f3b"
    numbers: tuple[Number, ...] = ()

    @property
    def rows(self) -> int:
        return len(self.cells)

    @property
    def columns(self) -> int:
        return len(self.cells[0])


@singledispatch
def scene(state: State) -> Scene:
    """The content of a picture of this position. Each game registers a function that makes this content.

    Raises:
        TypeError: no function is registered for this game.
    """
    advice = "; draw record.replay()" if hasattr(state, "replay") else ""
    raise TypeError(f"there is no drawing of {type(state).__name__}{advice}")


@singledispatch
def action_path(state: State, action: int) -> list[Place]:
    """The squares that a person clicks to play an action.

    A person clicks one square to place a disc, two squares to move a piece, and no square to pass. Each game registers
    a function that finds these squares.

    Raises:
        TypeError: no function is registered for this game.
    """
    raise TypeError(f"there is no drawing of {type(state).__name__}")


def scene_with_values(state: State, values: Mapping[int, float]) -> Scene:
    """The scene of a position with the values of its actions on the squares.

    The values replace the dots that mark legal moves. The status says for whom they are.

    Args:
        state: the position.
        values: a mapping from legal actions to their values for the player to move, such as an agent's `action_values`.
            An infinite value means a sure win or a sure loss. If the mapping is empty, the scene shows no numbers.

    Raises:
        ValueError: an action is not legal, or a value is NaN.
        TypeError: the values are not a mapping from actions to numbers.
    """
    if not check_type("values", values, Mapping):
        return scene(state)
    legal = set(state.legal_actions())
    for action, value in values.items():
        if action not in legal or math.isnan(value):
            raise ValueError(f"expected values of the legal actions {sorted(legal)}, got {value} for {action}")
    best: dict[Place, float] = {}
    for action, value in values.items():
        for place in action_path(state, action)[-1:]:
            best[place] = max(value, best.get(place, -math.inf))
    shown = [_shown(value) for value in values.values()]
    numbers = tuple(Number(place, _value_text(value), _share(_shown(value), shown)) for place, value in best.items())
    status = f"values for {state.player_names[state.to_move]}, to move"
    return replace(scene(state), legal=(), numbers=numbers, status=status)


def _value_text(value: float) -> str:
    if math.isinf(value):
        return "win" if value > 0 else "loss"
    size = abs(value)
    rounded = f"{size:.{0 if size == int(size) else 2 if size < 10 else 1}f}"
    if float(rounded) == 0:
        return "0"
    return ("+" if value > 0 else "-") + rounded


def _shown(value: float) -> float:
    """The number that `_value_text` shows. Colours follow it, so that equal numbers have equal colours."""
    return value if math.isinf(value) else float(_value_text(value))


def _share(value: float, values: Sequence[float]) -> float:
    """Turn a value into a number from 0 to 1: 0 for the smallest of the values, and 1 for the largest.

    First, infinity is replaced by a finite number. This number is 1.5 times the largest absolute value of the finite
    values, but at least 1.5. Minus infinity is replaced by the negative of this number.
    """
    most = 1.5 * max([1.0, *(abs(each) for each in values if math.isfinite(each))])
    low, high, here = (min(max(each, -most), most) for each in (min(values), max(values), value))
    return (here - low) / (high - low) if high > low else 1.0


def caption(state: State) -> str:
    """The player to move, or the winners, in a few words."""
    if not state.is_over:
        return f"{state.player_names[state.to_move]} to move"
    winners = [state.player_names[player] for player in state.winners()]
    if len(winners) == state.num_players:
        return "game over: draw"
    return f"game over: {' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the win'}"


# Othello: discs on green felt

_DISCS = (Look("X", "#1b1d1f", "#5d6266", "#ff6b4a"), Look("O", "#e4e1d8", "#ffffff", "#d8412a"))
_FELT = Cell("-", "#2f8f5b")


@scene.register
def _othello(state: Othello) -> Scene:
    """The scene shows the discs. It marks the disc that the last action placed, and the squares of legal moves."""
    size = state.size
    places = [(row, column) for row in range(size) for column in range(size)]
    last = state.moves[-1] if state.moves else None
    status = caption(state)
    if last == state.pass_action:
        status = f"{state.player_names[1 - state.to_move]} passed, {status}"
    owners = zip(places, state.owners(), strict=True)
    return Scene(
        cells=((_FELT,) * size,) * size,
        pieces=tuple(Piece(place, _DISCS[owner]) for place, owner in owners if owner is not None),
        legal=tuple(places[action] for action in state.legal_actions() if action != state.pass_action),
        last=() if last is None or last == state.pass_action else (places[last],),
        mover=_DISCS[state.to_move],
        column_labels=tuple("abcdefgh"[:size]),
        row_labels=tuple("12345678"[:size]),
        scores=tuple(zip(state.player_names, _DISCS, state.discs(), strict=True)),
        status=status,
        dots=((2, 2), (2, 6), (6, 2), (6, 6)) if size == 8 else (),
    )


@action_path.register
def _othello_path(state: Othello, action: int) -> list[Place]:
    """The square on which the action places a disc. The list is empty for a pass."""
    return [] if action == state.pass_action else [divmod(action, state.size)]


# Checkers: red and white men and crowned kings on numbered dark squares

_MEN = (Look("r", "#8e1518", "#ef7565", "#ffd34d"), Look("w", "#dcd8cd", "#ffffff", "#c22f1e"))
_DARK, _LIGHT, _EDGE = "#3b7a57", "#efe4c8", "#2c5f43"


@scene.register
def _checkers(state: Checkers) -> Scene:
    """The scene shows the pieces. It marks the squares of the last action and the targets of legal moves."""
    size, half = state.size, state.size // 2
    places = [(square // half, column_of(square, size)) for square in range(size * half)]
    numbers = {place: str(square + 1) for square, place in enumerate(places)}
    status = caption(state)
    if state.going_square is not None and not state.is_over:
        status = f"{state.player_names[state.to_move]} must continue with {state.going_square + 1}"
    return Scene(
        cells=tuple(tuple(_square(numbers.get((row, column))) for column in range(size)) for row in range(size)),
        pieces=tuple(
            Piece(place, _MEN[piece[0]], piece[1])
            for place, piece in zip(places, state.pieces(), strict=True)
            if piece is not None
        ),
        legal=tuple(sorted({_checkers_path(state, action)[-1] for action in state.legal_actions()})),
        last=_moved(state, places),
        mover=_MEN[state.to_move],
        column_labels=("",) * size,
        row_labels=tuple(str(row * half + 1) for row in range(size)),
        scores=tuple(zip(state.player_names, _MEN, state.scores(), strict=True)),
        status=status,
        grid=_EDGE,
    )


@action_path.register
def _checkers_path(state: Checkers, action: int) -> list[Place]:
    """The square where the piece stands, and the square to which the action moves it."""
    square, direction = divmod(action, 4)
    target = destination(square, direction, 2 if state.must_jump else 1, state.size)
    ends = [square] if target is None else [square, target]
    return [(each // (state.size // 2), column_of(each, state.size)) for each in ends]


def _square(number: str | None) -> Cell:
    return Cell(" ", _LIGHT) if number is None else Cell("-", _DARK, number)


def _moved(state: Checkers, places: list[Place]) -> tuple[Place, ...]:
    """The squares on which the last action began and ended.

    The action was a step to the next square in its direction, or a jump over that square to the square behind it. If
    the next square has a piece now, the action was a step. If the next square is empty, the action was a jump.
    """
    if not state.moves:
        return ()
    square, direction = divmod(state.moves[-1], 4)
    pieces = state.pieces()
    ends = [destination(square, direction, steps, state.size) for steps in (1, 2)]
    return (places[square], next(places[end] for end in ends if end is not None and pieces[end] is not None))


# Tribolo: discs of three colours on sand, between walls of stone

_COLOURS = (
    Look("B", "#173f8f", "#6f9df0", "#ffd34d"),
    Look("R", "#94191c", "#f07f70", "#ffd34d"),
    Look("G", "#14692f", "#6fcf8a", "#ffd34d"),
)
_SAND = Cell("-", "#ddd2b8")
_STONE = Cell("#", "#4c4640")
_LINES = "#b7aa8b"


@scene.register
def _tribolo(state: Tribolo) -> Scene:
    """The scene shows the cells and the walls. It marks the cell of the last move and the cells of legal moves."""
    places = [(row, column) for row in range(state.height) for column in range(state.width)]
    walls = {places[cell] for cell in state.walls()}
    owners = zip(places, state.owners(), strict=True)
    return Scene(
        cells=tuple(
            tuple(_STONE if (row, column) in walls else _SAND for column in range(state.width))
            for row in range(state.height)
        ),
        pieces=tuple(Piece(place, _COLOURS[owner]) for place, owner in owners if owner is not None),
        legal=tuple(places[action] for action in state.legal_actions()),
        last=(places[state.moves[-1]],) if state.moves else (),
        mover=_COLOURS[state.to_move],
        column_labels=tuple(state.action_to_text(column)[0] for column in range(state.width)),
        row_labels=tuple(str(row + 1) for row in range(state.height)),
        scores=tuple(zip(state.player_names, _COLOURS, state.scores(), strict=True)),
        status=caption(state),
        grid=_LINES,
    )


@action_path.register
def _tribolo_path(state: Tribolo, action: int) -> list[Place]:
    """A list with one entry: the cell that the action takes."""
    return [divmod(action, state.width)]
