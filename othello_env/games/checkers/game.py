"""Checkers, as the rest of the package sees it."""

from __future__ import annotations

import re

from othello_env.games.checkers import pdn
from othello_env.games.checkers.batch import CheckersBatch
from othello_env.games.checkers.notation import (
    action_from_squares,
    column_of,
    destination,
    pieces_to_fen,
    squares_of_move,
)
from othello_env.games.checkers.pdn import PdnGame
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import NotationError
from othello_env.games.registry import Game, register_game
from othello_env.games.scene import Cell, Look, Piece, Place, Scene, caption

__all__ = ["GAME"]

# Red and white men and crowned kings, on numbered dark squares.
_MEN = (Look("r", "#8e1518", "#ef7565", "#ffd34d"), Look("w", "#dcd8cd", "#ffffff", "#c22f1e"))
_DARK, _LIGHT, _EDGE = "#3b7a57", "#efe4c8", "#2c5f43"

_DRAWS = {
    "repetition": "The game is a draw when a position occurs for the second time with the same player to move.",
    "threefold": "The game is a draw when a position occurs for the third time with the same player to move.",
    "40-move": "The game is a draw after 40 moves of each player without a jump or a move of a man.",
}
_MOVE = r"[0-9]{1,2}(?: {0,2}[-x] {0,2}[0-9]{1,2}){1,20}"

_FEN = re.compile(r"\s*([BW]:\S+)(?:[^\S\n]+(?:red|white)\b)?", re.IGNORECASE)
"""Matches a position in front of moves. It already names the player to move."""
_BOARD = re.compile(r"((?:[-.rRwW]{4,} )+)(red|white)?")
"""Matches the squares of a printed board, row by row, and the player to move."""


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


def _rules_text(state: Checkers) -> str:
    return (
        f"This is English draughts (checkers) on a board of {state.size} rows and {state.size} columns. The dark "
        "squares are numbered row by row from the top left; the numbers of a row stand beside it. The sign - is an "
        "empty dark square. A step is written 11-15, a jump over an opponent's piece 15x22, and a chain of jumps with "
        "the same piece 15x22x31. Red's men (r) move down the board, White's men (w) move up, and kings (R, W) move "
        "both ways, always along diagonals. A player who can jump must jump, and a piece that can jump again must go "
        "on. A man that reaches the last row becomes a king, and its move ends. A player who cannot move loses. "
        f"{_DRAWS[state.draws]}"
    )


def _explain(state: Checkers, name: str) -> str | None:
    try:
        squares = squares_of_move(name, state.size)
    except NotationError:
        return None
    # The board shows the numbers of a row, such as 5-8. They are no move, since no step joins these squares.
    if "x" not in name and action_from_squares(squares[0], squares[1], state.size) is None:
        return None
    if state.going_square is not None:
        return f"the piece on {state.going_square + 1} must jump on"
    if state.must_jump:  # a name such as 15x31 is not enough if several chains join the two squares
        return "you can jump, so you must jump; name every square of a chain"
    return "no piece of yours can move like that"


def _ending(state: Checkers) -> str:
    loser = state.player_names[state.to_move]
    if not any(state.returns()):
        return f"a draw by the rule {state.draws!r}"
    return f"{loser} has no piece left" if not state.scores()[state.to_move] else f"{loser} has no move"


def _loads(text: str, usual: Checkers) -> tuple[Checkers, Checkers]:
    """Read a game in PDN, or a position and the moves after it. The position is a FEN or a printed board."""
    if printed := _BOARD.fullmatch(text):
        text = _fen(printed[1], printed[2] or "red")
    games = pdn.loads(_FEN.sub(r'[FEN "\1"]', text, count=1) if _FEN.match(text) else text, usual.draws)
    if len(games) != 1:
        raise NotationError(f"expected one game, got {len(games)}")
    start = games[0].start
    if start.size != usual.size:
        raise NotationError(f"expected a board of side {usual.size}, got one of {start.size}")
    return start, games[0].final()


def _fen(board: str, player: str) -> str:
    squares = board.replace(" ", "").replace(".", "")  # without the light squares, which have no number
    red, white = (
        [f"{'K' * piece.isupper()}{square}" for square, piece in enumerate(squares, start=1) if piece.lower() == sign]
        for sign in "rw"
    )
    return pieces_to_fen(red, white, Checkers.player_index(player))


def _dumps(start: Checkers, final: Checkers) -> str:
    return pdn.dumps([PdnGame.from_state(final, start)])


GAME = Game(
    name="checkers",
    state=Checkers,
    batch=CheckersBatch,
    scene=_scene,
    action_path=_action_path,
    rules_text=_rules_text,
    move_pattern=_MOVE,
    explain=_explain,
    ending=_ending,
    loads=_loads,
    dumps=_dumps,
)
register_game(GAME)
