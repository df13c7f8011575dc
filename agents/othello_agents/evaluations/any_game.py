"""Evaluations for any game."""

from othello_agents.evaluations.checkers import positional
from othello_agents.evaluations.description import ONLY_MOVES, SquareSum, evaluation
from othello_agents.evaluations.othello import weighted
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import State
from othello_env.games.othello.position import Othello

__all__ = ["count", "mobility", "standard"]

_ONES = ((1,) * 4,) * 4


def _one(_size: int, _row: int, _column: int, _is_king: bool) -> int:
    return 1


@evaluation(squares=SquareSum(_ONES), pieces=_one)
def count(state: State, player: int) -> int:
    """The player's number of discs, cells or pieces, minus the largest number that one of the other players has."""
    scores = state.scores()
    return scores[player] - max(score for other, score in enumerate(scores) if other != player)


@evaluation(squares=SquareSum(_ONES, ONLY_MOVES))
def mobility(state: State, player: int) -> int:
    """The number of moves that the player would have if it were the player's turn. A pass does not count."""
    return state.mobility(player)


@evaluation(squares=weighted.squares, pieces=positional.pieces)
def standard(state: State, player: int) -> float:
    """`weighted` in Othello, `positional` in checkers, `count` in any other game."""
    if isinstance(state, Othello):
        return weighted.function(state, player)
    return (positional if isinstance(state, Checkers) else count).function(state, player)
