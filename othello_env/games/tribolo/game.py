"""Tribolo, as the rest of the package sees it."""

from __future__ import annotations

from othello_env.games.registry import Game, register_game
from othello_env.games.scene import Cell, Look, Piece, Place, Scene, caption
from othello_env.games.tribolo.batch import TriboloBatch
from othello_env.games.tribolo.position import Tribolo
from othello_env.games.words import SQUARE, why_no_capture

__all__ = ["GAME"]

# Discs of three colours on sand, between walls of stone.
_COLOURS = (
    Look("B", "#173f8f", "#6f9df0", "#ffd34d"),
    Look("R", "#94191c", "#f07f70", "#ffd34d"),
    Look("G", "#14692f", "#6fcf8a", "#ffd34d"),
)
_SAND = Cell("-", "#ddd2b8")
_STONE = Cell("#", "#4c4640")
_LINES = "#b7aa8b"


def _scene(state: Tribolo) -> Scene:
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


def _action_path(state: Tribolo, action: int) -> list[Place]:
    """A list with one entry: the cell that the action takes."""
    return [divmod(action, state.width)]


def _rules_text(state: Tribolo) -> str:
    return (
        f"This is Tribolo, a game of three players, on a board of {state.height} rows and {state.width} columns with "
        "walls (#). The sign - is an empty cell. A cell is named by the letter of its column and the number of its "
        f"row: a1 is the top left corner, and a{state.height} the bottom left. A player takes an empty cell. In at "
        "least one of the eight directions, an unbroken line of cells of one opponent must begin next to this cell, "
        "and one of the player's own cells must stand behind this line. All cells of all such lines become the "
        "player's. A player without a move is skipped. The game is over when nobody can move. The player with the most "
        "cells wins."
    )


def _ending(state: Tribolo) -> str:
    return "nobody has a move"


GAME = Game(
    name="tribolo",
    state=Tribolo,
    batch=TriboloBatch,
    scene=_scene,
    action_path=_action_path,
    rules_text=_rules_text,
    move_pattern=SQUARE,
    explain=why_no_capture,
    ending=_ending,
)
register_game(GAME)
