"""The maximizer looks one move ahead."""

from othello_agents.evaluations import Evaluate, standard
from othello_agents.search.base import CompiledSearch, Found
from othello_agents.search.kernels import MAXIMIZER
from othello_env.games.game import State

__all__ = ["Maximizer", "maximize"]


def maximize(state: State, evaluate: Evaluate) -> Found:
    """Find the first of the actions that lead to the highest value for the player who moves."""
    values = {action: evaluate(state.play(action), state.to_move) for action in state.legal_actions()}
    best = max(values, key=values.__getitem__)
    return Found(values[best], best, len(values))


class Maximizer(CompiledSearch):
    """Looks one move ahead: plays the action that leads to the highest value for the player who moves.

    Of equally good actions, it plays the first. The game may have any number of players.

    Args:
        eval: the name of an evaluation (see `find_evaluation`), or a function of a state and a player.

    Raises:
        ValueError: `eval` names no evaluation.
        TypeError: the evaluation is not a function.
    """

    method = MAXIMIZER

    def __init__(self, eval: str | Evaluate = standard) -> None:  # noqa: A002 - users write `eval=`
        super().__init__(1, eval)

    @staticmethod
    def python(state: State, depth: int, evaluate: Evaluate) -> Found:
        """Call `maximize`. The depth is not used, since the maximizer always looks one move ahead."""
        return maximize(state, evaluate)

    def _value(self, state: State, depth: int, player: int, evaluate: Evaluate) -> float:
        return evaluate(state, player)  # no search: `state` is already the position after the move

    def _options(self) -> dict[str, object]:
        return {"eval": super()._options()["eval"]}
