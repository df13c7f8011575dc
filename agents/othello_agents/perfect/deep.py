"""An exact search for small boards that is quick with 14 to 31 empty squares.

Like the engine's search to the end of the game, this search is a principal variation search with a transposition table.
But it sorts the moves in another way. It gives the number of the opponent's replies a greater weight. It also sorts by
the values of shallow searches, as the engine's search does. With 25 empty squares or more, these searches are deeper
than the engine's. Near the end of the game, the engine's solver takes over, with the same transposition table.
"""

import numpy as np
import numpy.typing as npt

from othello_agents.engine.evaluator import Evaluator, follow, turn_over
from othello_agents.engine.memory import (
    BEST,
    LIMIT,
    NO_SQUARE,
    NODES,
    ROOT,
    WORST,
    Memory,
    known_window,
    position_key,
    store_value,
)
from othello_agents.engine.midgame import search
from othello_agents.engine.moves import known_refutation, legal_moves, list_moves, listed_move, next_move
from othello_agents.engine.solver import solve
from othello_agents.engine.stability import score_bound
from othello_env.games.othello.bitboard import final_margin, popcount
from othello_env.support.jit import Int, kernel

__all__ = ["MOBILITY", "SOLVER", "SORTING", "solve_deep"]

SOLVER, MOBILITY = 62, 63
"""Indices of `SORTING`. `SORTING[SOLVER]` is the number of empty squares at which the engine's solver takes over.
A move first has the rank that `moves.list_moves` gives it. Its final rank is `SORTING[MOBILITY]` times this first rank,
plus the value that the position after the move has for the opponent. The move with the lowest rank is searched first.
"""


def _sorting() -> npt.NDArray[np.int64]:
    """For each number of empty squares, the depth of the searches that sort the moves.

    The last two entries are the numbers for SOLVER and MOBILITY.
    """
    numbers = np.zeros(64, np.int64)
    for empty in range(64):
        numbers[empty] = 0 if empty < 16 else 1 if empty < 18 else 2 if empty < 21 else 3 if empty < 25 else 5
    numbers[SOLVER], numbers[MOBILITY] = 13, 4
    return numbers


SORTING = _sorting()
"""The numbers that control how `solve_deep` sorts moves, (64,) int64. The numbers change the speed of `solve_deep`, but
no exact score."""

_0 = np.uint64(0)


@kernel
def _sort(
    own: np.uint64,
    opponent: np.uint64,
    empty: Int,
    count: Int,
    evaluator: Evaluator,
    memory: Memory,
    sorting: npt.NDArray[np.int64],
) -> None:
    """Improve the rank of each listed move by a shallow search (see `MOBILITY`).

    The move from the transposition table keeps its rank.
    """
    order, turned = memory.order[empty], memory.turned[empty]
    for i in range(count):
        if order[i] >= 64:  # not the transposition table's move, which stays first
            square, flipped, p, o = listed_move(i, own, opponent, order, turned)
            added = follow(square, flipped, empty, evaluator)
            value = search(p, o, -added, -WORST, WORST, sorting[empty], evaluator, memory)
            rank = sorting[MOBILITY] * ((order[i] >> 6) - 8 * WORST) + 8 * WORST + value
            order[i] = max(1, rank) << 6 | square


@kernel
def solve_deep(
    own: np.uint64,
    opponent: np.uint64,
    alpha: Int,
    beta: Int,
    evaluator: Evaluator,
    memory: Memory,
    sorting: npt.NDArray[np.int64],
) -> Int:
    """The final score for the player to move; exact between alpha and beta, otherwise a bound (fail-soft).

    The evaluator must have n-tuple tables and be prepared for the position (by `set_root` or `follow`). The counter
    ROOT holds the number of empty squares of the root. A position with this number is the root. The root must have
    legal moves. The function writes the root's best square into the counter BEST. If the score lies between alpha and
    beta, the move to this square is a best move. Once the counter of nodes reaches its limit, all calls return
    immediately, and their values mean nothing.
    """
    control, board = memory.control, evaluator.board
    squares = np.int64(popcount(board))
    empty = np.int64(popcount(board & ~(own | opponent)))
    is_root = empty == control[ROOT]
    if empty <= sorting[SOLVER] and not is_root:
        return solve(own, opponent, alpha, beta, board, memory)
    control[NODES] += 1
    if control[NODES] >= control[LIMIT]:
        return 0
    if alpha >= 0 and not is_root:
        most = score_bound(own, opponent, board)
        if most <= alpha:
            return most
    legal = legal_moves(own, opponent, board)
    if legal == _0:
        if legal_moves(opponent, own, board) == _0:
            return final_margin(own, opponent, squares)
        turn_over(empty, evaluator)
        value = -solve_deep(opponent, own, -beta, -alpha, evaluator, memory, sorting)
        turn_over(empty, evaluator)
        return value
    key = position_key(own, opponent)
    alpha, beta, hash_square = known_window(key, alpha, beta, empty, is_root, memory)
    if alpha >= beta:
        return alpha
    count, wipes_out = list_moves(own, opponent, legal, hash_square, empty, board, memory)
    if not is_root:
        if wipes_out:
            return squares
        value = known_refutation(own, opponent, beta, empty - 1, count, empty, _0, memory)
        if value >= beta:
            return value
    if count > 1:
        _sort(own, opponent, empty, count, evaluator, memory, sorting)
    order, turned = memory.order[empty], memory.turned[empty]
    best: Int = -WORST
    best_move, reached = NO_SQUARE, alpha
    for i in range(count):
        next_move(i, count, order, turned)
        square, flipped, p, o = listed_move(i, own, opponent, order, turned)
        follow(square, flipped, empty, evaluator)
        upper = beta if i == 0 else min(beta, reached + 1)
        while True:
            value = -solve_deep(p, o, -upper, -reached, evaluator, memory, sorting)
            if value <= reached or upper == beta:
                break
            upper = beta
        if control[NODES] >= control[LIMIT]:
            return 0
        if value > best:
            best, best_move = value, square
            if is_root:
                control[BEST] = square
            reached = max(reached, value)
            if value >= beta:
                break
    store_value(key, best, alpha, beta, squares, best_move, empty, memory)
    return best
