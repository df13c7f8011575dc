"""The content of a picture of a position, with the values of its actions. Text, SVG and pixels are made from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from othello_env.games.game import State
from othello_env.games.registry import game_of
from othello_env.games.scene import Number, Place, Scene, caption
from othello_env.support.numbers import check_type

__all__ = ["action_path", "scene", "scene_with_values", "turned_scene"]


def scene(state: State) -> Scene:
    """The content of a picture of this position.

    Raises:
        TypeError: the game has no pictures, or is not registered.
    """
    game = game_of(state) if isinstance(state, State) else None
    if game is None or game.scene is None:
        advice = "; draw record.replay()" if hasattr(state, "replay") else ""
        raise TypeError(f"there is no drawing of {type(state).__name__}{advice}")
    return game.scene(state)


def action_path(state: State, action: int) -> list[Place]:
    """The squares that a person clicks to play an action.

    A person clicks one square to place a disc, two squares to move a piece, and no square to pass.

    Raises:
        TypeError: the game has no pictures, or is not registered.
    """
    game = game_of(state)
    if game is None or game.action_path is None:
        raise TypeError(f"there is no drawing of {type(state).__name__}")
    return game.action_path(state, action)


def scene_with_values(state: State, values: Mapping[int, float]) -> Scene:
    """The scene of a position with the values of its actions on the squares.

    The values replace the dots that mark legal moves. The status says for whom they are. A pass is on no square.

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
        try:
            is_number = not math.isnan(value)
        except OverflowError:
            is_number = False
        if action not in legal or not is_number:
            found = f"{value!r:.80} for {action!r:.80}"
            raise ValueError(f"expected values of the legal actions {sorted(legal)}, got {found}")
    best: dict[Place, float] = {}
    for action, value in values.items():
        for place in action_path(state, action)[-1:]:
            best[place] = max(value, best.get(place, -math.inf))
    shown = [_shown(value) for value in values.values()]
    numbers = tuple(Number(place, _value_text(value), _share(_shown(value), shown)) for place, value in best.items())
    drawn = scene(state)
    if not numbers:  # a pass has a value, but no square
        return drawn
    status = drawn.status.replace(caption(state), f"values for {state.player_names[state.to_move]}, to move")
    return replace(drawn, legal=(), numbers=numbers, status=status)


def turned_scene(drawn: Scene) -> Scene:
    """The scene from the other side of the board: turned by half a turn."""

    def turned(place: Place) -> Place:
        return drawn.rows - 1 - place[0], drawn.columns - 1 - place[1]

    return replace(
        drawn,
        cells=tuple(tuple(reversed(row)) for row in reversed(drawn.cells)),
        column_labels=tuple(reversed(drawn.column_labels)),
        row_labels=tuple(reversed(drawn.row_labels)),
        dots=tuple((drawn.rows - row, drawn.columns - column) for row, column in drawn.dots),
        pieces=tuple(replace(each, place=turned(each.place)) for each in drawn.pieces),
        numbers=tuple(replace(each, place=turned(each.place)) for each in drawn.numbers),
        legal=tuple(map(turned, drawn.legal)),
        last=tuple(map(turned, drawn.last)),
    )


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
    most = 1.5 * max([1.0, *(abs(number) for number in values if math.isfinite(number))])
    low, high, here = (min(max(number, -most), most) for number in (min(values), max(values), value))
    return (here - low) / (high - low) if high > low else 1.0
