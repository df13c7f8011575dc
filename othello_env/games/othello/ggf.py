"""Othello's games in GGF, the format of the Generic Game Server (GGS): ``(;GM[Othello]BO[...]B[F5]W[D6];)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from othello_env.games.othello.position import Othello

__all__ = ["board_tag", "game_text", "move_name"]


def board_tag(state: Othello) -> str:
    """A position as the value of the tag BO: its size, its rows from the top, and the player to move.

    >>> board_tag(Othello(4))
    '4 ---- -O*- -*O- ---- *'
    """
    text = state.to_text().replace("X", "*")
    rows = [text[k : k + state.size] for k in range(0, state.size**2, state.size)]
    return " ".join([str(state.size), *rows, "*O"[state.to_move]])


def move_name(state: Othello, action: int) -> str:
    """The name of an action in GGF: a square in capital letters, or ``PA`` for a pass."""
    return "PA" if action == state.pass_action else state.action_to_text(action).upper()


def game_text(board: str, moves: Sequence[str], tags: Mapping[str, str]) -> str:
    """A game on one line, between ``(;`` and ``;)``.

    Args:
        board: the first position, as `board_tag` writes it.
        moves: the moves, as `move_name` writes them.
        tags: more tags and their values, without brackets. If the tag TY is missing, its value is the board's size.

    >>> game_text("4 ---- -O*- -*O- ---- *", ["A2", "A1"], {"RE": "?"})
    '(;GM[Othello]RE[?]TY[4]BO[4 ---- -O*- -*O- ---- *]B[A2]W[A1];)'
    """
    first = 0 if board.endswith("*") else 1
    all_tags = {"GM": "Othello", **tags}
    all_tags.setdefault("TY", board.split()[0])
    all_tags["BO"] = board
    text = "".join(f"{tag}[{value}]" for tag, value in all_tags.items())
    text += "".join(f"{'BW'[(first + k) % 2]}[{move}]" for k, move in enumerate(moves))
    return f"(;{text};)"
