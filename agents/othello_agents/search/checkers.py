"""A compiled alpha-beta search of checkers."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from othello_agents.evaluations.checkers import Table, piece_weights
from othello_env.games.checkers.kernels import BOARDS, POSITIONS, is_drawn, legal_moves, step
from othello_env.games.checkers.position import DRAWS, Checkers
from othello_env.games.othello.bitboard import popcount
from othello_env.support.jit import kernel

__all__ = ["search"]

_WIN = np.int64(1 << 30)
"""The value of a game that is won: more than any evaluation."""

_0 = np.uint64(0)
_1 = np.uint64(1)

_Int = int | np.int64


def search(state: Checkers, depth: int, table: Table) -> tuple[float, int, int]:
    """An alpha-beta search of `depth` plies, a jump being one: the value, the first best action, the nodes visited.

    It finds what `othello_agents.search.alphabeta.alphabeta` does, draws by repetition included.
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
