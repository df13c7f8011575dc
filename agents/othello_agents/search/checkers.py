"""A compiled alpha-beta search of checkers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.evaluations.boards import piece_weights
from othello_agents.evaluations.registry import PieceWeight
from othello_agents.search.kernels import WIN
from othello_env.games.checkers.kernels import BOARDS, POSITIONS, is_drawn, legal_moves, step
from othello_env.games.checkers.position import DRAWS, Checkers
from othello_env.games.othello.bitboard import popcount
from othello_env.support.jit import Int, kernel

__all__ = ["search"]

_0 = np.uint64(0)
_1 = np.uint64(1)


class _Rules(NamedTuple):
    """The data that stay the same during a search."""

    half: np.uint64
    """Half the board's size: the number of dark squares in a row."""
    board: np.uint64
    """The dark squares."""
    repeats: int
    """A position is a draw if it has occurred this number of times before; 0 if repetitions never make a draw."""
    quiet_limit: int
    """A game is a draw after this number of plies without an irreversible move; 0 if there is no such limit."""
    weights: npt.NDArray[np.int64]
    """(4, 64) int64, the weights of the pieces, as `piece_weights` returns them."""


class _Position(NamedTuple):
    """A position in the form that the compiled rules of checkers need (see `othello_env.games.checkers.kernels`)."""

    own: np.uint64
    opponent: np.uint64
    kings: np.uint64
    going: np.uint64
    red: bool


def search(state: Checkers, depth: int, weight: PieceWeight) -> tuple[float, int, int]:
    """Search `depth` plies by alpha-beta. Returns the value, the first best action and the number of nodes visited.

    A ply is a step or a single jump, so a chain of captures has several plies. The evaluation is the sum of the weights
    of the player's pieces minus the opponent's sum. The results and the rules for draws are the same as in
    `othello_agents.search.alphabeta.alphabeta`.
    """
    size = state.size
    earlier = state.earlier
    past = np.zeros((state.quiet + depth + 1, 3), np.uint64)
    if earlier:
        past[: len(earlier)] = [position[:3] for position in earlier]
    own, opponent, kings, going = map(np.uint64, (state.own, state.opponent, state.kings, state.going))
    at = _Position(own, opponent, kings, going, state.to_move == 0)
    rules = _Rules(np.uint64(size // 2), np.uint64(BOARDS[size]), *DRAWS[state.draws], piece_weights(size, weight))
    value, piece, nodes = _alphabeta(at, depth, -WIN, WIN, past, state.quiet, state.quiet, rules)
    square = POSITIONS[size].index(int(piece) // 4)
    number = math.copysign(math.inf, value) if abs(value) == WIN else int(value)
    return number, 4 * square + int(piece) % 4, int(nodes)


@kernel
def _side(own: np.uint64, kings: np.uint64, weights: npt.NDArray[np.int64], men: Int) -> Int:
    """The sum of the weights of one side's pieces. Row `men` of `weights` is for men, and the next row is for kings."""
    value = np.int64(0)
    while own != _0:
        piece = own & (_0 - own)
        own ^= piece
        value += weights[men + 1 if kings & piece != _0 else men, np.int64(popcount(piece - _1))]
    return value


@kernel
def _evaluate(at: _Position, weights: npt.NDArray[np.int64]) -> Int:
    """The sum of the weights of the pieces of the player to move, minus the sum for the opponent's pieces."""
    mine, other = (0, 2) if at.red else (2, 0)
    return _side(at.own, at.kings, weights, mine) - _side(at.opponent, at.kings, weights, other)


@kernel
def _alphabeta(
    at: _Position,
    depth: Int,
    alpha: Int,
    beta: Int,
    past: npt.NDArray[np.uint64],
    end: int,
    quiet: int,
    rules: _Rules,
) -> tuple[Int, Int, Int]:
    """The value for the player to move, the first best action, and the number of nodes visited.

    The action is the number 4 * bit + direction. Here `bit` is the index of the bit that stands for the piece's square.

    `past[end - quiet : end]` holds the positions since the last irreversible move. Each row has three sets of squares,
    the sets `own`, `opponent` and `kings` of a position.
    """
    own, opponent, kings, going, red = at
    half, board = rules.half, rules.board
    if depth == 0:
        return _evaluate(at, rules.weights), 0, 1
    moves = legal_moves(own, opponent, kings, going, red, half, board)
    todo = moves[0] | moves[1] | moves[2] | moves[3]
    if todo == _0:
        return -WIN, 0, 1
    if is_drawn(past, end, quiet, own, opponent, kings, rules.repeats, rules.quiet_limit):
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
            after, below = _Position(p, o, k, g, r), quiet + 1 if undoable else 0
            if r == red:  # the same player continues
                value, _, count = _alphabeta(after, depth - 1, alpha, beta, past, end + 1, below, rules)
            else:
                value, _, count = _alphabeta(after, depth - 1, -beta, -alpha, past, end + 1, below, rules)
                value = -value
            nodes += count
            if value > alpha:
                alpha, best = value, action
    return alpha, best, nodes
