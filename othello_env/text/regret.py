"""The discs that a move of Othello loses against perfect play."""

from __future__ import annotations

from typing import Any

from othello_env.agent.exact import best_score

__all__ = ["discs_lost"]

_JUDGED_EMPTIES = 12
"""The largest number of empty squares on 8x8 with which a move is compared with perfect play."""


def discs_lost(before: Any, after: Any) -> float | None:
    """The discs that a move of Othello lost against perfect play, or None if too many squares are empty."""
    if before.size == 8 and before.empties > _JUDGED_EMPTIES:
        return None
    return best_score(before) + best_score(after)  # each from the side of its player to move
