"""Positions as values for JSON. The page draws a position from these values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from othello_env.drawing import scene
from othello_env.drawing.picture import board_svg, gradient_id
from othello_env.drawing.scene import action_path
from othello_env.games.game import State
from othello_env.games.othello.position import Othello
from othello_env.games.registry import game_of

__all__ = ["board_view", "position_view", "views_of"]

_CELL = 100  # the width of a square in the picture; the page's board.js has the same number


def board_view(state: State) -> dict[str, Any]:
    """The parts of the picture that stay the same during a game: the empty board, its labels, and the players."""
    drawn, game = scene(state), game_of(state)
    return {
        "isRandom": game is not None and game.is_random,
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
    """One position of a game, as values for JSON.

    Args:
        state: the position.
        move: the name of the move that led to the position, or None at the start.
    """
    drawn = scene(state)
    looks = [look for _, look, _ in drawn.scores]
    othello = state if type(state) is Othello else None  # only Othello is solved
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
        "ending": _ending(state) if state.is_over else None,
        "end": _end(state) if state.is_over else None,
        "isOver": state.is_over,
        "mustPass": state.must_pass,
        "empties": None if othello is None else othello.empties,
    }


def views_of(states: Sequence[State], first: int = 0) -> list[dict[str, Any]]:
    """The positions of a game from the ply `first` on; see `position_view`."""
    names = [None, *(before.action_to_text(after.moves[-1]) for before, after in pairwise(states))]
    return [position_view(state, name) for state, name in zip(states[first:], names[first:], strict=True)]


def _end(state: State) -> dict[str, Any]:
    """The values of a finished game for each player: the final lead where wins have a margin, otherwise the result."""
    game = game_of(state)
    if game is not None and game.unit is not None:
        values: list[Any] = list(state.margins())
        unit = f"{game.unit}s"
    else:
        values, unit = ["inf" if result > 0 else "-inf" if result < 0 else 0 for result in state.returns()], ""
    return {"values": values, "unit": unit, "exact": True, "bound": state.largest_margin, "moves": []}


def _ending(state: State) -> str:
    """A sentence about a finished game: who won, by how much, and why the game ended."""
    game = game_of(state)
    scores, winners = state.scores(), [state.player_names[player] for player in state.winners()]
    text = " to ".join(map(str, sorted(scores, reverse=True)))
    if len(winners) == state.num_players:
        text = f"a draw, {text}"
    elif len(winners) > 1:
        text = f"{' and '.join(winners)} share the win, {text}"
    else:
        if game is not None and game.unit is not None:
            by, counted = round(max(state.margins())), max(scores) - min(scores)
            text = f"by {by} {game.unit}{'s' if by != 1 else ''}, {text}"
            if by != counted:
                text += f" and {by - counted} empty square{'s' if by - counted != 1 else ''}"
        text = f"{winners[0]} wins {text}"
    return text if game is None or game.ending is None else f"{text}: {game.ending(state)}"
