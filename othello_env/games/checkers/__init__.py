"""Checkers (English draughts)."""

from othello_env.games.checkers.position import Checkers

__all__ = ["Checkers"]
