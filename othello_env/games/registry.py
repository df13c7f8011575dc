"""Convert games, positions and moves to text and back. The files of played games store this text.

`register_game` adds a game, for example a variant of the rules of Othello.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Batch
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import NotationError, State, check_text
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello
from othello_env.games.tribolo.position import Tribolo
from othello_env.support.imports import import_object
from othello_env.support.jit import kernel
from othello_env.support.words import near

__all__ = [
    "Rules",
    "UnknownGameError",
    "find_rules",
    "names_of_moves",
    "play_names",
    "position_to_text",
    "register_game",
]

_0 = np.uint64(0)
_GAMES: dict[str, type[State]] = {"checkers": Checkers, "othello": Othello, "tribolo": Tribolo}
_BATCHES: dict[str, Callable[[int, Any], Batch]] = {}
_ENTRY_POINTS = "othello_env.games"


class UnknownGameError(ValueError):
    """No game is registered under this name."""


@dataclass(frozen=True)
class Rules:
    """A game and its options.

    Attributes:
        name: ``othello``, ``tribolo``, ``checkers``, or the name of a registered game.
        options: the name and the value of each option that differs from its default, in alphabetical order of the
            names.

    >>> str(Rules.parse("othello:size=6")), str(Rules.parse("othello:size=8"))
    ('othello:size=6', 'othello')
    """

    name: str = "othello"
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def parse(cls, spec: str | Rules) -> Rules:
        """Read a game and its options from text, such as ``othello`` or ``checkers:size=10,draws=40-move``.

        If the argument is a `Rules` already, it is returned.

        Raises:
            TypeError: the argument is neither text nor a `Rules`.
            UnknownGameError: there is no such game.
            ValueError: there is no such option, or the value of an option is wrong.
        """
        if isinstance(spec, Rules):
            return spec
        name, colon, text = check_text(spec, "a game").partition(":")
        _load_plugin(name)
        if name not in _GAMES:
            names = sorted({*_GAMES, *_plugins()})
            advice = "; import the file that registers it first, in a command by --game FILE.py:CLASS"
            listed = ", ".join(names)
            raise UnknownGameError(f"expected one of the games {listed}, got {spec!r}{near(name, names) or advice}")
        known = _options(name)
        options: dict[str, Any] = {}
        for part in text.split(",") if colon else ():
            key, equals, value = part.partition("=")
            if not equals:
                raise ValueError(f"{spec!r}: expected key=value,key=value after {name}, got {part!r}")
            if key not in known:
                takes = f"it takes {', '.join(known)}"
                raise ValueError(f"{spec!r}: {name} has no option {key}{near(key, known)}; {takes}")
            if key in options:
                raise ValueError(f"{spec!r} gives {key} twice")
            is_number = isinstance(known[key], int)
            if is_number and not re.fullmatch("[0-9]{1,18}", value):
                raise ValueError(f"{spec!r}: {key} must be a number, not {value!r}")
            options[key] = int(value) if is_number else value
        rules = cls(name, tuple(sorted((k, v) for k, v in options.items() if v != known[k])))
        rules.start(0)  # this checks the values: the class of the game raises an error if a value is wrong
        return rules

    @classmethod
    def of(cls, state: State) -> Rules | None:
        """The rules of a position's game.

        Returns None if the game is not in `_GAMES`, or if its positions do not store all options of the game. Positions
        of Tribolo do not store all options.
        """
        for name, game in _GAMES.items():
            known = _options(name)
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
        """The position at the start of a game. Everything random in this position depends only on `key`."""
        seed = {"seed": key} if "seed" in _defaults(self.name) else {}
        return _GAMES[self.name](**seed, **dict(self.options))

    def batch(self, n: int) -> Batch:
        """A batch of N games.

        Raises:
            ValueError: the game was registered without a batch, or it is one of the package's own games.
        """
        if self.name not in _BATCHES:
            raise ValueError(f"the game {self.name} was not registered with a batch")
        return _BATCHES[self.name](n, self.start(0))

    def position(self, text: str, player: str) -> State:
        """Read a position from text in the game's own format.

        Args:
            text: the board.
            player: the name of the player to move.

        Raises:
            NotationError: the text does not show a position of this game.
        """
        read: Any = getattr(_GAMES[self.name], "from_text", None)
        if read is None:
            raise NotationError(f"a position of {self.name} cannot be read from text")
        taken = inspect.signature(read).parameters  # in most games, the text shows the size of the board
        state: State = read(text, player, **{name: value for name, value in self.options if name in taken})
        return state


@cache
def _defaults(name: str) -> dict[str, Any]:
    """A dict from the name of each argument of a game's class to the argument's default."""
    return {key: parameter.default for key, parameter in inspect.signature(_GAMES[name]).parameters.items()}


def _options(name: str) -> dict[str, Any]:
    """A dict from the name of each option of a game to its default. The seed of a random start is not an option."""
    return {key: default for key, default in _defaults(name).items() if key != "seed"}


def register_game(name: str, game: type[State], batch: Callable[[int, Any], Batch] | None = None) -> None:
    """Add a game under a name. Then records, files of games, tournaments and environments know it by this name.

    The environments are ``gymnasium.make("othello_env/Game-v0", game=NAME)``, ``make_vec`` with the same id, and
    `othello_env.envs.GameAEC`. A command takes the game with ``--game FILE.py:CLASS``. An installed package can name a
    module that calls `register_game` in the entry points ``othello_env.games``, under the game's name; then a command
    takes the name alone.

    Args:
        name: the game's name: lower-case letters, digits and hyphens, beginning with a letter.
        game: the class of the positions. The arguments of its constructor are the options of the game, whole numbers or
            texts with defaults; an argument `seed` determines a random start. If the class has the methods `to_text`
            and `from_text`, as Othello has, a record may begin at any position.
        batch: a function that takes the number of games and the start position, and returns the batch for the vector
            environment; None if there is none. It may be a subclass of
            `othello_env.games.othello.batch.OthelloBatch`.

    Raises:
        TypeError: `game` is not a subclass of State.
        ValueError: the name is not as above, another game has this name, or an argument of the constructor has no
            default.
    """
    if not (isinstance(game, type) and issubclass(game, State)):
        raise TypeError(f"a game is a subclass of State, not {game!r}")
    if not re.fullmatch("[a-z][a-z0-9-]*", check_text(name, "the name of a game")):
        raise ValueError(f"the name of a game has lower-case letters, digits and hyphens, unlike {name!r}")
    known = _GAMES.get(name, game)
    if (known.__module__, known.__qualname__) != (game.__module__, game.__qualname__):  # a file may be run again
        raise ValueError(f"the game {name!r} is {known.__module__}.{known.__qualname__} already")
    for key, parameter in inspect.signature(game).parameters.items():
        if parameter.default is parameter.empty:
            raise ValueError(f"{game.__qualname__}: the argument {key} needs a default")
    _GAMES[name] = game
    if batch is not None:
        _BATCHES[name] = batch
    _defaults.cache_clear()


def find_rules(text: str) -> Rules:
    """Read a game from a command: as in `Rules.parse`, or as ``FILE.py:CLASS`` and perhaps options.

    The file is run, so the text must come from the user and not from a file of games.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: there is no such game, class or option, or the file does not register the class.
    """
    match = re.fullmatch(r"(.+\.py:\w+)(:.*)?", check_text(text, "a game"))
    if match is None:
        return Rules.parse(text)
    game = import_object(match[1])
    for name, known in _GAMES.items():
        if known is game:
            return Rules.parse(name + (match[2] or ""))
    raise ValueError(f"{match[1]} is not a registered game; the file must call othello_env.register_game")


@cache
def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=_ENTRY_POINTS)}


def _load_plugin(name: str) -> None:
    """Import the installed module that registers a game of this name, if there is one."""
    if name not in _GAMES and name in _plugins():
        _plugins()[name].load()


def position_to_text(state: State) -> tuple[str, str]:
    """A position in the form that `Rules.position` reads: the board as text, and the name of the player to move.

    If the game has no method `to_text`, the text is the `repr` of the position.
    """
    write = getattr(state, "to_text", None)
    return repr(state) if write is None else write(), state.player_names[state.to_move]


def names_of_moves(start: State, actions: Sequence[int]) -> str:
    """The names of the actions that are played from `start`, separated by spaces. Passes are included.

    >>> names_of_moves(Othello(), (37, 43))
    'f5 d6'
    """
    if type(start) is Othello:
        names = _othello_names(start.size)
        return " ".join([names[action] for action in actions])
    if isinstance(start, Tribolo):
        return " ".join(map(start.action_to_text, actions))
    named, state = [], start
    for action in actions:  # in checkers, the name of an action depends on the position
        following = state.play(action)
        named.append(state.action_to_text(action))
        state = following
    return " ".join(named)


def play_names(start: State, names: str) -> State:
    """Play moves that are named as in `names_of_moves`, and return the last position. All passes must be included.

    Raises:
        NotationError: a name cannot be read.
        IllegalActionError: a move is not legal.
    """
    if type(start) is Othello and (final := _play_othello(start, names.split())) is not None:
        return final
    state = start
    for name in names.split():
        state = state.play(state.action_from_text(name))
    return state


@cache
def _othello_moves(size: int) -> dict[str, tuple[int, np.uint64]]:
    """A dict from each action's name to the action and the bit of the disc that the action places (0 for the pass)."""
    start = Othello(size)
    return {start.action_to_text(a): (a, np.uint64(bit)) for a, bit in enumerate(bitboard.ACTION_BITS[size])}


@cache
def _othello_names(size: int) -> tuple[str, ...]:
    """The names of all actions. The index of a name in this tuple is the action."""
    return tuple(_othello_moves(size))


def _play_othello(start: Othello, names: Sequence[str]) -> Othello | None:
    """Play named moves of Othello in compiled code. The loop in `play_names` would take twenty times as long.

    Returns None if a move is illegal, or if a name is not spelled exactly as in `names_of_moves`. Then `play_names`
    plays the moves one by one in its loop.
    """
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
    """Play moves until a move is illegal. Each move is given as the bit of its disc, or as 0 for a pass.

    Returns the sets `own` and `opponent` of the last position, and the number of moves that were played.
    """
    for i in range(len(discs)):
        legal, reply = bitboard.mobility(own, opponent, board)
        if discs[i] & legal != discs[i] or (discs[i] == _0 and (legal != _0 or reply == _0)):
            return own, opponent, i
        own, opponent, _, _ = bitboard.advance(own, opponent, discs[i], board)
    return own, opponent, len(discs)
