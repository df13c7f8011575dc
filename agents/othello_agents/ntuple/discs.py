"""Converts the values of n-tuple networks to discs."""

from __future__ import annotations

import math

from othello_env.games.othello.position import Othello

__all__ = ["DISCS", "expected_discs"]

DISCS = {
    ("engine", 8): (27.0, 0.20),
    ("ntuple", 8): (27.0, 0.41),
    ("ntuple", 6): (12.5, 0.42),
    ("ntuple", 4): (12.5, 0.42),
}
"""For each set of weights and board size, two numbers (A, B). A mean of result and margin `r` becomes
``(A + B * empty_squares) * atanh(r)`` discs.

`scripts/make/fit_discs.py` fitted the numbers of 8x8 and 6x6 to games that the engine played against itself. With the
engine's own weights, estimates from searches to depth 6 are off by 4.2 discs on average at 17 empty squares. The
package has no n-tuple weights for 4x4, so 4x4 uses the numbers of 6x6.
"""


def expected_discs(value: float, state: Othello, weights: str = "ntuple") -> float:
    """The final lead in discs that a mean of result and margin in this position stands for.

    Args:
        value: the value of a network, -1 to +1, for any player. The lead is for the same player.
        state: the position.
        weights: the packaged weights to which the conversion was fitted, ``"ntuple"`` or ``"engine"``.
    """
    squares = float(state.size**2)
    if abs(value) == 1:
        return math.copysign(squares, value)
    at_end, per_empty = DISCS[weights, state.size]
    discs = (at_end + per_empty * state.empties) * math.atanh(value)
    return max(-squares, min(squares, discs))
