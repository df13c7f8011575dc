"""Othello, as the rest of the package sees it."""

from __future__ import annotations

from othello_env.games.othello.batch import OthelloBatch
from othello_env.games.othello.position import Othello
from othello_env.games.registry import Game, register_game
from othello_env.games.scene import Cell, Look, Piece, Place, Scene, caption
from othello_env.games.words import SQUARE, why_no_capture

__all__ = ["GAME"]

# Discs on green felt.
_DISCS = (Look("X", "#1b1d1f", "#5d6266", "#ff6b4a"), Look("O", "#e4e1d8", "#ffffff", "#d8412a"))
_FELT = Cell("-", "#2f8f5b")


def _scene(state: Othello) -> Scene:
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


def _action_path(state: Othello, action: int) -> list[Place]:
    """The square on which the action places a disc. The list is empty for a pass."""
    return [] if action == state.pass_action else [divmod(action, state.size)]


def _rules_text(state: Othello) -> str:
    return (
        f"This is Othello on a board of {state.size} rows and {state.size} columns. A square is named by the letter of "
        "its column and the number of its row: a1 is the top left corner, "
        f"{'abcdefgh'[state.size - 1]}1 the top right, and a{state.size} the bottom left. The sign - is an empty "
        "square. A player puts a disc on an empty square. In at least one of the eight directions, an unbroken line of "
        "the opponent's discs must begin next to this square, and one of the player's own discs must stand behind this "
        "line. All discs of all such lines become the player's. A player without a move passes; the pass is made for "
        "the player. The game is over when nobody can move. The player with the most discs wins."
    )


def _ending(state: Othello) -> str:
    lost = [name for name, discs in zip(state.player_names, state.discs(), strict=True) if not discs]
    if lost:
        return f"{lost[0]} has no disc left"
    return "neither side has a move" if state.empties else "the board is full"


GAME = Game(
    name="othello",
    state=Othello,
    batch=OthelloBatch,
    # Each step of the learner either places one of at most 60 discs, or is a pass, after which the opponent places one.
    # A position of one's own may have up to 62 empty squares.
    longest=64,
    scene=_scene,
    action_path=_action_path,
    rules_text=_rules_text,
    move_pattern=SQUARE,
    explain=why_no_capture,
    ending=_ending,
    unit="disc",
    variants=("size=6", "size=4"),
)
register_game(GAME)
