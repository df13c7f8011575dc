"""Othello on 4x4, 6x6 and 8x8 boards."""

from othello_env.games.othello.position import Othello
from othello_env.games.othello.positions import OthelloPositions

__all__ = ["Othello", "OthelloPositions"]
