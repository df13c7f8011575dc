"""The messages that a page may send. They are JSON objects. Each field is checked and has a limited size."""

from __future__ import annotations

from typing import Annotated, Any, Self, TypeVar

from msgspec import Meta, Struct, to_builtins

from othello_env.games.game import State
from othello_env.games.registry import GameSpec, registered_games
from othello_env.support.files import as_type

__all__ = [
    "MAX_PLIES",
    "MessageError",
    "PageGame",
    "Position",
    "games_view",
    "page_games",
    "read_message",
]

MAX_PLIES = 600
_LARGEST_SEED = 2**53 - 1  # the largest integer that JavaScript holds exactly

_T = TypeVar("_T")


def page_games() -> tuple[str, ...]:
    """The games that the page offers: all registered games that have pictures, with their variants, Othello first."""
    games = sorted((game for game in registered_games() if game.scene), key=lambda game: game.name != "othello")
    return tuple(spec for game in games for spec in (game.name, *(f"{game.name}:{more}" for more in game.variants)))


def games_view() -> list[dict[str, Any]]:
    """For each game of the page, its spec, its title, the names of its players, and whether its start is random."""
    games = [(spec, GameSpec.parse(spec)) for spec in page_games()]
    return [
        {
            "spec": spec,
            "title": " ".join([game.name.capitalize(), *(_option(*option) for option in game.options)]),
            "players": list(game.definition.state.player_names),
            "isRandom": game.definition.is_random,
        }
        for spec, game in games
    ]


def _option(name: str, value: Any) -> str:
    return f"{value}×{value}" if name == "size" else f"{name}={value}"  # noqa: RUF001 - the sign that people read


class MessageError(ValueError):
    """A message is wrong, for example because a field is missing."""


def read_message(values: Any, kind: type[_T]) -> _T:
    """Check the values of a JSON object, and return them as a message of this kind.

    Raises:
        MessageError: a field is missing or wrong.
    """
    try:
        return as_type(values, kind)
    except ValueError as error:
        raise MessageError(str(error)) from None


class Position(Struct, frozen=True):
    """The board of a position as text, and the name of the player to move."""

    text: Annotated[str, Meta(max_length=600)]
    player: Annotated[str, Meta(max_length=10)]


class PageGame(Struct, frozen=True):
    """A game as a page sends it, in the field ``record`` of a message.

    Attributes:
        game: one of `page_games`.
        seed: determines a random start (that of Tribolo) and the random choices of agents.
        position: the first position; None if the game begins at the usual start.
        moves: the actions that were played so far.
        agents: the names of the players of a game that was imported, in their order; otherwise empty.
    """

    game: str
    seed: Annotated[int, Meta(ge=0, le=_LARGEST_SEED)] = 0
    position: Position | None = None
    moves: Annotated[tuple[Annotated[int, Meta(ge=0, le=1023)], ...], Meta(max_length=MAX_PLIES)] = ()
    agents: Annotated[tuple[Annotated[str, Meta(max_length=300)], ...], Meta(max_length=8)] = ()

    def __post_init__(self) -> None:
        if self.game not in page_games():
            raise MessageError(f"game is one of {', '.join(page_games())}, not {self.game!r:.60}")

    @classmethod
    def read(cls, values: object) -> Self:
        """Read a game from the values that `to_json` returned.

        Raises:
            MessageError: the values are not those of a game.
        """
        return read_message(values, cls)

    def to_json(self) -> dict[str, Any]:
        """The game as values for JSON."""
        values: dict[str, Any] = to_builtins(self)
        return values

    def start(self) -> State:
        """The position in which the game begins.

        Raises:
            ValueError: the position does not fit the game.
        """
        spec = GameSpec.parse(self.game)
        if self.position is None:
            return spec.start(self.seed)
        state = spec.position(self.position.text, self.position.player)
        # A game with a random start has boards of several sizes.
        if not spec.definition.is_random and state.observation_shape != spec.start(self.seed).observation_shape:
            raise MessageError(f"the board has another size than the board of {self.game}")
        return state

    def states(self) -> list[State]:
        """All positions of the game, from the start to the position after the last move.

        Raises:
            ValueError: a move is not legal.
        """
        return self.start().positions(self.moves)
