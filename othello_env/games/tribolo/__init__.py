"""Tribolo, a game for three players."""

from othello_env.games.tribolo.position import Tribolo

__all__ = ["Tribolo"]
