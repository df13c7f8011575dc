"""Finds the exact scores of 4x4 and 6x6 positions: 4x4 by a table of all positions, 6x6 by search.

The exact score is the final difference in discs if both sides play perfectly. The winner also gets the empty squares.

The search of 6x6, `solve_deep`, is quick with 14 to 31 empty squares. Like the engine's search to the end of the game,
it is a principal variation search with a transposition table. But it sorts the moves in another way. It gives the
number of the opponent's replies a greater weight. It also sorts by the values of shallow searches, as the engine's
search does. With 25 empty squares or more, these searches are deeper than the engine's. Near the end of the game, the
engine's solver takes over, with the same transposition table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from othello_agents.engine.evaluator import LOGIT, Evaluator, follow, ntuple_evaluator, set_root, turn_over
from othello_agents.engine.memory import (
    BEST,
    LIMIT,
    NO_LIMIT,
    NO_SQUARE,
    NODES,
    ROOT,
    WORST,
    Memory,
    clear,
    known_window,
    new_memory,
    position_key,
    store_value,
)
from othello_agents.engine.midgame import search
from othello_agents.engine.moves import known_refutation, legal_moves, list_moves, listed_move, next_move, score_bound
from othello_agents.engine.searcher import run
from othello_agents.engine.solver import solve
from othello_agents.ntuple import shipped_network
from othello_env.games.othello.bitboard import ACTION_SQUARES, final_margin, popcount
from othello_env.games.othello.position import Othello
from othello_env.support.jit import Int, kernel

__all__ = ["MOBILITY", "SOLVER", "SORTING", "Solver", "score_4x4", "solve_deep"]

_Scores = dict[tuple[int, int], int]


@cache
def _solved_4x4() -> _Scores:
    """The exact score for the player to move in every position that can arise from the start, finished games included.

    The keys are pairs: the discs of the player to move and the discs of the opponent. The first call takes about a
    second: it follows every line of play to its end, and solves each position once.
    """
    scores: _Scores = {}
    _solve(Othello(4), scores)
    return scores


def score_4x4(state: Othello) -> int:
    """The exact score of a 4x4 position for the player to move, even if the position cannot arise from the start."""
    return _solve(state, _solved_4x4())


def _solve(state: Othello, scores: _Scores) -> int:
    key = state.own, state.opponent
    if key not in scores:
        if state.is_over:
            scores[key] = int(state.margins()[state.to_move])
        else:
            scores[key] = max(-_solve(state.play(action), scores) for action in state.legal_actions())
    return scores[key]


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


_SIZE = 6
_QUICK = 16
"""With at most this number of empty squares, a search takes milliseconds, so it runs in the calling thread."""
_GUESSING, _GUESSED_DEPTH, _DISCS_A_LOGIT = 14, 6, 23.6
"""With at least `_GUESSING` empty squares, the score is first guessed by a search to the depth `_GUESSED_DEPTH`. The
value that the search finds is a logit of the n-tuple network. The guess is this logit times `_DISCS_A_LOGIT`, a factor
that was fitted by least squares to 123 positions with 24 to 30 empty squares. The root mean square error of the guesses
is 3.6 discs. The three numbers affect only the speed, not the exact scores."""
_NEAR = 4
"""If the caller's guess and the guess of the shallow search differ by at most this number of discs, the caller's guess
is used. Otherwise the guess of the shallow search is used."""


class Solver:
    """Solves 6x6 positions. Only one search at a time may use a solver.

    Args:
        megabytes: the size of the transposition table in MiB.
    """

    def __init__(self, megabytes: int) -> None:
        self._memory = new_memory(megabytes)
        self._evaluator = ntuple_evaluator(shipped_network(_SIZE).tables)
        clear(self._memory)

    def forget(self) -> None:
        """Empty the transposition table, so that the next search does not depend on earlier searches."""
        clear(self._memory)

    def solve(
        self, state: Othello, *, guess: int = 0, progress: Callable[[int], object] | None = None
    ) -> tuple[int, int]:
        """The exact score for the player to move, in discs, and a best action.

        Args:
            state: a 6x6 position. The player to move must have a legal move other than a pass.
            guess: the expected score, an even number. A good guess makes the search quicker. A wrong guess does not
                change the score.
            progress: a function that is called a few times a second with the number of nodes visited so far.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        self._begin(state)
        if state.empties <= _QUICK:
            return self._narrow_down(state, guess)
        return run(lambda: self._narrow_down(state, guess), self._memory, progress=progress)

    def score(self, state: Othello, *, guess: int = 0) -> int:
        """The exact score for the player to move, also if the game is over or the player must pass."""
        if state.is_over:
            return int(state.margins()[state.to_move])
        if state.must_pass:
            return -self.score(state.play(state.pass_action), guess=-guess)
        return self.solve(state, guess=guess)[0]

    @property
    def nodes(self) -> int:
        """The number of positions that the last `solve` visited."""
        return int(self._memory.control[NODES])

    def _begin(self, state: Othello) -> None:
        """Prepare a search of a position."""
        control = self._memory.control
        control[NODES], control[LIMIT], control[ROOT] = 0, NO_LIMIT, state.empties

    def _narrow_down(self, state: Othello, guess: int) -> tuple[int, int]:
        """Search with one alpha-beta window after another until the score lies inside a window.

        The first window goes from 1 below the guess to 1 above it. All scores on 6x6 are even, so only the guess lies
        inside. If the score lies outside a window, the next window begins at the bound that the search found. Each
        window is wider than the one before.
        """
        if self._memory.control[ROOT] >= _GUESSING:
            guess = self._guess(state, guess)
        alpha, beta, step = guess - 1, guess + 1, 2
        while True:
            value = self._search(state, alpha, beta)
            if alpha < value < beta or self._stopped:
                return value, ACTION_SQUARES[_SIZE].index(int(self._memory.control[BEST]))
            if value >= beta:  # the score is at least `value`
                alpha, beta = value - 1, value + step
            else:
                alpha, beta = value - step, value + 1
            step *= 2

    def _guess(self, state: Othello, given: int) -> int:
        """The guess with which the search for the score begins.

        A shallow search makes a guess, too. If `given` differs from this guess by at most `_NEAR` discs, `given` is
        returned. Otherwise the guess of the shallow search is returned.
        """
        own, opponent, empty = np.uint64(state.own), np.uint64(state.opponent), self._memory.control[ROOT]
        worst, zero, depth = np.int64(WORST), np.int64(0), np.int64(_GUESSED_DEPTH)
        set_root(own, opponent, empty, self._evaluator)
        value = search(own, opponent, zero, -worst, worst, depth, self._evaluator, self._memory)
        guess = 2 * round(_DISCS_A_LOGIT * value / LOGIT / 2)
        guess = max(-(_SIZE**2), min(_SIZE**2, guess))
        return given if abs(guess - given) <= _NEAR else guess

    @property
    def _stopped(self) -> bool:
        return bool(self._memory.control[NODES] >= self._memory.control[LIMIT])

    def _search(self, state: Othello, alpha: int, beta: int) -> int:
        own, opponent = np.uint64(state.own), np.uint64(state.opponent)
        set_root(own, opponent, self._memory.control[ROOT], self._evaluator)
        return int(solve_deep(own, opponent, np.int64(alpha), np.int64(beta), self._evaluator, self._memory, SORTING))
