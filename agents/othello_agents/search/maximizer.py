"""The agent that looks one move ahead."""

from othello_agents.evaluations import Evaluate, standard
from othello_agents.search import kernels as search_kernels
from othello_agents.search.textbook import Found, Search
from othello_env.games.game import State
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import OthelloBatch

__all__ = ["Maximizer", "maximize"]


def maximize(state: State, evaluate: Evaluate) -> Found:
    """The action after which the position is worth most to the player who moved; any number of players."""
    values = _values(state, evaluate)
    best = max(values, key=values.__getitem__)
    return Found(values[best], best, len(values))


def _values(state: State, evaluate: Evaluate) -> dict[int, float]:
    return {action: evaluate(state.play(action), state.to_move) for action in state.legal_actions()}


class Maximizer(Search):
    """Plays the action after which the position is worth most to itself.

    Args:
        eval: what names an evaluation (see `find_evaluation`), or a function of a state and a player.

    Raises:
        ValueError: there is no such evaluation.
        TypeError: it is no function.
    """

    def __init__(self, eval: str | Evaluate = standard) -> None:  # noqa: A002 - the option of the spec
        super().__init__(eval)

    def _search_state(self, state: State) -> Found:
        return maximize(state, self._evaluation(state))

    def _search_batch(self, batch: OthelloBatch, evaluation: int) -> search_kernels.FoundBatch:
        board = bitboard.BOARDS[batch.size]
        return search_kernels.maximizer_batch(batch.own, batch.opponent, board, batch.size, evaluation)

    def action_values(self, state: State) -> dict[int, float]:
        self._check(state)
        return _values(state, self._evaluation(state))
