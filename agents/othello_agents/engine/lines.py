"""Finds the values of all moves of a position, by searches to the same depth as the search for the best move."""

from __future__ import annotations

from othello_agents.engine.evaluator import Evaluator
from othello_agents.engine.memory import NODES, WORST, Memory
from othello_agents.engine.midgame import EXACT
from othello_agents.engine.searcher import Iteration, Searcher
from othello_agents.engine.team import Team
from othello_env.games.othello.position import Othello

__all__ = ["Lines"]

_SHALLOW = 2
"""Searches to this depth first give values by which the moves are sorted."""


class Lines:
    """Searches the moves of a position, one after another.

    Args:
        state: the position.
        found: the result of the search for the best move. All moves are searched to the depth of this search.
        evaluator: an evaluation for the board's size.
        memory: the transposition table and the other arrays that the searches use.
        team: the threads that search together; None for searches in the calling thread.
    """

    def __init__(
        self, state: Othello, found: Iteration, evaluator: Evaluator, memory: Memory, team: Team | None
    ) -> None:
        self._state = state
        self._found = found
        self._evaluator = evaluator
        self._memory = memory
        self._team = team
        self._depth = EXACT if found.exact else found.depth - 1

    def values(self) -> dict[int, int]:
        """The value of every legal action. If the search is stopped, the actions that were not searched are missing."""
        values = {action: self._value(action, self._depth) for action in self._state.legal_actions()}
        return {action: value for action, value in values.items() if value is not None}

    def best(self, count: int) -> list[tuple[int, tuple[int, ...], int]]:
        """The `count` best actions, in order from the best: for each, its value, expected line and number of nodes.

        The first action's number of nodes is that of the search for the best move. Every other action has a search of
        its own. This search ends as soon as it is clear that `count` other actions are at least as good. If a search is
        stopped, the list may be shorter.
        """
        found = self._found
        nodes = self._nodes
        lines = [(found.value, self._line(found.best, found.value), nodes)]
        if count == 1:
            return lines
        others = {
            action: self._value(action, min(self._depth, _SHALLOW)) or 0
            for action in self._state.legal_actions()
            if action != found.best
        }
        for action in sorted(others, key=lambda action: -others[action]):
            least = lines[count - 1][0] if len(lines) >= count else -int(WORST)
            before = self._nodes
            value = self._value(action, self._depth, least)
            if value is None:
                break
            if value > least:
                nodes = self._nodes - before
                lines.append((value, self._line(action, value), nodes))
                lines[1:] = sorted(lines[1:], key=lambda line: -line[0])[: count - 1]
        return lines[:count]

    @property
    def _nodes(self) -> int:
        """The number of positions visited so far, in all searches of the analysis."""
        return int(self._memory.control[NODES])

    def _line(self, action: int, value: int) -> tuple[int, ...]:
        if self._found.result_only:
            return (action,)
        return self._searcher(self._state).line(action, value, self._found.depth, exact=self._found.exact)

    def _searcher(self, state: Othello) -> Searcher:
        return Searcher(state, self._evaluator, self._memory, self._team)

    def _value(self, action: int, depth: int, least: int = -int(WORST)) -> int | None:
        """The value of an action; None if the search was stopped.

        A returned number greater than `least` is the exact value. Any other number is only an upper bound of the value.
        If the search for the best move found only the winner, only the sign of the number is exact.
        """
        after = self._searcher(self._state.play(action))
        if self._found.result_only and depth == EXACT:
            value = after.value(depth, -1, 1)
        else:
            value = after.value(depth, beta=-least)
        return None if value is None else -value
