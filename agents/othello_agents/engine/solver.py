"""The exact solver: finds the final score of a position with perfect play.

The search is alpha-beta with null windows and a transposition table. It tries the table's best move first, and then the
other moves in the order of their ranks (see `moves.list_moves`). The opponent's stable discs give an upper bound on the
score.
"""

import numpy as np
import numpy.typing as npt

from othello_agents.engine.endings import INFINITY, odd_quadrants, solve_last
from othello_agents.engine.flips import flips
from othello_agents.engine.memory import (
    LIMIT,
    NO_SQUARE,
    NODES,
    Memory,
    best_square,
    narrow,
    position_key,
    probe,
    store_value,
)
from othello_agents.engine.moves import known_refutation, legal_moves, list_moves, listed_move, next_move
from othello_agents.engine.stability import score_bound
from othello_env.games.othello.bitboard import final_margin, popcount, square_of, square_to_action
from othello_env.support.jit import Int, kernel

__all__ = ["solve", "solve_moves"]

_0 = np.uint64(0)

_LAST = 4
"""With this number of empty squares or fewer, the functions of `endings` take over."""
_SHALLOW = 7
"""With this number of empty squares or fewer, sorting the moves and using the transposition table take more time than
they save."""
_CHILDREN = 10
"""With this number of empty squares or more, the positions after all moves are looked up in the transposition table
before the first of them is searched (enhanced transposition cut-off)."""


@kernel(lean=True)
def _solve_shallow(
    own: np.uint64,
    opponent: np.uint64,
    alpha: Int,
    beta: Int,
    board: np.uint64,
    squares: Int,
    control: npt.NDArray[np.int64],
) -> Int:
    """The same as `solve`, for few empty squares. This function uses no move lists and no transposition table.

    The function first tries moves into quarters with an odd number of empty squares (see `odd_quadrants`).
    """
    control[NODES] += 1
    empties = board & ~(own | opponent)
    legal = legal_moves(own, opponent, board)
    if legal == _0:
        if legal_moves(opponent, own, board) == _0:
            return final_margin(own, opponent, squares)
        return -_solve_shallow(opponent, own, -beta, -alpha, board, squares, control)
    is_last = popcount(empties) <= _LAST + 1
    odd = odd_quadrants(empties)
    best: Int = -INFINITY
    value: Int = 0
    todo = legal & odd
    rest = legal & ~odd
    if todo == _0:
        todo, rest = rest, todo
    while todo != _0:
        disc = todo & (_0 - todo)
        todo ^= disc
        if todo == _0:
            todo, rest = rest, _0
        flipped = flips(disc, own, opponent)
        new_own, new_opponent = opponent ^ flipped, own | flipped | disc
        reached = max(alpha, best)
        if is_last:
            value = -solve_last(new_own, new_opponent, empties ^ disc, -beta, -reached, squares, control)
        else:
            value = -_solve_shallow(new_own, new_opponent, -beta, -reached, board, squares, control)
        if value > best:
            best = value
            if value >= beta:
                break
    return best


@kernel(lean=True)
def solve(own: np.uint64, opponent: np.uint64, alpha: Int, beta: Int, board: np.uint64, memory: Memory) -> Int:
    """The final score for the player to move: exact if it lies between alpha and beta, otherwise a bound (fail-soft).

    Once the counter of nodes reaches its limit, all calls return immediately, and their values mean nothing.
    """
    control, squares = memory.control, np.int64(popcount(board))
    empties = board & ~(own | opponent)
    empty = np.int64(popcount(empties))
    if empty <= _LAST:
        return solve_last(own, opponent, empties, alpha, beta, squares, control)
    if empty <= _SHALLOW:
        return _solve_shallow(own, opponent, alpha, beta, board, squares, control)
    control[NODES] += 1
    if control[NODES] >= control[LIMIT]:
        return 0
    if alpha >= 2 * empty:  # if alpha is smaller, the bound of the stable discs rarely ends the search
        most = score_bound(own, opponent, board)
        if most <= alpha:
            return most
    legal = legal_moves(own, opponent, board)
    if legal == _0:
        if legal_moves(opponent, own, board) == _0:
            return final_margin(own, opponent, squares)
        return -solve(opponent, own, -beta, -alpha, board, memory)
    key = position_key(own, opponent)
    hash_square: Int = NO_SQUARE
    data = probe(key, memory)
    # The next lines do the same as `memory.known_window`. If that function were called here, the solver would visit
    # 6 % fewer nodes a second.
    if data != 0:
        alpha, beta = narrow(data, alpha, beta)
        if alpha >= beta:
            return alpha
        hash_square = best_square(data)
    count, wipes_out = list_moves(own, opponent, legal, hash_square, empty, board, memory)
    if wipes_out:
        return squares
    if empty >= _CHILDREN:
        value = known_refutation(own, opponent, beta, empty - 1, count, empty, _0, memory)
        if value >= beta:
            return value
    order, turned = memory.order[empty], memory.turned[empty]
    best: Int = -INFINITY
    best_move, reached = NO_SQUARE, alpha
    for i in range(count):
        next_move(i, count, order, turned)
        square, _, p, o = listed_move(i, own, opponent, order, turned)
        upper = beta if i == 0 else min(beta, reached + 1)
        while True:
            value = -solve(p, o, -upper, -reached, board, memory)
            if value <= reached or upper == beta:
                break
            upper = beta
        if control[NODES] >= control[LIMIT]:
            return 0
        if value > best:
            best, best_move = value, square
            reached = max(reached, value)
            if value >= beta:
                break
    store_value(key, best, alpha, beta, squares, best_move, empty, memory)
    return best


@kernel
def solve_moves(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    scores: npt.NDArray[np.float64],
    board: np.uint64,
    size: int,
    memory: Memory,
) -> None:
    """Write the final score after each legal action of N positions into `scores`, (N, size * size + 1) float64.

    The function stops when the limit of nodes is reached.
    """
    squares = np.int64(popcount(board))
    for i in range(len(own)):
        legal = legal_moves(own[i], opponent[i], board)
        if legal == _0 and legal_moves(opponent[i], own[i], board) != _0:
            scores[i, size * size] = -solve(opponent[i], own[i], -squares, squares, board, memory)
        while legal != _0:
            disc = legal & (_0 - legal)
            legal ^= disc
            square, flipped = square_of(disc), flips(disc, own[i], opponent[i])
            new_own, new_opponent = opponent[i] ^ flipped, own[i] | flipped | disc
            scores[i, square_to_action(square, size)] = -solve(new_own, new_opponent, -squares, squares, board, memory)
        if memory.control[NODES] >= memory.control[LIMIT]:
            return
