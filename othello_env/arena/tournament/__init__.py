"""Tournaments: who plays whom, the file of their games, the results."""

from typing import TYPE_CHECKING

from othello_env.support.imports import later

if TYPE_CHECKING:
    from othello_env.arena.tournament.results import Tournament, play_tournament

__all__ = ["Tournament", "play_tournament"]

if not TYPE_CHECKING:  # a type checker knows the names, and says so of others
    __getattr__ = later(__name__, {"othello_env.arena.tournament.results": ("Tournament", "play_tournament")})
