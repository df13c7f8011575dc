"""Othello on boards of three sizes."""

from othello_env.games.othello.position import Othello
from othello_env.games.othello.positions import OthelloPositions

__all__ = ["Othello", "OthelloPositions"]
