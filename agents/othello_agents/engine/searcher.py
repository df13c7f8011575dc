"""Searches of one position with one evaluation: iterative deepening, aspiration windows, and lines of play."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from othello_agents.engine.evaluator import Evaluator, set_root
from othello_agents.engine.memory import (
    BEST,
    LIMIT,
    NO_LIMIT,
    NO_SQUARE,
    NODES,
    ROOT,
    WORST,
    Memory,
    best_square,
    look_up,
    position_key,
)
from othello_agents.engine.midgame import EXACT, search, table_key
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello
from othello_env.support.jit import Int

__all__ = ["Iteration", "Searcher", "run"]

_WAIT_SECONDS = 0.2

_T = TypeVar("_T")


def run(
    search: Callable[[], _T],
    memory: Memory,
    seconds: float | None = None,
    progress: Callable[[int], object] | None = None,
) -> _T:
    """Call `search` in another thread and return its result.

    After `seconds` or Ctrl-C, the calling thread sets the limit of nodes in `memory` to 0, which ends the search. The
    compiled search releases Python's global interpreter lock. So the calling thread can check the time and notice
    Ctrl-C during the search. `progress` is called a few times a second with the number of nodes visited so far.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the search has ended.
    """
    answers: list[_T] = []
    errors: list[BaseException] = []
    has_ended = threading.Event()  # needed because `is_alive` may be False too early after an interrupt of `join`

    def work() -> None:
        try:
            answers.append(search())
        except BaseException as error:  # raised again in the calling thread
            errors.append(error)
        finally:
            has_ended.set()

    thread = threading.Thread(target=work, name="othello-engine", daemon=True)
    end = None if seconds is None else time.perf_counter() + seconds
    thread.start()
    try:
        while not has_ended.is_set():
            left = _WAIT_SECONDS if end is None else min(_WAIT_SECONDS, end - time.perf_counter())
            if left <= 0:
                break
            has_ended.wait(left)
            if progress is not None:
                progress(int(memory.control[NODES]))
    finally:
        if not has_ended.is_set():
            memory.control[LIMIT] = 0
            has_ended.wait()
    if errors:
        raise errors[0]
    return answers[0]


_ASPIRATION = 300
"""From the second iteration on, the search begins with a window: the previous iteration's value plus or minus this
number. If the new value lies above the window, the search is repeated without an upper limit. If it lies below the
window, the search is repeated without a lower limit. A search to the end has no such window."""
_FIRST_EXACT = 14
"""With this number of empty squares or more, shallower searches come before a search to the end. They find good moves,
which the search to the end tries first."""
_LIMITED_DEPTH = 6
"""With a limit of nodes, searches up to this depth come before every search to the end. If the search to the end
reaches the limit, the result of the deepest of these earlier searches is used."""

_SHALLOW = 2
"""Searches to this depth first give values by which the moves are sorted."""


@dataclass(frozen=True)
class Iteration:
    """The result of a finished search to one depth.

    Attributes:
        value: the value for the player to move, in the form that `midgame.search` returns.
        best: the best action.
        depth: the depth of the search in plies. If the search went to the end, the depth is the number of empty
            squares.
        exact: whether the search went to the end.
        result_only: whether only the sign of the value is known. The sign says who wins.
    """

    value: int
    best: int
    depth: int
    exact: bool
    result_only: bool = False


class Searcher:
    """Searches one position. The player to move must have a legal move other than a pass.

    Args:
        state: the position.
        evaluator: an evaluation for the board's size.
        memory: the transposition table, move lists and counters. No other search may use them at the same time.
    """

    def __init__(self, state: Othello, evaluator: Evaluator, memory: Memory) -> None:
        self._state = state
        self._evaluator = evaluator
        self._memory = memory
        self.empty = state.empties
        self._found: Iteration | None = None

    @property
    def found(self) -> Iteration:
        """The result of the last finished search."""
        assert self._found is not None, "start comes first"
        return self._found

    def start(self) -> None:
        """Search to depth 1 without the limit of nodes. Then a best move is known, and all code is compiled.

        Another thread may set the limit of nodes in the searcher's memory to 0, in order to stop the agent. The search
        to depth 1 still finishes, because it has its own copy of the limit. The next search ends at once.
        """
        memory, control = self._memory, self._memory.control.copy()
        control[LIMIT] = NO_LIMIT
        self._memory = memory._replace(control=control)
        self._iterate(1)
        self._memory = memory
        memory.control[NODES] = control[NODES]

    def deepen(self, depth: int, exact: int, result: int = 0, *, timed: bool = False) -> None:
        """Search to `depth` within the limit of nodes, after shallower searches. `timed`: the time is limited, too.

        If at most `exact` squares are empty, search to the end instead. Shallower searches may come before the search
        to the end (see `_FIRST_EXACT` and `_LIMITED_DEPTH`). If more than `exact` but at most `result` squares are
        empty, search to the end for the winner, and if the time is limited, after that for the exact score. After the
        call, `found` is the result of the last finished search.
        """
        to_end = self.empty <= max(exact, result)
        most = 2 * self.empty  # for each empty square, at most a move and a pass
        if not to_end:
            depth = min(depth, most)
        elif self.empty > exact:  # if all moves lose, the search before the last one chooses
            depth = max(self._preparation(timed=timed), min(depth, _LIMITED_DEPTH))
        else:
            depth = self._preparation(timed=timed)
        if not self._iterate_to(depth):
            return
        if to_end and self.empty > exact:
            value = self._find_winner()
            if value and timed:
                self._find_exact(value)
        elif to_end:
            self._iterate(EXACT)

    def _find_winner(self) -> int | None:
        """Search to the end for the winner. Returns a value of which only the sign is known; None if stopped.

        If all moves lose, the best move stays that of the search before.
        """
        before, value = self.found.best, self.value(EXACT, -1, 1)
        if value is not None:
            self._finish(value, EXACT, result_only=value != 0)
            if value < 0:
                self._found = replace(self.found, best=before)
        return value

    def _find_exact(self, bound: int) -> None:
        """Search for the exact score. Its sign is already known: it is the sign of `bound`."""
        value = self.value(EXACT, alpha=np.int64(0)) if bound > 0 else self.value(EXACT, beta=np.int64(0))
        if value is not None:
            self._finish(value, EXACT)

    def _preparation(self, *, timed: bool) -> int:
        """The greatest depth of the searches that come before a search to the end."""
        if self.empty >= _FIRST_EXACT:
            return self.empty - 8
        unlimited = self._memory.control[LIMIT] == NO_LIMIT and not timed
        return 1 if unlimited else min(_LIMITED_DEPTH, self.empty)

    def value(self, depth: int, alpha: Int = -WORST, beta: Int = WORST) -> int | None:
        """The value of the position from a search to `depth`; None if the search was stopped.

        The value is exact if it lies between alpha and beta. Otherwise it is only a bound.
        """
        value = self._search(alpha, beta, depth)
        return None if self._stopped else value

    def solve(self, *, result_only: bool) -> None:
        """Search to the end for the exact score, or with `result_only` only for the winner (the sign of the value)."""
        self._iterate_to(self._preparation(timed=False))
        if not result_only:
            self._iterate(EXACT)
            return
        value = self.value(EXACT, -1, 1)
        if value is not None:
            self._finish(value, EXACT, result_only=True)

    @property
    def _stopped(self) -> bool:
        control = self._memory.control
        return bool(control[NODES] >= control[LIMIT])

    def _iterate_to(self, depth: int) -> bool:
        """Search to the depths 2, 4, ... or 3, 5, ... `depth`. Return False if the limit of nodes was reached.

        Searches of odd and of even depths prefer different moves, so a search in between would cost more than it saves.
        """
        return all(self._iterate(plies) for plies in range(2 + depth % 2, depth + 1, 2))

    def _iterate(self, depth: int) -> bool:
        """Search to a depth and keep the result. If the limit of nodes was reached, keep nothing and return False."""
        alpha: Int = -WORST
        beta: Int = WORST
        if self._found is not None and depth < EXACT:
            alpha, beta = self._found.value - _ASPIRATION, self._found.value + _ASPIRATION
        value = self._search(alpha, beta, depth)
        if not self._stopped and not alpha < value < beta:
            value = self._search(-WORST, beta, depth) if value <= alpha else self._search(alpha, WORST, depth)
        if self._stopped:
            return False
        self._finish(value, depth)
        return True

    def _finish(self, value: int, depth: int, *, result_only: bool = False) -> None:
        exact = depth == EXACT
        best = self._action(int(self._memory.control[BEST]))
        self._found = Iteration(value, best, self.empty if exact else depth, exact, result_only)

    def _search(self, alpha: Int, beta: Int, depth: int) -> int:
        own, opponent = np.uint64(self._state.own), np.uint64(self._state.opponent)
        self._memory.control[ROOT] = self.empty
        balance = set_root(own, opponent, self.empty, self._evaluator)
        return int(search(own, opponent, balance, alpha, beta, depth, self._evaluator, self._memory))

    def _action(self, square: int) -> int:
        return bitboard.ACTION_SQUARES[self._state.size].index(square)

    def variation(self) -> tuple[int, ...]:
        """The principal variation.

        If the score is exact, the variation goes to the end of the game. If only the winner is known, the variation is
        only the best action. Otherwise the variation has as many actions as the depth of the search. It ends earlier
        if the transposition table has no best move for a position.
        """
        result = self.found
        if result.result_only:
            return (result.best,)
        return self.line(result.best, result.value, result.depth, exact=result.exact)

    def line(self, action: int, value: int, depth: int, *, exact: bool) -> tuple[int, ...]:
        """The expected line of play that begins with an action. If a search is stopped, the line may end early.

        Args:
            action: the first action.
            value: the value of this action, from a search to the end if `exact` is true, otherwise from a search to
                `depth`.
            depth: the maximum number of actions in the line, if the value is not exact.
            exact: whether the value is exact. If it is, the line goes to the end of the game.
        """
        state, actions = self._state.play(action), [action]
        if exact:
            while not state.is_over:
                value = -value
                confirmed = self._confirmed(state, value)
                if confirmed is None:
                    break
                actions.append(confirmed)
                state = state.play(confirmed)
            return tuple(actions)
        while not state.is_over and len(actions) < depth:
            square = self._remembered(state)
            if state.must_pass:
                actions.append(state.pass_action)
            elif state.legal_bits >> square & 1:
                actions.append(self._action(square))
            else:
                break
            state = state.play(actions[-1])
        return tuple(actions)

    def values(self) -> dict[int, int]:
        """The value of every legal action, from searches to the depth of `found`.

        If the search is stopped, the actions that were not searched are missing.
        """
        values = {action: self._value_of(action, self._depth_below) for action in self._state.legal_actions()}
        return {action: value for action, value in values.items() if value is not None}

    def best_lines(self, count: int) -> list[tuple[int, tuple[int, ...], int]]:
        """The `count` best actions, in order from the best: for each, its value, expected line and number of nodes.

        The first action's number of nodes is that of the search for the best move. Every other action has a search of
        its own, to the depth of `found`. This search ends as soon as it is clear that `count` other actions are at
        least as good. If a search is stopped, the list may be shorter.
        """
        result, control = self.found, self._memory.control
        nodes = int(control[NODES])
        lines = [(result.value, self.variation(), nodes)]
        if count == 1:
            return lines
        others = {
            action: self._value_of(action, min(self._depth_below, _SHALLOW)) or 0
            for action in self._state.legal_actions()
            if action != result.best
        }
        for action in sorted(others, key=lambda action: -others[action]):
            least = lines[count - 1][0] if len(lines) >= count else -int(WORST)
            before = int(control[NODES])
            value = self._value_of(action, self._depth_below, least)
            if value is None:
                break
            if value > least:
                nodes = int(control[NODES]) - before
                line = (action,) if result.result_only else self.line(action, value, result.depth, exact=result.exact)
                lines.append((value, line, nodes))
                lines[1:] = sorted(lines[1:], key=lambda line: -line[0])[: count - 1]
        return lines[:count]

    @property
    def _depth_below(self) -> int:
        """The depth of a search after a move, for a value that is comparable with that of `found`."""
        return EXACT if self.found.exact else self.found.depth - 1

    def _value_of(self, action: int, depth: int, least: int = -int(WORST)) -> int | None:
        """The value of an action; None if the search was stopped.

        A returned number greater than `least` is the exact value. Any other number is only an upper bound of the value.
        If the search for the best move found only the winner, only the sign of the number is exact.
        """
        after = self._after(self._state.play(action))
        if self.found.result_only and depth == EXACT:
            value = after.value(depth, -1, 1)
        else:
            value = after.value(depth, beta=-least)
        return None if value is None else -value

    def _after(self, state: Othello) -> Searcher:
        return Searcher(state, self._evaluator, self._memory)

    def _confirmed(self, state: Othello, value: int) -> int | None:
        """An action that reaches the position's exact value; None if the search was stopped.

        The transposition table's best move is tried first. This move may be wrong, because the table may know only a
        bound on its value.
        """
        remembered = self._remembered(state)
        *others, last = sorted(
            state.legal_actions(),
            key=lambda action: action != state.pass_action and self._square(action) == remembered,
            reverse=True,
        )
        for action in others:
            reached = self._after(state.play(action)).value(EXACT, -value, -value + 1)
            if reached is None:
                return None
            if reached <= -value:
                return action
        return last

    def _square(self, action: int) -> int:
        return bitboard.ACTION_SQUARES[self._state.size][action]

    def _remembered(self, state: Othello) -> int:
        """The transposition table's best square in a position, or `NO_SQUARE` if the table has none."""
        own, opponent = np.uint64(state.own), np.uint64(state.opponent)
        for key in (table_key(own, opponent), position_key(own, opponent)):
            data = look_up(np.uint64(key), self._memory)
            if data:
                return int(best_square(data))
        return int(NO_SQUARE)
