"""Othello on boards of side 4, 6 and 8."""

from othello_env.games.othello.position import Othello
from othello_env.games.othello.positions import OthelloPositions

__all__ = ["Othello", "OthelloPositions"]
