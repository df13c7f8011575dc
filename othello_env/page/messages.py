"""The messages that a page may send. They are JSON objects. Each field is checked and has a limited size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from othello_env.games.game import State
from othello_env.games.registry import Rules

__all__ = ["GAMES", "LARGEST_SEED", "MAX_PLIES", "MessageError", "PageGame", "Reader"]

GAMES = ("othello", "othello:size=6", "othello:size=4", "tribolo", "checkers")
"""The games that a page may name."""
MAX_PLIES = 600
_MAX_POSITION = 600  # characters
_MAX_PLAYER = 10  # characters
_LARGEST_ACTION = 1023
LARGEST_SEED = 2**53 - 1  # the largest integer that JavaScript holds exactly
_MAX_SECONDS = 86_400


class MessageError(ValueError):
    """A message is wrong, for example because a field is missing."""


class Reader:
    """The fields of a JSON object. Each field is checked when it is read.

    Raises:
        MessageError: the value is not an object, or a field is missing or wrong.
    """

    def __init__(self, value: object) -> None:
        if not isinstance(value, dict):
            raise MessageError(f"expected a JSON object, got {type(value).__name__}")
        self._fields: dict[str, Any] = value

    def has(self, name: str) -> bool:
        """Whether the object has this field, and the field is not null."""
        return self._fields.get(name) is not None

    def get(self, name: str) -> Any:
        """The value of a field, or None if the field is missing. The value is not checked."""
        return self._fields.get(name)

    def text(self, name: str, longest: int) -> str:
        """A text of at most `longest` characters."""
        value = self.get(name)
        if not isinstance(value, str) or len(value) > longest:
            raise MessageError(f"{name} is a text of at most {longest} characters")
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """A text that is one of the choices."""
        value = self.get(name)
        if not isinstance(value, str) or value not in choices:
            raise MessageError(f"{name} is one of {', '.join(choices)}")
        return value

    def integer(self, name: str, least: int, most: int) -> int:
        """An integer within bounds."""
        return _integer(self.get(name), name, least, most)

    def integers(self, name: str, longest: int, least: int, most: int) -> tuple[int, ...]:
        """A list of at most `longest` integers within bounds."""
        value = self.get(name)
        if not isinstance(value, list) or len(value) > longest:
            raise MessageError(f"{name} is a list of at most {longest} integers")
        return tuple(_integer(each, name, least, most) for each in value)

    def seconds(self, name: str) -> float:
        """A number of seconds, at most a day."""
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MAX_SECONDS:
            raise MessageError(f"{name} is a number of seconds, 0 to {_MAX_SECONDS}")
        return float(value)

    def game(self) -> PageGame:
        """The game in the field ``record``."""
        return PageGame.read(self.get("record"))


def _integer(value: object, name: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise MessageError(f"{name}: expected an integer from {least} to {most}")
    return value


@dataclass(frozen=True, slots=True)
class PageGame:
    """A game as a page sends it, in the field ``record`` of a message.

    Attributes:
        game: one of `GAMES`.
        seed: determines Tribolo's start and the random choices of agents.
        position: None if the game begins at the usual start. Otherwise, the board of the first position as text, and
            the name of the player to move.
        moves: the actions that were played so far.
    """

    game: str
    seed: int = 0
    position: tuple[str, str] | None = None
    moves: tuple[int, ...] = ()

    @classmethod
    def read(cls, value: object) -> PageGame:
        """Read a game from the values that `to_json` returned.

        Raises:
            MessageError: the values are not those of a game.
        """
        fields = Reader(value)
        position = None
        if fields.has("position"):
            board = Reader(fields.get("position"))
            position = (board.text("text", _MAX_POSITION), board.text("player", _MAX_PLAYER))
        return cls(
            fields.choice("game", GAMES),
            fields.integer("seed", 0, LARGEST_SEED),
            position,
            fields.integers("moves", MAX_PLIES, 0, _LARGEST_ACTION),
        )

    def to_json(self) -> dict[str, Any]:
        """The game as values for JSON."""
        position = None if self.position is None else {"text": self.position[0], "player": self.position[1]}
        return {"game": self.game, "seed": self.seed, "position": position, "moves": list(self.moves)}

    def start(self) -> State:
        """The position in which the game begins.

        Raises:
            ValueError: the position does not fit the game.
        """
        rules = Rules.parse(self.game)
        if self.position is None:
            return rules.start(self.seed)
        state = rules.position(*self.position)
        if state.observation_shape != rules.start(self.seed).observation_shape and rules.name != "tribolo":
            raise MessageError(f"the board has another size than the board of {self.game}")
        return state

    def states(self) -> list[State]:
        """All positions of the game, from the start to the position after the last move.

        Raises:
            ValueError: a move is not legal.
        """
        return self.start().positions(self.moves)
