"""Games to be played: from which opening, between which agents, under which key."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from othello_env.games.game import State

__all__ = ["Opening", "Pairing", "check_games"]


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game begins.

    Attributes:
        number: of the opening in its match or tournament.
        position: where its moves begin, as the game's text and the player to move; None for the game's own start.
        moves: their names, separated by spaces.
        start: the position after them.
    """

    number: int
    position: tuple[str, str] | None
    moves: str
    start: State


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game to be played; P = its number of players.

    Attributes:
        opening: where it begins.
        agents: (P,) the names of the agents, in the order of the players.
        key: 64 bits that determine all that is random in the game.
        game: what is played, see `othello_env.games.registry.Rules`.
        seed: of the match or tournament.
        openings: those of the match or tournament as text; None if they are the start or given ones.
    """

    opening: Opening
    agents: tuple[str, ...]
    key: int
    game: str = "othello"
    seed: int = 0
    openings: str | None = None

    @property
    def start(self) -> State:
        """The position in which the agents begin."""
        return self.opening.start


def check_games(games: Any, players: int = 2) -> int:
    """Check a number of games and return it as an int: each opening needs a game in every rotation of the seats.

    Raises:
        TypeError: it is no integer, or a bool.
        ValueError: it is no positive multiple of the number of players.
    """
    what = "an even number of at least 2" if players == 2 else f"a positive multiple of {players}"
    what = f"games is {what} (each opening is played in every rotation of the seats), not {games!r}"
    try:
        number = None if isinstance(games, bool) else operator.index(games)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{what} of type {type(games).__name__}")
    if number < players or number % players:
        raise ValueError(what)
    return number
