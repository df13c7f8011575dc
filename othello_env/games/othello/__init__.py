"""Othello on boards of three sizes."""

from othello_env.games.othello.position import Othello, OthelloBatch

__all__ = ["Othello", "OthelloBatch"]
