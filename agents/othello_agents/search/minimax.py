"""Minimax searches every line of play to a fixed depth."""

import math

from othello_agents.evaluations import Evaluate, standard
from othello_agents.search.base import DepthSearch, Found, final_value
from othello_agents.search.kernels import MINIMAX
from othello_env.games.game import State

__all__ = ["Minimax", "minimax"]


def minimax(state: State, depth: int, evaluate: Evaluate) -> Found:
    """Find the value of a position: the evaluation after `depth` plies if both sides play as well as possible."""
    if depth == 0:
        return Found(evaluate(state, state.to_move), -1, 1)
    if state.is_over:
        return Found(final_value(state), -1, 1)
    actions = state.legal_actions()
    best_value, best_action, nodes = -math.inf, actions[0], 1
    for action in actions:
        child = state.play(action)
        value, _, below = minimax(child, depth - 1, evaluate)
        if child.to_move != state.to_move:  # otherwise the same player continues a chain of captures
            value = -value
        nodes += below
        if value > best_value:
            best_value, best_action = value, action
    return Found(best_value, best_action, nodes)


class Minimax(DepthSearch):
    """Searches all lines of a two-player game to a fixed depth, and plays the first best action.

    Args:
        depth: the depth of the search in plies.
        eval: the name of an evaluation (see `find_evaluation`), or a function of a state and a player.

    Raises:
        ValueError: the depth is out of range, or `eval` names no evaluation.
        TypeError: the depth is not an integer, or the evaluation is not a function.
    """

    python = staticmethod(minimax)
    method = MINIMAX

    def __init__(self, depth: int = 3, eval: str | Evaluate = standard) -> None:  # noqa: A002 - users write `eval=`
        super().__init__(depth, eval)
