"""Exact scores to learn from: the final score after each move of an endgame position."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from othello_agents.engine.memory import LIMIT, NO_LIMIT, NODES, clear, new_memory
from othello_agents.engine.running import run
from othello_agents.engine.solver import solve_moves
from othello_env.games.othello.bitboard import BOARDS
from othello_env.games.othello.position import Othello
from othello_env.games.othello.positions import OthelloPositions

__all__ = ["exact_scores"]

_MEGABYTES = 4


def exact_scores(positions: OthelloPositions | Iterable[Othello]) -> npt.NDArray[np.float64]:
    """The final score in discs after each action, with perfect play. The winner also gets the empty squares.

    A position with up to 12 empty squares takes milliseconds. Each further empty square about doubles the time.

    Args:
        positions: N positions of one size.

    Returns:
        (N, A) float64 with A = size * size + 1: the scores for the player to move; NaN for illegal actions. If a game
        is over, all scores are NaN.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
        ValueError: the positions differ in size.
    """
    batch = positions if isinstance(positions, OthelloPositions) else OthelloPositions.from_states(list(positions))
    scores = np.full((len(batch), batch.size**2 + 1), np.nan)
    memory = new_memory(_MEGABYTES)
    memory.control[NODES], memory.control[LIMIT] = 0, NO_LIMIT
    clear(memory)
    run(lambda: solve_moves(batch.own, batch.opponent, scores, BOARDS[batch.size], batch.size, memory), memory)
    return scores
