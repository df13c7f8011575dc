"""Checkers, as the rest of the package sees it."""

from __future__ import annotations

from othello_env.games.checkers.batch import CheckersBatch
from othello_env.games.checkers.notation import column_of, destination
from othello_env.games.checkers.position import Checkers
from othello_env.games.registry import Game, register_game
from othello_env.games.scene import Cell, Look, Piece, Place, Scene, caption

__all__ = ["GAME"]

# Red and white men and crowned kings, on numbered dark squares.
_MEN = (Look("r", "#8e1518", "#ef7565", "#ffd34d"), Look("w", "#dcd8cd", "#ffffff", "#c22f1e"))
_DARK, _LIGHT, _EDGE = "#3b7a57", "#efe4c8", "#2c5f43"


def _scene(state: Checkers) -> Scene:
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
        legal=tuple(sorted({_action_path(state, action)[-1] for action in state.legal_actions()})),
        last=_moved(state, places),
        mover=_MEN[state.to_move],
        column_labels=("",) * size,
        row_labels=tuple(str(row * half + 1) for row in range(size)),
        scores=tuple(zip(state.player_names, _MEN, state.scores(), strict=True)),
        status=status,
        grid=_EDGE,
    )


def _action_path(state: Checkers, action: int) -> list[Place]:
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


GAME = Game(
    name="checkers",
    state=Checkers,
    batch=CheckersBatch,
    scene=_scene,
    action_path=_action_path,
)
register_game(GAME)
