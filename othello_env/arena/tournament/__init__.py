"""Tournaments: who plays whom, the file of their games, the results."""

from othello_env.arena.tournament.results import Tournament, play_tournament

__all__ = ["Tournament", "play_tournament"]
