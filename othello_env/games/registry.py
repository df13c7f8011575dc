"""The games and their options as text that a record can hold."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.checkers.position import Checkers
from othello_env.games.game import State, check_text
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello
from othello_env.games.tribolo.position import Tribolo
from othello_env.support.jit import kernel

__all__ = ["Rules", "names_of_moves", "play_names", "position_to_text"]

_0 = np.uint64(0)
_GAMES: dict[str, type[State]] = {"checkers": Checkers, "othello": Othello, "tribolo": Tribolo}


@dataclass(frozen=True)
class Rules:
    """A game and its options.

    Attributes:
        name: ``othello``, ``tribolo`` or ``checkers``.
        options: the options of the game's class that differ from their defaults, in alphabetical order.

    >>> str(Rules.parse("othello:size=6")), str(Rules.parse("othello:size=8"))
    ('othello:size=6', 'othello')
    """

    name: str = "othello"
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def parse(cls, spec: str) -> Rules:
        """The game that a spec names, such as ``othello`` or ``checkers:size=10,draws=40-move``.

        Raises:
            TypeError: the spec is not text.
            ValueError: there is no such game or option, or the value of an option is wrong.
        """
        name, colon, text = check_text(spec, "a game").partition(":")
        if name not in _GAMES:
            raise ValueError(f"expected a game, {', '.join(_GAMES)}, got {spec!r}")
        known = {key: default for key, default in _defaults(name).items() if key != "seed"}
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
        rules.start(0)  # raises an error if a value is wrong
        return rules

    @classmethod
    def of(cls, state: State) -> Rules | None:
        """The rules of a position's game. None if the game is not listed here, or its positions do not hold them."""
        for name, game in _GAMES.items():
            known = {key: default for key, default in _defaults(name).items() if key != "seed"}
            if type(state) is game and all(hasattr(state, key) for key in known):
                options = {key: getattr(state, key) for key in sorted(known)}
                return cls(name, tuple((key, value) for key, value in options.items() if value != known[key]))
        return None

    def __str__(self) -> str:
        return self.name + ":" * bool(self.options) + ",".join(f"{key}={value}" for key, value in self.options)

    @property
    def num_players(self) -> int:
        return len(_GAMES[self.name].player_names)

    def start(self, key: int) -> State:
        """The start of the game with this key."""
        seed = {"seed": key} if "seed" in _defaults(self.name) else {}
        return _GAMES[self.name](**seed, **dict(self.options))

    def position(self, text: str, player: str) -> State:
        """The position that a text in the game's own format shows.

        Args:
            text: the board.
            player: the name of the player to move.

        Raises:
            NotationError: the text does not show a position of this game.
        """
        game: Any = _GAMES[self.name]
        rules = dict(self.options) if game is Checkers else {}  # the text of any other board shows its size
        state: State = game.from_text(text, player, **rules)
        return state


@cache
def _defaults(name: str) -> dict[str, Any]:
    """The options that a game's class takes, and the default of each."""
    return {key: parameter.default for key, parameter in inspect.signature(_GAMES[name]).parameters.items()}


def position_to_text(state: State) -> tuple[str, str]:
    """A position as `Rules.position` reads it: the board as text, and the name of the player to move.

    The text of a game that is not listed here is the `repr` of the position.
    """
    text = state.to_text() if isinstance(state, Checkers | Othello | Tribolo) else repr(state)
    return text, state.player_names[state.to_move]


def names_of_moves(start: State, actions: Sequence[int]) -> str:
    """The actions from a position on, in the game's notation, separated by spaces. Passes are named too.

    >>> names_of_moves(Othello(), (37, 43))
    'f5 d6'
    """
    if isinstance(start, Othello):
        names = _othello_names(start.size)
        return " ".join([names[action] for action in actions])
    if isinstance(start, Tribolo):
        return " ".join(map(start.action_to_text, actions))
    named, state = [], start
    for action in actions:  # here a move's name depends on the position
        following = state.play(action)
        named.append(state.action_to_text(action))
        state = following
    return " ".join(named)


def play_names(start: State, names: str) -> State:
    """The position after the moves that `names_of_moves` has named. Passes must not be left out.

    Raises:
        NotationError: a name cannot be read.
        IllegalActionError: a move is not legal.
    """
    if isinstance(start, Othello) and (final := _play_othello(start, names.split())) is not None:
        return final
    state = start
    for name in names.split():
        state = state.play(state.action_from_text(name))
    return state


@cache
def _othello_moves(size: int) -> dict[str, tuple[int, np.uint64]]:
    """For each name, its action and the disc that it places, 0 for a pass."""
    start = Othello(size)
    return {start.action_to_text(a): (a, np.uint64(bit)) for a, bit in enumerate(bitboard.ACTION_BITS[size])}


@cache
def _othello_names(size: int) -> tuple[str, ...]:
    """The names of the actions, in the order of actions."""
    return tuple(_othello_moves(size))


def _play_othello(start: Othello, names: Sequence[str]) -> Othello | None:
    """The same result as `play_names` in a twentieth of the time; None if something is wrong."""
    known = _othello_moves(start.size)
    try:
        moves = [known[name] for name in names]
    except KeyError:
        return None
    discs = np.array([disc for _, disc in moves], np.uint64)
    own, opponent, played = _play_discs(
        np.uint64(start.own), np.uint64(start.opponent), discs, bitboard.BOARDS[start.size]
    )
    if played < len(discs):
        return None
    final = Othello.from_bits(int(own), int(opponent), start.to_move ^ (len(discs) & 1), start.size)
    return final.with_moves((*start.moves, *(action for action, _ in moves)))


@kernel
def _play_discs(
    own: np.uint64, opponent: np.uint64, discs: npt.NDArray[np.uint64], board: np.uint64
) -> tuple[np.uint64, np.uint64, int]:
    """Play moves, each a disc (0: pass), until one is illegal. Returns the last position and the number played."""
    for i in range(len(discs)):
        legal, reply = bitboard.mobility(own, opponent, board)
        if discs[i] & legal != discs[i] or (discs[i] == _0 and (legal != _0 or reply == _0)):
            return own, opponent, i
        own, opponent, _, _ = bitboard.advance(own, opponent, discs[i], board)
    return own, opponent, len(discs)
