"""Othello, checkers and Tribolo for verifiers: a taskset of games, and an environment that plays them."""

from othello_verifiers.taskset import OthelloGames, OthelloTable

__all__ = ["OthelloGames", "OthelloTable"]
