"""The midgame search: principal variation search with one evaluation.

Depth is counted in plies, and a pass is a ply. At depth 0 a position is evaluated even if the game is over, as in
`othello_agents.search`. At depth 1 or more, a won game has the value `FINAL` + the score in discs. This value is
greater than any evaluation. A lost game has the value -`FINAL` + the (negative) score in discs, and a drawn game has
the value 0.

A search to depth `EXACT` goes to the end of the game, and the evaluation only sorts the moves. In all other searches,
the deep search of a position is skipped if a shallow search predicts its result (see `probcut`). If the evaluator has
an empty table of cuts, no search is skipped.
"""

import numpy as np
import numpy.typing as npt

from othello_agents.engine.evaluator import BOUND, Evaluator, follow, leaf_value, set_root, turn_over
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
from othello_agents.engine.moves import (
    flips,
    known_refutation,
    legal_moves,
    list_moves,
    listed_move,
    next_move,
    score_bound,
)
from othello_agents.engine.probcut import SHALLOWEST, shallow_depth, sufficient
from othello_agents.engine.solver import solve
from othello_env.games.othello.bitboard import final_margin, popcount, square_of
from othello_env.support.jit import Int, kernel

__all__ = ["EXACT", "FINAL", "search", "search_from", "table_key", "to_score", "to_value"]

FINAL = 20_000
"""The value of a won game is this number plus the score in discs."""
EXACT = 100
"""This depth means a search to the end of the game."""

_SOLVER = 13
"""With this number of empty squares or fewer, a search to the end calls the exact solver."""
_SORTED = 3
"""The smallest depth at which values sort the moves, and not only the numbers of replies."""
_CHILDREN = 4
"""From this depth on, the positions after all moves are looked up in the transposition table before the first of them
is searched."""
_SALT = np.uint64(0x5851_F42D_4C95_7F2D)

_0 = np.uint64(0)


@kernel
def table_key(own: np.uint64, opponent: np.uint64) -> np.uint64:
    """A position's key in the transposition table. The exact solver uses the same table, but other keys."""
    return position_key(own, opponent) ^ _SALT


@kernel
def to_value(score: Int) -> Int:
    """The value of a finished game, given its score in discs."""
    if score > 0:
        return score + FINAL
    return score - FINAL if score < 0 else 0


@kernel
def to_score(value: Int) -> Int:
    """The score in discs, given a finished game's value; 0 for a value between -`FINAL` and `FINAL`."""
    if value >= FINAL:
        return value - FINAL
    return value + FINAL if value <= -FINAL else 0


@kernel(no_refcount=True)
def _solve(own: np.uint64, opponent: np.uint64, alpha: Int, beta: Int, board: np.uint64, memory: Memory) -> Int:
    """Convert alpha and beta into scores, call the exact solver, and convert the score that it returns into a value.

    Only values of finished games have a score. So the window is widened first: alpha is lowered, and beta is raised, to
    the nearest value of a finished game.
    """
    low = -1 if -FINAL <= alpha < 0 else to_score(alpha)
    high = 1 if 0 < beta <= FINAL else to_score(beta)
    return to_value(solve(own, opponent, low, high, board, memory))


@kernel
def _sort_depth(depth: Int, empty: Int) -> Int:
    """The depth of the searches whose values sort the moves; at depth 0, these are evaluations."""
    if depth < EXACT or empty < 15:
        return 0
    if empty < 18:
        return 1
    return 2 if empty < 21 else 3


@kernel(no_refcount=True)
def _may_cut(alpha: Int, beta: Int, depth: Int, empty: Int, evaluator: Evaluator) -> bool:
    """Whether a shallow search may replace the search with these arguments.

    The evaluator must have a table of cuts, and the window must be a null window (beta = alpha + 1) between -`BOUND`
    and `BOUND`, the limits of evaluations. The depth must be at least `SHALLOWEST` and less than the number of empty
    squares.
    """
    if len(evaluator.cuts) == 0 or depth < SHALLOWEST or depth >= empty:
        return False
    return bool(beta == alpha + 1 and alpha > -BOUND and beta < BOUND)


@kernel(no_refcount=True)
def _known_bounds(
    own: np.uint64,
    opponent: np.uint64,
    key: np.uint64,
    alpha: Int,
    beta: Int,
    depth: Int,
    is_root: bool,
    board: np.uint64,
    memory: Memory,
) -> tuple[Int, Int, Int]:
    """Narrow the window by the bounds that the stable discs and the transposition table give.

    Returns alpha, beta and the table's best square. If nothing of the window remains, alpha and beta are equal.
    """
    if depth >= EXACT and alpha >= FINAL:
        most = to_value(score_bound(own, opponent, board))
        if most <= alpha:
            return most, most, NO_SQUARE
    return known_window(key, alpha, beta, depth, is_root, memory)


@kernel(no_refcount=True)
def _cut(
    own: np.uint64,
    opponent: np.uint64,
    balance: Int,
    alpha: Int,
    beta: Int,
    depth: Int,
    empty: Int,
    evaluator: Evaluator,
) -> tuple[Int, Int, Int]:
    """Choose the condition under which a shallow search replaces the deep search with these arguments.

    Returns a direction, a bound and a threshold. In direction 1, the bound is beta: if the shallow search finds at
    least the threshold, the deep search would very likely find at least beta. In direction -1, the bound is alpha: if
    the shallow search finds at most the threshold, the deep search would very likely find at most alpha.
    """
    direction: Int = 1 if leaf_value(own, opponent, balance, empty, evaluator) >= beta else -1
    bound = beta if direction > 0 else alpha
    return direction, bound, sufficient(bound, direction, depth, empty, evaluator.cuts)


