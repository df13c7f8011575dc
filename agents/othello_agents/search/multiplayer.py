"""Searches for any number of players.

In max^n, each player plays for itself. In paranoid search, one player assumes that all others play against it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from othello_agents.evaluations import Evaluate, count
from othello_agents.search.base import Found, Search
from othello_env.games.game import State

__all__ = ["MaxN", "MaxNFound", "Paranoid", "maxn", "paranoid"]

_DECIDED = 1e9
"""The value of a finished game for a player is this number times the player's result. So a win is worth more than any
evaluation. If the number were infinite, a shared win (such as +1/4) would be worth as much as a sole win (+1)."""


class MaxNFound(NamedTuple):
    """The result of a max^n search."""

    values: tuple[float, ...]
    """The value for each player."""
    action: int
    """The first best action; -1 if no action was searched."""
    nodes: int


def _values(state: State, evaluate: Evaluate) -> tuple[float, ...]:
    if state.is_over:
        return tuple(_DECIDED * result for result in state.returns())
    return tuple(evaluate(state, player) for player in range(state.num_players))


def maxn(state: State, depth: int, evaluate: Evaluate) -> MaxNFound:
    """Find the values of a position if each player plays best for itself (Luckhardt and Irani, 1986).

    The values of a finished game are its returns times `_DECIDED`. Of equally good actions, each player plays the
    action with the lowest number.
    """
    if depth == 0 or state.is_over:
        return MaxNFound(_values(state, evaluate), -1, 1)
    best: tuple[float, ...] | None = None
    best_action, nodes = -1, 1
    for action in state.legal_actions():
        values, _, below = maxn(state.play(action), depth - 1, evaluate)
        nodes += below
        if best is None or values[state.to_move] > best[state.to_move]:
            best, best_action = values, action
    assert best is not None
    return MaxNFound(best, best_action, nodes)


def paranoid(
    state: State, depth: int, evaluate: Evaluate, player: int, alpha: float = -math.inf, beta: float = math.inf
) -> Found:
    """Find a position's value for `player` if all others play against `player` (Sturtevant and Korf, 2000).

    There are then only two sides, `player` and all others, so the search can use alpha-beta. The value is exact if it
    lies between alpha and beta; otherwise it is a bound.
    """
    if depth == 0 or state.is_over:
        value = _DECIDED * state.returns()[player] if state.is_over else evaluate(state, player)
        return Found(value, -1, 1)
    mine = state.to_move == player
    actions = state.legal_actions()
    best_action, nodes = actions[0], 1
    for action in actions:
        value, _, below = paranoid(state.play(action), depth - 1, evaluate, player, alpha, beta)
        nodes += below
        if mine and value > alpha:
            alpha, best_action = value, action
        elif not mine and value < beta:
            beta, best_action = value, action
        if alpha >= beta:
            break
    return Found(alpha if mine else beta, best_action, nodes)


class _ManyPlayerSearch(Search):
    """The base class of the searches for any number of players. They are not compiled."""

    def evaluate(self, state: State, player: int) -> float:
        """Search a position and return its value for a player.

        If the expected line of play ends the game, the value is +-infinity, or 0 for a draw.
        """
        return self._value(state, self._depth, player, self._evaluate)

    def _at_root(self, state: State) -> Evaluate:
        return self._evaluate  # max^n and paranoid do not adapt the evaluation to the root of the search


def _shown(value: float) -> float:
    """The value of a search as users see it: +infinity for a won game, and -infinity for a lost game.

    A shared win gives +infinity, too, although the agent prefers to win alone. Draws and evaluations are not changed.
    """
    return math.copysign(math.inf, value) if abs(value) >= _DECIDED / 4 else value


class MaxN(_ManyPlayerSearch):
    """Searches a game of any number of players by max^n, and plays the first best action.

    Args:
        depth: the depth of the search in plies.
        eval: the name of an evaluation (see `find_evaluation`), or a function of a state and a player.

    Raises:
        ValueError: the depth is out of range, or `eval` names no evaluation.
        TypeError: the depth is not an integer, or the evaluation is not a function.
    """

    def __init__(self, depth: int = 2, eval: str | Evaluate = count) -> None:  # noqa: A002 - users write `eval=`
        super().__init__(depth, eval)

    def search(self, state: State) -> MaxNFound:
        self._check(state)
        return maxn(state, self._depth, self._evaluate)

    def _value(self, state: State, depth: int, player: int, evaluate: Evaluate) -> float:
        return _shown(maxn(state, depth, evaluate).values[player])


class Paranoid(_ManyPlayerSearch):
    """Searches a game of any number of players by paranoid search, and plays the first best action.

    Args:
        depth: the depth of the search in plies.
        eval: the name of an evaluation (see `find_evaluation`), or a function of a state and a player.

    Raises:
        ValueError: the depth is out of range, or `eval` names no evaluation.
        TypeError: the depth is not an integer, or the evaluation is not a function.
    """

    def __init__(self, depth: int = 3, eval: str | Evaluate = count) -> None:  # noqa: A002 - users write `eval=`
        super().__init__(depth, eval)

    def search(self, state: State) -> Found:
        self._check(state)
        return paranoid(state, self._depth, self._evaluate, state.to_move)

    def _value(self, state: State, depth: int, player: int, evaluate: Evaluate) -> float:
        return _shown(paranoid(state, depth, evaluate, player).value)
