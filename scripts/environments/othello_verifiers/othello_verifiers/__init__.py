"""Othello, checkers and Tribolo for verifiers: a taskset of games, an environment that plays them, and a chat."""

from othello_verifiers.taskset import Chat, OthelloGames, OthelloTable

__all__ = ["Chat", "OthelloGames", "OthelloTable"]
