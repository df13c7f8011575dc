"""The protocol that every game implements, and the errors that games raise."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from operator import index
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from othello_env.games.hashing import draw
from othello_env.support.numbers import as_integer

__all__ = [
    "IllegalActionError",
    "NotationError",
    "State",
    "WrongGameError",
    "check_board_size",
    "check_choice",
    "check_seed",
    "check_text",
]


_ALMOST_ZERO = 1e-6
"""A sum of results with rounding errors is smaller than this number."""


class IllegalActionError(ValueError):
    """The rules do not allow this action in this position."""


class NotationError(ValueError):
    """A text is not a valid move, transcript or board."""


class WrongGameError(ValueError):
    """An agent or an evaluation does not support this game or this size of board.

    If an agent raises this error in a match, the match stops. After any other error, the agent forfeits the game.
    """


def check_text(text: Any, what: str) -> str:
    """Return the argument if it is text.

    Args:
        text: the argument to check.
        what: a name for the text in the error message, such as ``"a board"``.

    Raises:
        TypeError: the argument is not text.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected {what} as text, not {text!r} of type {type(text).__name__}")
    return text


def check_board_size(size: Any, sizes: Collection[int]) -> int:
    """Check the size of a board (its height and width), and return the size as an int.

    The size may be a Python integer or a NumPy integer.

    Raises:
        ValueError: the size is not an integer, or is not in `sizes`.
    """
    number = as_integer(size)
    if number is None or number not in sizes:
        raise ValueError(f"size must be one of {', '.join(map(str, sizes))}, not {size!r}")
    return number


def check_choice(name: str, value: Any, choices: Sequence[Any]) -> None:
    """Check that the value of an argument is one of its choices.

    Raises:
        ValueError: the value is not one of the choices.
    """
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")


def check_seed(seed: Any) -> int:
    """Check a seed and return it as an int. The seed may be a Python integer or a NumPy integer.

    Raises:
        TypeError: the seed is not an integer, or is a bool.
        ValueError: the seed is negative.
    """
    number = as_integer(seed)
    if number is None:
        raise TypeError(f"a seed must be an integer of at least 0, not {seed!r} of type {type(seed).__name__}")
    if number < 0:
        raise ValueError(f"a seed must be an integer of at least 0, not {seed!r}")
    return number


