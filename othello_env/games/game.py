"""The protocol that every game implements, and the errors that games raise."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from operator import index
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from othello_env.games.hashing import draw

__all__ = [
    "IllegalActionError",
    "NotationError",
    "State",
    "WrongGameError",
    "check_board_size",
    "check_seed",
    "check_text",
]


class IllegalActionError(ValueError):
    """The rules do not allow this action in this position."""


class NotationError(ValueError):
    """A text is not a valid move, transcript or board."""


class WrongGameError(ValueError):
    """An agent or an evaluation is not for this game, or not for this size: no game is played, and none is lost."""


def check_text(text: Any, what: str) -> str:
    """Return the argument if it is text.

    Args:
        text: the argument to check.
        what: what the text should be, for the message: ``"a board"``.

    Raises:
        TypeError: it is not text.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected {what} as text, not {text!r} of type {type(text).__name__}")
    return text


def check_board_size(size: Any, sizes: Collection[int]) -> int:
    """Return the side of a board as an int, if it is an integer (NumPy's too) and one of the sizes.

    Raises:
        ValueError: it is not an integer, or not one of the sizes.
    """
    try:
        number = index(size)
    except TypeError:
        number = 0
    if number not in sizes:
        raise ValueError(f"size must be one of {', '.join(map(str, sizes))}, not {size!r}")
    return number


def check_seed(seed: Any) -> int:
    """Return a seed as an int, if it is an integer (NumPy's too) and not negative.

    Raises:
        TypeError: it is not an integer, or it is a bool.
        ValueError: it is negative.
    """
    try:
        number = None if isinstance(seed, bool) else index(seed)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"a seed is an integer of at least 0, not {seed!r} of type {type(seed).__name__}")
    if number < 0:
        raise ValueError(f"a seed is an integer of at least 0, not {seed!r}")
    return number


def _check_separators(transcript: str) -> None:
    """Raise a NotationError if there is nothing before or after a comma or semicolon."""
    parts = re.split("[,;]", transcript)
    if len(parts) > 1 and not all(map(str.strip, parts)):
        raise NotationError(f"expected moves on both sides of each comma or semicolon, got {transcript!r}")


