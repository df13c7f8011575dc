"""Positions as the page draws them: the scene of `othello_env.drawing` and the legal moves, as plain values."""

from __future__ import annotations

from typing import Any

from othello_env.drawing import scene
from othello_env.drawing.as_svg import board_svg, gradient_id
from othello_env.drawing.scene import action_path
from othello_env.games.game import State
from othello_env.games.othello.position import Othello

__all__ = ["board_view", "position_view"]

_CELL = 100  # the side of a square, the same as in the page's board.js


def board_view(state: State) -> dict[str, Any]:
    """What is the same throughout a game: a picture of the empty board, its labels, the players and their looks."""
    drawn = scene(state)
    return {
        "svg": board_svg(drawn, _CELL),
        "labels": [[cell.label for cell in row] for row in drawn.cells],
        "columnLabels": drawn.column_labels,
        "rowLabels": drawn.row_labels,
        "players": [
            {"name": name, "fill": look.fill, "light": look.light, "mark": look.mark, "gradient": gradient_id(look)}
            for name, look, _ in drawn.scores
        ],
    }


def position_view(state: State, move: str | None) -> dict[str, Any]:
    """One position of a game.

    Args:
        state: the position.
        move: the name of the move that led to the position, or None at the start.
    """
    drawn = scene(state)
    looks = [look for _, look, _ in drawn.scores]
    return {
        "move": move,
        "action": state.moves[-1] if state.moves else None,
        "pieces": [(*piece.place, looks.index(piece.look), piece.is_king) for piece in drawn.pieces],
        "last": drawn.last,
        "choices": [
            {"action": action, "name": state.action_to_text(action), "path": action_path(state, action)}
            for action in state.legal_actions()
        ],
        "toMove": state.to_move,
        "scores": state.scores(),
        "status": drawn.status,
        "isOver": state.is_over,
        "mustPass": state.must_pass,
        "empties": state.owners().count(None) if isinstance(state, Othello) else None,
        "returns": state.returns(),
    }
