"""Othello on 4x4, 6x6 and 8x8 boards."""

from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello

__all__ = ["Othello", "OthelloPositions"]
