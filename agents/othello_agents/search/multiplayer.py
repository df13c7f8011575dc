"""Searches for any number of players: max^n, where each plays for itself, and paranoid, where all play against one."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, NamedTuple

from othello_agents.evaluations import Evaluate, count, evaluation_name, find_evaluation
from othello_agents.search.textbook import check_depth
from othello_env.agent import Agent, option_text
from othello_env.games.game import State

__all__ = ["MaxN", "MaxNFound", "Paranoid", "ParanoidFound", "maxn", "paranoid"]

_DECIDED = 1e9
"""What a finished game's result counts: more than any evaluation. Finite, so that a shared win is worth less."""


class MaxNFound(NamedTuple):
    """What a max^n search found out."""

    values: tuple[float, ...]
    """For each player."""
    action: int
    """The first best action; -1 where none was searched."""
    nodes: int


class ParanoidFound(NamedTuple):
    """What a paranoid search found out."""

    value: float
    """For the player that searches."""
    action: int
    nodes: int


def _values(state: State, evaluate: Evaluate) -> tuple[float, ...]:
    if state.is_over:
        return tuple(_DECIDED * result for result in state.returns())
    return tuple(evaluate(state, player) for player in range(state.num_players))


def maxn(state: State, depth: int, evaluate: Evaluate) -> MaxNFound:
    """The values of a position if each player plays best for itself (Luckhardt and Irani, 1986).

    A finished game counts its returns, beyond any evaluation. The first best action in ascending order is played.
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
) -> ParanoidFound:
    """The value of a position for a player if all others play only against it (Sturtevant and Korf, 2000).

    That is a game of two sides, so alpha-beta prunes it: the value is exact if it lies between alpha and beta, what
    each side is sure of elsewhere.
    """
    if depth == 0 or state.is_over:
        value = _DECIDED * state.returns()[player] if state.is_over else evaluate(state, player)
        return ParanoidFound(value, -1, 1)
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
    return ParanoidFound(alpha if mine else beta, best_action, nodes)


def _shown(value: float) -> float:
    """A search's value, infinite if it is a finished game's result."""
    return math.copysign(math.inf, value) if abs(value) >= _DECIDED / 4 else value


class _Lookahead(Agent):
    """An agent that searches to a fixed depth and plays the first best action."""

    def __init__(self, depth: Any, evaluate: str | Evaluate) -> None:
        self._depth = check_depth(depth)
        self._evaluate = find_evaluation(evaluate)

    def __repr__(self) -> str:
        evaluation = option_text("eval", evaluation_name(self._evaluate))
        return f"{type(self).__name__.lower()}:depth={self._depth},{evaluation}"

    @abstractmethod
    def search(self, state: State) -> MaxNFound | ParanoidFound:
        """What the search finds in a position.

        Raises:
            ValueError: the game is over, or the evaluation is for another one.
        """

    @abstractmethod
    def _value(self, state: State, depth: int, player: int) -> float:
        """What a search of a position to a depth finds for a player."""

    def check_game(self, state: State) -> None:
        self._evaluate(state, state.to_move)

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        return self.search(state).action

    def action_values(self, state: State) -> dict[int, float]:
        """What the search finds each legal action worth to the player to move, in ascending order of actions.

        A line that ends the game counts +-infinity, a shared win as a win.

        Raises:
            ValueError: the game is over, or the evaluation is for another one.
        """
        self._check(state)
        return {
            action: _shown(self._value(state.play(action), self._depth - 1, state.to_move))
            for action in state.legal_actions()
        }

    def evaluate(self, state: State, player: int) -> float:
        """What a position is worth to a player by a search of it, with infinities as in `action_values`."""
        return _shown(self._value(state, self._depth, player))

    @staticmethod
    def _check(state: State) -> None:
        if state.is_over:
            raise ValueError(f"there is nothing to search, the game is over:\n{state}")


class MaxN(_Lookahead):
    """Plays the first best action of a max^n search of a game of any number of players.

    Args:
        depth: of the search, in plies.
        eval: what names an evaluation (see `find_evaluation`), or a function of a state and a player.

    Raises:
        ValueError: the depth is less than 1, or there is no such evaluation.
        TypeError: the depth is no integer, or the evaluation no function.
    """

    def __init__(self, depth: int = 2, eval: str | Evaluate = count) -> None:  # noqa: A002 - the option of the spec
        super().__init__(depth, eval)

    def search(self, state: State) -> MaxNFound:
        self._check(state)
        return maxn(state, self._depth, self._evaluate)

    def _value(self, state: State, depth: int, player: int) -> float:
        return maxn(state, depth, self._evaluate).values[player]


class Paranoid(_Lookahead):
    """Plays the first best action of a paranoid search of a game of any number of players.

    Args:
        depth: of the search, in plies.
        eval: what names an evaluation (see `find_evaluation`), or a function of a state and a player.

    Raises:
        ValueError: the depth is less than 1, or there is no such evaluation.
        TypeError: the depth is no integer, or the evaluation no function.
    """

    def __init__(self, depth: int = 3, eval: str | Evaluate = count) -> None:  # noqa: A002 - the option of the spec
        super().__init__(depth, eval)

    def search(self, state: State) -> ParanoidFound:
        self._check(state)
        return paranoid(state, self._depth, self._evaluate, state.to_move)

    def _value(self, state: State, depth: int, player: int) -> float:
        return paranoid(state, depth, self._evaluate, player).value