@kernel(no_refcount=True)
def _search_last_ply(
    own: np.uint64,
    opponent: np.uint64,
    legal: np.uint64,
    balance: Int,
    beta: Int,
    evaluator: Evaluator,
    control: npt.NDArray[np.int64],
) -> Int:
    """The same as `search` at depth 1, for a position with legal moves.

    This function uses no move lists and no transposition table.
    """
    empty = np.int64(popcount(evaluator.board & ~(own | opponent)))
    best: Int = -WORST
    while legal != _0 and best < beta:
        disc = legal & (_0 - legal)
        legal ^= disc
        square, flipped = square_of(disc), flips(disc, own, opponent)
        added = follow(square, flipped, empty, evaluator)
        control[NODES] += 1
        p, o = opponent ^ flipped, own | flipped | disc
        value = -leaf_value(p, o, -(balance + added), empty - 1, evaluator)
        if value > best:
            best = value
            if empty == control[ROOT]:
                control[BEST] = square
    return best


@kernel(no_refcount=True)
def _search(
    own: np.uint64,
    opponent: np.uint64,
    balance: Int,
    alpha: Int,
    beta: Int,
    depth: Int,
    evaluator: Evaluator,
    memory: Memory,
) -> Int:
    """The recursive part of `search`.

    Its machine code does not count references to arrays, which saves time in each call.
    """
    control, board = memory.control, evaluator.board
    empty = np.int64(popcount(board & ~(own | opponent)))
    is_root = empty == control[ROOT]
    if depth <= 0:
        control[NODES] += 1
        return leaf_value(own, opponent, balance, empty, evaluator)
    if depth >= EXACT and empty <= _SOLVER and not is_root:
        return _solve(own, opponent, alpha, beta, board, memory)
    control[NODES] += 1
    if control[NODES] >= control[LIMIT]:
        return 0
    next_depth = depth - (depth < EXACT)
    legal = legal_moves(own, opponent, board)
    if legal == _0:
        if legal_moves(opponent, own, board) == _0:
            return to_value(final_margin(own, opponent, np.int64(popcount(board))))
        turn_over(empty, evaluator)
        value = -_search(opponent, own, -balance, -beta, -alpha, next_depth, evaluator, memory)
        turn_over(empty, evaluator)
        return value
    if depth == 1:
        return _search_last_ply(own, opponent, legal, balance, beta, evaluator, control)
    key = table_key(own, opponent)
    alpha, beta, hash_square = _known_bounds(own, opponent, key, alpha, beta, depth, is_root, board, memory)
    if alpha >= beta:
        return alpha
    if not is_root and _may_cut(alpha, beta, depth, empty, evaluator):
        direction, bound, enough = _cut(own, opponent, balance, alpha, beta, depth, empty, evaluator)
        low = enough - (direction > 0)
        value = _search(own, opponent, balance, low, low + 1, shallow_depth(depth), evaluator, memory)
        if direction * value >= direction * enough:
            return bound
    order, turned = memory.order[empty], memory.turned[empty]
    count, _ = list_moves(own, opponent, legal, hash_square, empty, board, memory)
    if depth >= _CHILDREN and not is_root:
        value = known_refutation(own, opponent, beta, next_depth, count, empty, _SALT, memory)
        if value >= beta:
            return value
    if depth >= _SORTED and count > 1:
        shallow = _sort_depth(depth, empty)
        for i in range(count):
            if order[i] >= 64:  # rank 0 is the transposition table's best move, which stays first
                square, flipped, p, o = listed_move(i, own, opponent, order, turned)
                added = follow(square, flipped, empty, evaluator)
                value = _search(p, o, -(balance + added), -WORST, WORST, shallow, evaluator, memory)
                order[i] += value << 6
    best: Int = -WORST
    best_move, reached = NO_SQUARE, alpha
    for i in range(count):
        next_move(i, count, order, turned)
        square, flipped, p, o = listed_move(i, own, opponent, order, turned)
        added = follow(square, flipped, empty, evaluator)
        upper = beta if i == 0 else min(beta, reached + 1)
        while True:
            value = -_search(p, o, -(balance + added), -upper, -reached, next_depth, evaluator, memory)
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
    store_value(key, best, alpha, beta, WORST, best_move, depth, memory)
    return best


@kernel
def search(
    own: np.uint64,
    opponent: np.uint64,
    balance: Int,
    alpha: Int,
    beta: Int,
    depth: Int,
    evaluator: Evaluator,
    memory: Memory,
) -> Int:
    """The value for the player to move: exact if it lies between alpha and beta, otherwise a bound (fail-soft).

    `set_root` must have prepared the evaluator for the position. `balance` is the position's balance of weights, which
    `set_root` returned. Once the counter of nodes reaches its limit, all calls return immediately, and their values
    mean nothing.
    """
    return _search(own, opponent, balance, alpha, beta, depth, evaluator, memory)


@kernel
def search_from(own: np.uint64, opponent: np.uint64, depth: np.int64, evaluator: Evaluator, memory: Memory) -> np.int64:
    """The value of a position after a search of so many plies. The move is in the memory's control, at `BEST`.

    A search with two plies less comes first, so that the moves are sorted.
    """
    empty = np.int64(popcount(evaluator.board & ~(own | opponent)))
    memory.control[ROOT] = empty
    balance = np.int64(set_root(own, opponent, empty, evaluator))
    if depth > 2:
        search(own, opponent, balance, -WORST, WORST, depth - 2, evaluator, memory)
    return np.int64(search(own, opponent, balance, -WORST, WORST, depth, evaluator, memory))
