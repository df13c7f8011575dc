"""Alpha-beta finds the same result as minimax, but skips the lines of play that cannot change this result."""

import math

from othello_agents.evaluations import Evaluate, Evaluation, standard
from othello_agents.search import checkers
from othello_agents.search.base import DepthSearch, Found, final_value
from othello_agents.search.kernels import ALPHABETA
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import State

__all__ = ["AlphaBeta", "alphabeta"]


def alphabeta(state: State, depth: int, evaluate: Evaluate, alpha: float = -math.inf, beta: float = math.inf) -> Found:
    """Find the same value as `minimax` if this value lies between alpha and beta; otherwise find a bound on the value.

    Alpha and beta come from lines that the search has already finished. In these lines, the player to move can get at
    least alpha, and the other side can make sure that this player gets at most beta. If the value of a position reaches
    beta, the other side will avoid the position. So the search leaves it.
    """
    if depth == 0:
        return Found(evaluate(state, state.to_move), -1, 1)
    if state.is_over:
        return Found(final_value(state), -1, 1)
    actions = state.legal_actions()
    best_action, nodes = actions[0], 1
    for action in actions:
        child = state.play(action)
        if child.to_move == state.to_move:  # the same player continues a chain of captures
            value, _, below = alphabeta(child, depth - 1, evaluate, alpha, beta)
        else:
            value, _, below = alphabeta(child, depth - 1, evaluate, -beta, -alpha)
            value = -value
        nodes += below
        if value > alpha:
            alpha, best_action = value, action
        if alpha >= beta:
            break
    return Found(alpha, best_action, nodes)


class AlphaBeta(DepthSearch):
    """Plays the first best action that alpha-beta finds in a two-player game. Minimax plays the same action.

    In Othello, the search is compiled for the evaluations that `kernels.compiled_sum` knows. In checkers, it is
    compiled for the evaluations that are sums over pieces.

    Args:
        depth: the depth of the search in plies.
        eval: the name of an evaluation (see `find_evaluation`), or a function of a state and a player.

    Raises:
        ValueError: the depth is out of range, or `eval` names no evaluation.
        TypeError: the depth is not an integer, or the evaluation is not a function.
    """

    python = staticmethod(alphabeta)
    method = ALPHABETA

    def __init__(self, depth: int = 4, eval: str | Evaluate = standard) -> None:  # noqa: A002 - users write `eval=`
        super().__init__(depth, eval)

    def _search(self, state: State, depth: int, evaluate: Evaluate) -> Found:
        pieces = self._evaluate.pieces if isinstance(self._evaluate, Evaluation) else None
        if pieces is not None and type(state) is Checkers:
            return Found(*checkers.search(state, depth, pieces))
        return super()._search(state, depth, evaluate)
