"""Othello on boards of three sizes."""

from othello_env.games.othello.position import Othello
from othello_env.games.othello.positions import OthelloBatch

__all__ = ["Othello", "OthelloBatch"]
