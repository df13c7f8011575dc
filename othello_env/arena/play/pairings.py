"""Games that are to be played. Each game has an opening, agents, and a key that determines its random choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from othello_env.games.game import State
from othello_env.support.numbers import as_integer

__all__ = ["Opening", "Pairing", "check_games"]


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game begins.

    Attributes:
        number: the number of the opening in its match or tournament.
        position: the position before the opening's moves, as two texts: the board and the name of the player to move.
            None for the usual start of the game.
        moves: the names of the opening's moves, separated by spaces.
        start: the position after these moves.
    """

    number: int
    position: tuple[str, str] | None
    moves: str
    start: State


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game that is to be played; P = number of players.

    Attributes:
        opening: where the game begins.
        agents: (P,), the names of the agents, in the order of the players.
        key: 64 bits that determine everything random in the game.
        game: the name of the game and its options; see `othello_env.games.registry.Rules`.
        seed: the seed of the match or tournament.
        openings: the openings of the match or tournament as text, such as ``random:10``. None if the openings
            are the usual start or a given list.
    """

    opening: Opening
    agents: tuple[str, ...]
    key: int
    game: str = "othello"
    seed: int = 0
    openings: str | None = None

    @property
    def start(self) -> State:
        """The position after the opening. From this position on, the agents choose the moves."""
        return self.opening.start


def check_games(games: Any, players: int = 2) -> int:
    """Check a number of games and return it as an int.

    The number of games must be a multiple of the number of players. Two agents play each opening twice, with swapped
    colours. Three agents play each opening three times, and each agent has each seat once.

    Raises:
        TypeError: `games` is not an integer, or is a bool.
        ValueError: `games` is not a positive multiple of the number of players.
    """
    what = "an even number of at least 2" if players == 2 else f"a positive multiple of {players}"
    what = f"games is {what} (each opening is played in every rotation of the seats), not {games!r}"
    number = as_integer(games)
    if number is None:
        raise TypeError(f"{what} of type {type(games).__name__}")
    if number < players or number % players:
        raise ValueError(what)
    return number
