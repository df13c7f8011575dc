"""Tournaments: the schedule of the games, the files with their records, and the results."""

from typing import TYPE_CHECKING

from othello_env.support.imports import later

if TYPE_CHECKING:
    from othello_env.arena.tournament.playing import play_tournament
    from othello_env.arena.tournament.results import Tournament

__all__ = ["Tournament", "play_tournament"]

if not TYPE_CHECKING:  # for type checkers, the imports above define the names
    __getattr__ = later(
        __name__,
        {
            "othello_env.arena.tournament.playing": ("play_tournament",),
            "othello_env.arena.tournament.results": ("Tournament",),
        },
    )