class State(ABC):
    """A position of a game, immutable. Two are equal if the positions are equal, whatever moves led to them.

    Letters for shapes: A = `num_actions`, P = `num_players`.
    """

    __slots__ = ("moves", "to_move")

    player_names: ClassVar[tuple[str, ...]]
    svg_renderer: ClassVar[Callable[[State], str] | None] = None
    """Draws a state in a notebook. The drawing package sets it, because the rules do not import the drawing package."""

    to_move: int
    """The index of the player to move. Once the game is over, it is the player that would be next."""
    moves: tuple[int, ...]
    """The actions since the position with which this game began."""

    @property
    def num_players(self) -> int:
        return len(self.player_names)

    @property
    @abstractmethod
    def num_actions(self) -> int:
        """The number of actions; they are the integers 0 .. num_actions - 1."""

    @property
    @abstractmethod
    def observation_shape(self) -> tuple[int, int, int]:
        """(planes, height, width)"""

    @property
    @abstractmethod
    def turn(self) -> int:
        """A number that grows with every choice in a game. With the game's key it seeds the random numbers there."""

    @abstractmethod
    def legal_actions(self) -> tuple[int, ...]:
        """The legal actions in ascending order; empty once the game is over."""

    def is_legal(self, action: int) -> bool:
        """Whether the player to move may play this action."""
        return action in self.legal_actions()

    def draw_action(self, key: int, counter: int) -> int:
        """A uniformly random legal action: of the n legal ones in order, the one at index `draw(key, counter, n)`."""
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
        """Whether the player to move has no other action than a pass."""
        return False

    @abstractmethod
    def scores(self) -> tuple[int, ...]:
        """Each player's count of discs, cells or pieces on the board."""

    @abstractmethod
    def returns(self) -> tuple[float, ...]:
        """The result for each player: +1 for a win, -1 for a loss. They sum to zero, and are all 0.0 before the end."""

    @abstractmethod
    def margins(self) -> tuple[float, ...]:
        """Each player's margin, in the unit of `scores`. They sum to zero, and are all 0.0 before the end."""

    @property
    @abstractmethod
    def largest_margin(self) -> float:
        """The largest margin with which this game can end."""

    @abstractmethod
    def mobility(self, player: int) -> int:
        """The number of moves, without passes, that a player would have if it were that player's turn."""

    @abstractmethod
    def observation(self, player: int) -> npt.NDArray[np.int8]:
        """The position as a player sees it: 0/1 planes of shape `observation_shape`, int8. The board is not rotated."""

    def action_mask(self) -> npt.NDArray[np.int8]:
        """(A,) int8, 1 for each legal action of the player to move; all zeros once the game is over."""
        mask = np.zeros(self.num_actions, np.int8)
        mask[list(self.legal_actions())] = 1
        return mask

    def encode(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """The observation for the player to move, and the action mask."""
        return self.observation(self.to_move), self.action_mask()

    @abstractmethod
    def action_to_text(self, action: int) -> str:
        """An action in the game's notation."""

    @abstractmethod
    def action_from_text(self, text: str) -> int:
        """The action that a text names, whether it is legal here or not.

        Raises:
            NotationError: the text names no action of this game.
            TypeError: the argument is not text.
        """

    def position_from_text(self, text: str) -> Self:
        """The position that a text shows, under this state's rules. If it names no player, the first one is to move.

        Raises:
            NotationError: the text does not show a position of this game.
            TypeError: the argument is not text.
        """
        check_text(text, "a position")
        raise NotationError(f"a position of {type(self).__name__} must be given as a State, not as text")

    @abstractmethod
    def play_move(self, move: int | str) -> Self:
        """The position after one move of a transcript: an action or its name.

        If the transcript leaves out a forced pass, it is played first. A name may stand for a whole chain of jumps.

        Raises:
            NotationError: the move cannot be read.
            IllegalActionError: the move is not legal.
        """

    @staticmethod
    @abstractmethod
    def transcript_moves(transcript: str) -> Iterable[str]:
        """The moves of a transcript, one by one."""

    def play_transcript(self, moves: str | Iterable[int | str]) -> Self:
        """The position after a transcript, or after a sequence of actions or their names. Passes may be left out.

        Raises:
            NotationError: a move cannot be read (the message names its ply), or there is no move before or after a
                comma or semicolon.
            IllegalActionError: a move is not legal; the message names its ply.
            TypeError: `moves` is neither text nor a sequence, or a move is neither an integer nor text (the message
                names its ply).
        """
        if isinstance(moves, bytes | bytearray) or not isinstance(moves, Iterable):
            kind = type(moves).__name__
            raise TypeError(f"expected a transcript, or actions or their names, not {moves!r} of type {kind}")
        if isinstance(moves, str):
            _check_separators(moves)
            moves = self.transcript_moves(moves)
        state = self
        for ply, move in enumerate(moves, start=1):
            try:
                state = state.play_move(move)
            except (NotationError, IllegalActionError, TypeError) as error:
                raise type(error)(f"ply {ply}: {error}") from None
        return state

    @classmethod
    def player_index(cls, player: str | int) -> int:
        """The index of a player that is given as its index, its name or the first letter of its name.

        Raises:
            NotationError: there is no such player.
        """
        for i, name in enumerate(cls.player_names):
            if player == i or (isinstance(player, str) and player.lower() in (name, name[0])):
                return i
        raise NotationError(f"expected a player, {', '.join(cls.player_names)}, got {player!r}")

    def check_action(self, action: Any) -> int:
        """Return the action as an int, if it is one of 0 .. num_actions - 1.

        Raises:
            TypeError: it is not an integer.
            IllegalActionError: it is out of range.
        """
        try:
            number = index(action)
        except TypeError:
            raise TypeError(f"an action is an integer, not {action!r} of type {type(action).__name__}") from None
        if not 0 <= number < self.num_actions:
            raise IllegalActionError(f"actions here are 0 to {self.num_actions - 1}, not {number}")
        return number

    def no_player(self, player: object) -> ValueError:
        """The error for a number that is not a player's index; the caller raises it."""
        return ValueError(f"a player is {' or '.join(map(str, range(self.num_players)))}, not {player!r}")

    def illegal(self, action: int) -> IllegalActionError:
        """The error for an action that is in range but not legal here; the caller raises it."""
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
            f"{type(self).__name__} positions cannot be changed; play() returns the next one (tried to set {name})"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} positions cannot be changed (tried to delete {name})")

    def _repr_svg_(self) -> str | None:
        renderer = type(self).svg_renderer
        return None if renderer is None else renderer(self)