class State(ABC):
    """An immutable position of a game. Two States can be equal although different moves led to them.

    Letters in shapes: A is `num_actions`, and P is `num_players`.
    """

    __slots__ = ("moves", "to_move")

    player_names: ClassVar[tuple[str, ...]]
    rule_names: ClassVar[tuple[str, ...]] = ()
    """The names of the attributes that choose between variants of the rules."""
    svg_renderer: ClassVar[Callable[[State], str] | None] = None
    """A function that draws a State as SVG. Notebooks show this drawing.

    The package `othello_env` sets this attribute, because the modules of the rules do not import the drawing code.
    """

    to_move: int
    """The index of the player to move. After the end of the game, the index of the player that would move next."""
    moves: tuple[int, ...]
    """The actions that led to this position, including those of an opening."""

    @property
    def num_players(self) -> int:
        return len(self.player_names)

    @property
    @abstractmethod
    def num_actions(self) -> int:
        """The number of actions. Actions are the integers 0 .. num_actions - 1."""

    @property
    @abstractmethod
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape of an observation: (planes, height, width)."""

    @property
    def options(self) -> dict[str, int | str]:
        """The options of the game: the arguments of this class, except the seed of a random start, and their values."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters if name != "seed"}

    def has_same_rules(self, other: object) -> bool:
        """Whether `other` is a position of the same game with the same size of board and the same rules."""
        return (
            type(other) is type(self)
            and other.observation_shape == self.observation_shape
            and all(getattr(other, name) == getattr(self, name) for name in self.rule_names)
        )

    @property
    @abstractmethod
    def placed(self) -> int:
        """A number that increases with each action except a pass: in Othello, the number of discs placed.

        Random choices in a position depend on `placed` and on the game's key, which is a 64-bit number.
        """

    @abstractmethod
    def legal_actions(self) -> tuple[int, ...]:
        """The legal actions in ascending order. If the game is over, there are none."""

    def is_legal(self, action: int) -> bool:
        """Whether the player to move may play this action."""
        return action in self.legal_actions()

    def draw_action(self, key: int, counter: int) -> int:
        """A uniformly random legal action.

        It is `legal_actions()[draw(key, counter, n)]`, where n is the number of legal actions.
        """
        legal = self.legal_actions()
        return legal[draw(key, counter, len(legal))]

    @abstractmethod
    def play(self, action: int) -> Self:
        """The position after an action of the player to move.

        Raises:
            IllegalActionError: the action is not legal here, or the game is over.
            TypeError: the action is not an integer.
        """

    @property
    @abstractmethod
    def is_over(self) -> bool: ...

    @property
    def must_pass(self) -> bool:
        """Whether a pass is the only legal action."""
        return False

    @abstractmethod
    def scores(self) -> tuple[int, ...]:
        """The number of discs, cells or pieces that each player has on the board."""

    @abstractmethod
    def returns(self) -> tuple[float, ...]:
        """The result of each player, such as +1 for a win and -1 for a loss. The sum of the results is zero.

        Before the end of the game all results are 0.0.
        """

    def outcome(self, *, margins: bool = False) -> tuple[float, ...]:
        """The `returns` or the `margins` of a finished game, checked: environments and records take them from here.

        Raises:
            ValueError: they are not numbers whose sum is zero. The class of the game has a fault.
        """
        values = self.margins() if margins else self.returns()
        if not abs(sum(values)) < _ALMOST_ZERO:  # also true for NaN
            name = f"{type(self).__name__}.{'margins' if margins else 'returns'}()"
            raise ValueError(f"{name} of a finished game must be numbers that sum to zero, not {values}")
        return values

    def winners(self) -> tuple[int, ...]:
        """The players with the best result of a finished game. If all players have the same result, all are winners."""
        results = self.returns()
        return tuple(player for player, result in enumerate(results) if result == max(results))

    @abstractmethod
    def margins(self) -> tuple[float, ...]:
        """How far each player is ahead at the end, in discs, cells or pieces.

        A player with a negative margin is behind. The sum of the margins is zero. Each game has its own rule for
        margins. Before the end, all margins are 0.0.
        """

    @property
    @abstractmethod
    def largest_margin(self) -> float:
        """The largest margin with which this game can end."""

    @abstractmethod
    def mobility(self, player: int) -> int:
        """The number of legal moves of a player, as if this player were to move. Passes do not count."""

    @abstractmethod
    def observation(self, player: int) -> npt.NDArray[np.int8]:
        """The position from a player's point of view, as int8 planes of 0 and 1. Its shape is `observation_shape`.

        The board has the same orientation for all players.
        """

    def action_mask(self) -> npt.NDArray[np.int8]:
        """(A,) int8: 1 if the action is legal for the player to move, else 0. If the game is over, all are 0."""
        mask = np.zeros(self.num_actions, np.int8)
        mask[list(self.legal_actions())] = 1
        return mask

    def encode(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """The observation for the player to move, and the action mask."""
        return self.observation(self.to_move), self.action_mask()

    @abstractmethod
    def action_to_text(self, action: int) -> str:
        """The name of an action in the game's notation."""

    @abstractmethod
    def action_from_text(self, text: str) -> int:
        """Find an action by its name in the game's notation. The action need not be legal here.

        Raises:
            NotationError: the text does not name an action of this game.
            TypeError: the argument is not text.
        """

    def position_from_text(self, text: str) -> Self:
        """Read a position from text. The new position has the same rules as this State.

        If the text does not say who is to move, the first player is to move.

        Raises:
            NotationError: the text does not show a position of this game.
            TypeError: the argument is not text.
        """
        check_text(text, "a position")
        raise NotationError(f"a position of {type(self).__name__} must be given as a State, not as text")

    @abstractmethod
    def play_move(self, move: int | str) -> Self:
        """The position after one move of a transcript. The move is given as an action or by its name.

        If the player to move must pass and `move` is not a pass, the pass is played before `move`. In checkers, one
        name can stand for a whole chain of jumps.

        Raises:
            NotationError: the move cannot be read.
            IllegalActionError: the move is not legal.
            TypeError: the move is neither an integer nor text.
        """

    @staticmethod
    @abstractmethod
    def transcript_moves(transcript: str) -> Iterable[str]:
        """The names of the moves in a transcript, in order."""

    def play_transcript(self, moves: str | Iterable[int | str]) -> Self:
        """The position after the moves of a transcript. The moves can also be a sequence of actions and names.

        Passes may be left out. If a move is wrong, the error message begins with the number of the move. The first
        given move has the number 1. Passes that were left out are not counted.

        Raises:
            NotationError: a move cannot be read, or a comma or semicolon has no move before or after it.
            IllegalActionError: a move is not legal.
            TypeError: `moves` is neither text nor a sequence, or a move is neither an integer nor text.
        """
        if isinstance(moves, bytes | bytearray) or not isinstance(moves, Iterable):
            kind = type(moves).__name__
            raise TypeError(f"expected a transcript, or actions or their names, not {moves!r} of type {kind}")
        if isinstance(moves, str):
            parts = re.split("[,;]", moves)
            if len(parts) > 1 and not all(map(str.strip, parts)):
                raise NotationError(f"expected moves on both sides of each comma or semicolon, got {moves!r}")
            moves = self.transcript_moves(moves)
        state = self
        for ply, move in enumerate(moves, start=1):
            try:
                state = state.play_move(move)
            except (NotationError, IllegalActionError, TypeError) as error:
                raise type(error)(f"ply {ply}: {error}") from None
        return state

    def transcript(self) -> str:
        """The names of the actions in `moves`, such as ``f5 d6 c3``. `play_transcript` reads this text."""
        return " ".join(map(self.action_to_text, self.moves))

    def names_of(self, actions: Iterable[int]) -> str:
        """The names of actions that are played from here, separated by spaces. Passes are included.

        Raises:
            IllegalActionError: an action is not legal.
        """
        named, state = [], self
        for action in actions:
            following = state.play(action)
            named.append(state.action_to_text(action))
            state = following
        return " ".join(named)

    def play_names(self, names: str) -> Self:
        """The position after actions that are named as in `names_of`. All passes must be included.

        Raises:
            NotationError: a name cannot be read.
            IllegalActionError: an action is not legal.
            TypeError: the argument is not text.
        """
        state = self
        for name in check_text(names, "the names of moves").split():
            state = state.play(state.action_from_text(name))
        return state

    def to_text(self) -> str:
        """The position as text, without the player to move. If the class has `from_text`, that method reads the text.

        A game of which no position can be read has the `repr` of the position here.
        """
        return repr(self)

    def positions(self, actions: Iterable[int]) -> list[Self]:
        """All positions of a game that begins here: this position, and the position after each action.

        Raises:
            IllegalActionError: an action is not legal.
            TypeError: an action is not an integer.
        """
        states = [self]
        for action in actions:
            states.append(states[-1].play(action))
        return states

    @classmethod
    def player_index(cls, player: str | int) -> int:
        """Find the index of a player. The player is given by index, by name or by the first letter of the name.

        Raises:
            NotationError: there is no such player.
        """
        for i, name in enumerate(cls.player_names):
            if isinstance(player, str) and player.lower() in (name, name[0]):
                return i
            if player == i and not isinstance(player, bool):
                return i
        raise NotationError(f"expected one of the players {', '.join(cls.player_names)}, got {player!r}")

    def check_action(self, action: Any) -> int:
        """Check that an action is in 0 .. num_actions - 1, and return it as an int.

        Raises:
            TypeError: the action is not an integer.
            IllegalActionError: the action is out of range.
        """
        try:
            number = index(action)
        except TypeError:
            raise TypeError(f"an action must be an integer, not {action!r} of type {type(action).__name__}") from None
        if not 0 <= number < self.num_actions:
            raise IllegalActionError(f"actions here must be 0 to {self.num_actions - 1}, not {number}")
        return number

    def no_player(self, player: object) -> ValueError:
        """Make the error for a number that is not the index of a player. The caller raises the error."""
        return ValueError(f"a player must be {' or '.join(map(str, range(self.num_players)))}, not {player!r}")

    def illegal(self, action: int) -> IllegalActionError:
        """Make the error for an action that is in range but not legal here. The caller raises the error."""
        name = self.action_to_text(action)
        if self.is_over:
            return IllegalActionError(f"{name} (action {action}) cannot be played: the game is over\n{self}")
        legal = " ".join(self.action_to_text(a) for a in self.legal_actions())
        return IllegalActionError(
            f"{name} (action {action}) is not legal for {self.player_names[self.to_move]}; the legal moves are: "
            f"{legal}\n{self}"
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"{type(self).__name__} positions cannot be changed; play() returns the next position (tried to set {name})"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} positions cannot be changed (tried to delete {name})")

    def _repr_svg_(self) -> str | None:
        renderer = type(self).svg_renderer
        return None if renderer is None else renderer(self)
