"""Evaluations of checkers, and a compiled alpha-beta search by them.

Each evaluation is a sum over pieces of a weight that hangs on the piece and its square, so both the function for any
search in Python and the kernel read the same table.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from othello_env.agent import WrongGameError
from othello_env.games.bitboard import popcount
from othello_env.games.checkers import DRAWS, Checkers
from othello_env.games.checkers_kernels import BOARDS, POSITIONS, is_drawn, legal_moves, step
from othello_env.games.checkers_notation import column_of
from othello_env.games.game import State
from othello_env.games.jit import kernel

__all__ = ["KING", "MAN", "Table", "material", "piece_weights", "positional", "search"]

MAN = 100
KING = 130
"""What a king counts against a man: the ratio of Chinook (Schaeffer and others, A World Championship Caliber Checkers
Program, 1992)."""

_ADVANCE = 3
_HOME_ROW = 12
_CENTRE = 3
_KING_CENTRE = 5

_WIN = np.int64(1 << 30)
"""The value of a game that is won: more than any evaluation."""

_0 = np.uint64(0)
_1 = np.uint64(1)

Table = Literal["count", "material", "positional"]
_Int = int | np.int64


def material(state: State, player: int) -> int:
    """Checkers: 100 a man and 130 a king of the player's, less the other's.

    Raises:
        ValueError: the game is another one.
    """
    return _sum_of_weights(state, player, "material")


def positional(state: State, player: int) -> int:
    """Checkers: `material`, and a little for where the pieces stand.

    A man counts 3 a row advanced and 12 on its home row, which keeps the other side from kings; a piece more the nearer
    to the middle of its row and, a king, of the board.

    Raises:
        ValueError: the game is another one.
    """
    return _sum_of_weights(state, player, "positional")


def _sum_of_weights(state: State, player: int, table: Table) -> int:
    if not isinstance(state, Checkers):
        raise WrongGameError(f"the evaluation {table!r} is for Checkers, not for {type(state).__name__}")
    weights = piece_weights(state.size, table)
    value = 0
    for square, piece in enumerate(state.pieces()):
        if piece is not None:
            owner, is_king = piece
            weight = int(weights[2 * owner + is_king, POSITIONS[state.size][square]])
            value += weight if owner == player else -weight
    return value


@cache
def piece_weights(size: int, table: Table) -> npt.NDArray[np.int64]:
    """(4, 64) int64: the weights of red men, red kings, white men and white kings on each bit of the board."""
    weights = np.zeros((4, 64), np.int64)
    for square, position in enumerate(POSITIONS[size]):
        row, column = square // (size // 2), column_of(square, size)
        for owner in (0, 1):
            advanced = size - 1 - row if owner else row
            weights[2 * owner, position] = _weight(table, size, advanced, column, is_king=False)
            weights[2 * owner + 1, position] = _weight(table, size, advanced, column, is_king=True)
    return weights


def _weight(table: Table, size: int, row: int, column: int, *, is_king: bool) -> int:
    """The weight of a piece so many rows away from its own side."""
    if table == "count":
        return 1
    if table == "material":
        return KING if is_king else MAN
    beside, above = min(column, size - 1 - column), min(row, size - 1 - row)
    if is_king:
        return KING + _KING_CENTRE * min(beside, above)
    return MAN + _ADVANCE * row + _CENTRE * beside + (_HOME_ROW if row == 0 else 0)


def search(state: Checkers, depth: int, table: Table) -> tuple[float, int, int]:
    """An alpha-beta search of `depth` plies, a jump being one: the value, the first best action, the nodes visited.

    It finds what `othello_agents.alphabeta.alphabeta` does, draws by repetition included.
    """
    size = state.size
    earlier = state.earlier
    past = np.zeros((state.quiet + depth + 1, 3), np.uint64)
    if earlier:
        past[: len(earlier)] = [position[:3] for position in earlier]
    repeats, quiet_limit = DRAWS[state.draws]
    value, piece, nodes = _alphabeta(
        np.uint64(state.own),
        np.uint64(state.opponent),
        np.uint64(state.kings),
        np.uint64(state.going),
        state.to_move == 0,
        np.uint64(size // 2),
        np.uint64(BOARDS[size]),
        depth,
        -_WIN,
        _WIN,
        past,
        state.quiet,
        state.quiet,
        repeats,
        quiet_limit,
        piece_weights(size, table),
    )
    square = POSITIONS[size].index(int(piece) // 4)
    number = math.copysign(math.inf, value) if abs(value) == _WIN else int(value)
    return number, 4 * square + int(piece) % 4, int(nodes)


@kernel
def _side(own: np.uint64, kings: np.uint64, weights: npt.NDArray[np.int64], men: _Int) -> _Int:
    """The sum of one side's weights, of which the row of its men is given."""
    value = np.int64(0)
    while own != _0:
        piece = own & (_0 - own)
        own ^= piece
        value += weights[men + 1 if kings & piece != _0 else men, np.int64(popcount(piece - _1))]
    return value


@kernel
def _alphabeta(
    own: np.uint64,
    opponent: np.uint64,
    kings: np.uint64,
    going: np.uint64,
    red: bool,
    half: np.uint64,
    board: np.uint64,
    depth: _Int,
    alpha: _Int,
    beta: _Int,
    past: npt.NDArray[np.uint64],
    end: int,
    quiet: int,
    repeats: int,
    quiet_limit: int,
    weights: npt.NDArray[np.int64],
) -> tuple[_Int, _Int, _Int]:
    """The value for the player to move, 4 * bit + direction of the first best action, and the nodes visited.

    `past[end - quiet : end]` are the positions since the last irreversible move, as `is_drawn` has them.
    """
    if depth == 0:
        mine, other = (0, 2) if red else (2, 0)
        return _side(own, kings, weights, mine) - _side(opponent, kings, weights, other), 0, 1
    moves = legal_moves(own, opponent, kings, going, red, half, board)
    todo = moves[0] | moves[1] | moves[2] | moves[3]
    if todo == _0:
        return -_WIN, 0, 1
    if is_drawn(past, end, quiet, own, opponent, kings, repeats, quiet_limit):
        return np.int64(0), 0, 1
    past[end, 0], past[end, 1], past[end, 2] = own, opponent, kings
    best, nodes = np.int64(-1), np.int64(1)
    while todo != _0 and alpha < beta:
        piece = todo & (_0 - todo)
        todo ^= piece
        for direction in range(4):
            movers = (
                moves[0] if direction == 0 else moves[1] if direction == 1 else moves[2] if direction == 2 else moves[3]
            )
            if movers & piece == _0 or alpha >= beta:
                continue
            action = 4 * np.int64(popcount(piece - _1)) + direction
            if best < 0:
                best = action
            p, o, k, g, r, undoable = step(own, opponent, kings, piece, direction, red, half, board)
            below = quiet + 1 if undoable else 0
            if r == red:  # the same player goes on
                value, _, count = _alphabeta(
                    p,
                    o,
                    k,
                    g,
                    r,
                    half,
                    board,
                    depth - 1,
                    alpha,
                    beta,
                    past,
                    end + 1,
                    below,
                    repeats,
                    quiet_limit,
                    weights,
                )
            else:
                value, _, count = _alphabeta(
                    p,
                    o,
                    k,
                    g,
                    r,
                    half,
                    board,
                    depth - 1,
                    -beta,
                    -alpha,
                    past,
                    end + 1,
                    below,
                    repeats,
                    quiet_limit,
                    weights,
                )
                value = -value
            nodes += count
            if value > alpha:
                alpha, best = value, action
    return alpha, best, nodes
