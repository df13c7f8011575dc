"""The discs that a move of Othello loses against perfect play."""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from typing import Any

import numpy as np

from othello_env.agent import make_agent
from othello_env.games.othello.position import Othello

__all__ = ["EXACT_EMPTIES", "discs_lost"]

EXACT_EMPTIES = 12
"""The largest number of empty squares on 8x8 with which a move is compared with perfect play."""
_solving = threading.Lock()


def discs_lost(before: Any, after: Any) -> float | None:
    """The discs that a move of Othello lost against perfect play, or None if too many squares are empty."""
    if before.size == 8 and before.empties > EXACT_EMPTIES:
        return None
    with _solving:  # a search uses its tables alone
        return _exact_score(before) + _exact_score(after)  # each from the side of its player to move


@lru_cache(maxsize=100_000)
def _exact_score(state: Othello) -> float:
    """The final disc difference under perfect play, positive if the player to move wins."""
    if state.is_over:
        return state.margins()[state.to_move]
    if state.size == 8:
        return float(np.nanmax(_judge("engine").exact_scores([state])))
    return float(_judge("perfect").score(state))


@cache
def _judge(spec: str) -> Any:
    return make_agent(spec)
