"""A position as plain text."""

from othello_env.drawing.scene import Piece, Scene, scene
from othello_env.games.game import State

__all__ = ["text"]

_LEGAL = "+"


def text(state: State) -> str:
    """The board, then the scores and the status. Legal moves are ``+``, and the last move is in brackets.

    >>> from othello_env import Othello
    >>> print(text(Othello.from_moves("d3", size=4)))
        a  b  c  d
     1  -  -  -  -
     2  -  O  X  +
     3  -  X  X [X]
     4  -  +  -  +
    black (X) 4, white (O) 1; white to move
    + legal, [ ] last move
    """
    return "\n".join([*_board(scene(state)), *_captions(scene(state))])


def _board(drawn: Scene) -> list[str]:
    signs = {(row, column): cell.symbol for row, cells in enumerate(drawn.cells) for column, cell in enumerate(cells)}
    signs |= dict.fromkeys(drawn.legal, _LEGAL)
    signs |= {piece.place: _sign(piece) for piece in drawn.pieces}
    lines = ["  " + "".join(label.rjust(3) for label in drawn.column_labels)] if any(drawn.column_labels) else []
    for row, label in enumerate(drawn.row_labels):
        cells = (_cell(signs[row, column], (row, column) in drawn.last) for column in range(drawn.columns))
        lines.append((label.rjust(2) + " " + "".join(cells)).rstrip())
    return lines


def _sign(piece: Piece) -> str:
    return piece.look.symbol.upper() if piece.is_king else piece.look.symbol


def _cell(sign: str, is_last: bool) -> str:
    return f"[{sign}]" if is_last else f" {sign} "


def _captions(drawn: Scene) -> list[str]:
    scores = ", ".join(f"{name} ({look.symbol}) {score}" for name, look, score in drawn.scores)
    legend = [f"{_LEGAL} legal"] if drawn.legal else []
    legend += ["[ ] last move"] if drawn.last else []
    return [f"{scores}; {drawn.status}", *([", ".join(legend)] if legend else [])]
