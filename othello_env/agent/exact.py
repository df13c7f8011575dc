"""Exact scores of positions of Othello, from the agents that find them: ``engine``, and ``perfect`` on small boards."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent.spec import make_agent
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello

__all__ = ["best_score", "exact_scores", "known_scores"]

_solving = threading.Lock()


@cache
def _solver(spec: str) -> Any:
    return make_agent(spec)


def exact_scores(positions: OthelloPositions | Sequence[Othello]) -> npt.NDArray[np.float64]:
    """The final score with perfect play after each action in N positions, by a search to the end of the game.

    Returns:
        (N, A) float64, in discs for the player to move; NaN for illegal actions.
    """
    solver: Any = make_agent("engine")  # an engine of its own, since threads and forked processes may search, too
    scores: npt.NDArray[np.float64] = solver.exact_scores(positions)
    return scores


def known_scores(state: Othello, empties: int) -> dict[int, float] | None:
    """The exact score of each legal action in discs, for the player to move.

    Args:
        state: a position of a game that is not over.
        empties: positions with at most this number of empty squares are solved. On 4x4 and 6x6, so are all positions
            whose scores the agent ``perfect`` knows without a long search.

    Returns:
        The scores by action; None if the position is not solved.
    """
    if state.empties <= empties:
        row = exact_scores([state])[0]
        return {action: float(row[action]) for action in state.legal_actions()}
    if state.size == 8 or not _solver("perfect").knows(state):
        return None
    scores: dict[int, float] = _solver("perfect").action_values(state)
    return scores


def best_score(state: Othello) -> float:
    """The final disc difference under perfect play, positive if the player to move wins; it is remembered."""
    with _solving:  # a search uses its tables alone
        return _best_score(state)


@lru_cache(maxsize=100_000)
def _best_score(state: Othello) -> float:
    if state.is_over:
        return state.margins()[state.to_move]
    if state.size == 8:
        return float(np.nanmax(_solver("engine").exact_scores([state])))
    return float(_solver("perfect").score(state))
