"""Which game is played, as text that a record can hold."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from othello_env.games.checkers import Checkers
from othello_env.games.game import State
from othello_env.games.othello import Othello
from othello_env.games.tribolo import Tribolo

__all__ = ["Rules", "names_of_moves", "play_names", "position_to_text"]

_GAMES: dict[str, type[State]] = {"checkers": Checkers, "othello": Othello, "tribolo": Tribolo}


@dataclass(frozen=True)
class Rules:
    """A game and its options.

    Attributes:
        name: ``othello``, ``tribolo`` or ``checkers``.
        options: those of the game's class that are not at their defaults, in alphabetical order.

    >>> str(Rules.parse("othello:size=6")), str(Rules.parse("othello:size=8"))
    ('othello:size=6', 'othello')
    """

    name: str = "othello"
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def parse(cls, spec: str) -> Rules:
        """The game that a spec names: ``othello``, ``checkers:size=10,draws=40-move``.

        Raises:
            ValueError: there is no such game or option, or its value is wrong.
        """
        name, colon, text = spec.partition(":")
        if name not in _GAMES:
            raise ValueError(f"expected a game, {', '.join(_GAMES)}, got {spec!r}")
        parameters = inspect.signature(_GAMES[name]).parameters
        known = {key: parameter.default for key, parameter in parameters.items() if key != "seed"}
        options: dict[str, Any] = {}
        for part in text.split(",") if colon else ():
            key, equals, value = part.partition("=")
            if not equals:
                raise ValueError(f"{spec!r}: expected key=value,key=value after {name}, got {part!r}")
            if key not in known:
                raise ValueError(f"{spec!r}: {name} has no option {key}; it takes {', '.join(known)}")
            if key in options:
                raise ValueError(f"{spec!r} gives {key} twice")
            is_number = isinstance(known[key], int)
            if is_number and not value.isdecimal():
                raise ValueError(f"{spec!r}: {key} is a number, not {value!r}")
            options[key] = int(value) if is_number else value
        rules = cls(name, tuple(sorted((k, v) for k, v in options.items() if v != known[k])))
        rules.start(0)  # checks the values
        return rules

    def __str__(self) -> str:
        return self.name + ":" * bool(self.options) + ",".join(f"{key}={value}" for key, value in self.options)

    @property
    def num_players(self) -> int:
        return len(_GAMES[self.name].player_names)

    def start(self, key: int) -> State:
        """The start of the game with this key."""
        seed = {"seed": key} if "seed" in inspect.signature(_GAMES[self.name]).parameters else {}
        return _GAMES[self.name](**seed, **dict(self.options))

    def position(self, text: str, player: str) -> State:
        """The position that a game's own text shows, with a player (by name) to move.

        Raises:
            NotationError: the text shows no such position.
        """
        game: Any = _GAMES[self.name]
        rules = dict(self.options) if game is Checkers else {}  # other boards show their size
        state: State = game.from_text(text, player, **rules)
        return state


def position_to_text(state: State) -> tuple[str, str]:
    """What `Rules.position` reads: the board in the game's text, and the player to move."""
    assert isinstance(state, Checkers | Othello | Tribolo)
    return state.to_text(), state.player_names[state.to_move]


def names_of_moves(start: State, actions: Sequence[int]) -> str:
    """Actions from a position on in the game's notation, parted by spaces, passes named.

    >>> names_of_moves(Othello(), (37, 43))
    'f5 d6'
    """
    if not isinstance(start, Checkers):
        return " ".join(map(start.action_to_text, actions))
    names, state = [], start
    for action in actions:  # a move's name there hangs on the position
        following = state.play(action)
        names.append(state.action_to_text(action))
        state = following
    return " ".join(names)


def play_names(start: State, names: str) -> State:
    """The inverse of `names_of_moves`: the position after these moves, none left out.

    Raises:
        NotationError: a name cannot be read.
        IllegalActionError: a move is not legal.
    """
    state = start
    for name in names.split():
        state = state.play(state.action_from_text(name))
    return state
