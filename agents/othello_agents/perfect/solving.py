"""Finds the exact scores and best moves of 6x6 positions by search.

The exact score is the final difference in discs if both sides play perfectly. The winner also gets the empty squares.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from othello_agents.engine.evaluator import LOGIT, ntuple_evaluator, set_root
from othello_agents.engine.memory import BEST, LIMIT, NO_LIMIT, NODES, ROOT, WORST, clear, new_memory
from othello_agents.engine.midgame import search
from othello_agents.engine.running import run
from othello_agents.ntuple import shipped_network
from othello_agents.perfect.deep import SORTING, solve_deep
from othello_env.games.othello.bitboard import ACTION_SQUARES
from othello_env.games.othello.position import Othello

__all__ = ["Solver"]

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

    def is_score(self, state: Othello, score: int) -> bool:
        """Whether the exact score of a position is `score`. The test takes less time than a search for the score.

        `score` must be even. The player to move must have a legal move other than a pass.
        """
        self._begin(state)
        return run(lambda: self._search(state, score - 1, score + 1), self._memory) == score

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
        found = 2 * round(_DISCS_A_LOGIT * value / LOGIT / 2)
        found = max(-(_SIZE**2), min(_SIZE**2, found))
        return given if abs(found - given) <= _NEAR else found

    @property
    def _stopped(self) -> bool:
        return bool(self._memory.control[NODES] >= self._memory.control[LIMIT])

    def _search(self, state: Othello, alpha: int, beta: int) -> int:
        own, opponent = np.uint64(state.own), np.uint64(state.opponent)
        set_root(own, opponent, self._memory.control[ROOT], self._evaluator)
        return int(solve_deep(own, opponent, np.int64(alpha), np.int64(beta), self._evaluator, self._memory, SORTING))
