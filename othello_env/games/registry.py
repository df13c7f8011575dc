"""The games that the package knows, by name, and the text that names a game and its options.

A game is described by one object, a `Game`. The package's own games are in the folders beside this file, each with its
`Game` in `game.py`; `othello_env.games` imports these files. `register_game` adds a game of another package.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from othello_env.games.game import NotationError, State, check_text
from othello_env.games.scene import Place, Scene
from othello_env.support.imports import import_object
from othello_env.support.numbers import check_type
from othello_env.support.words import near

if TYPE_CHECKING:
    from othello_env.games.batch import Batch

__all__ = [
    "Game",
    "GameLike",
    "GameSpec",
    "UnknownGameError",
    "find_game",
    "game_of",
    "has_cached_batch",
    "position_to_text",
    "register_game",
    "registered_games",
]

_GAMES: dict[str, Game] = {}
_ENTRY_POINTS = "othello_env.games"


class UnknownGameError(ValueError):
    """No game is registered under this name."""


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game, as the rest of the package sees it.

    Attributes:
        name: the game's name: lower-case letters, digits and hyphens, beginning with a letter.
        state: the class of the positions. The arguments of its constructor are the options of the game, whole numbers
            or texts with defaults; an argument `seed` determines a random start. If the class has `to_text` and
            `from_text`, a record may begin at any position.
        batch: the class of N games as arrays, for the vector environment (and, in the package's own games, for matches
            and data): a function of the number of games and the start position. None if there is no vector environment.
        longest: the largest number of steps that a learner can make in a game against an opponent, or None if the
            number depends on the options.
        scene: a function that returns the content of a picture of a position.
        action_path: a function that returns the squares that a person clicks to play an action in a position: one to
            place a disc, two to move a piece, none to pass.
        rules_text: a function that returns the rules in words, for language models: for a position, the rules of its
            game with its options. By default, the docstring of `state`.
        move_pattern: a regular expression without groups for what looks like the name of a move in a text that
            somebody wrote. What it finds is read in small letters, without spaces, and without a hyphen between a
            letter and a number. By default, it finds the names of all actions.
        explain: a function that says why the move of this name is not legal in a position, or returns None if the name
            is of no move on this board.
        ending: a function that says why a finished game ended, in a few words.
        unit: what a player has more of than the others at the end if the player wins, such as ``disc``; None if wins
            have no margin that is counted so.
        loads: a function that reads a game as other programs print it. It takes the text and the usual start, and
            returns the first and the last position. By default, a text has a board, moves, or both.
        dumps: a function that writes such a text. It takes the first and the last position.
        variants: games with other options that a menu of games offers, too, such as ``size=6``.

    If `scene` and `action_path` are not given and `state` is a subclass of a registered game's class, the pictures are
    those of this game.
    """

    name: str
    state: type[State]
    batch: Callable[[int, Any], Batch] | None = None
    longest: int | None = None
    scene: Callable[[Any], Scene] | None = None
    action_path: Callable[[Any, int], list[Place]] | None = None
    rules_text: Callable[[Any], str] | None = None
    move_pattern: str | None = None
    explain: Callable[[Any, str], str | None] | None = None
    ending: Callable[[Any], str] | None = None
    unit: str | None = None
    loads: Callable[[str, Any], tuple[State, State]] | None = None
    dumps: Callable[[Any, Any], str] | None = None
    variants: tuple[str, ...] = ()

    @property
    def is_random(self) -> bool:
        """Whether the start of a game is random."""
        return "seed" in _defaults(self.state)

    @property
    def defaults(self) -> Mapping[str, Any]:
        """The name and the default of each option. The seed of a random start is not an option."""
        return {key: default for key, default in _defaults(self.state).items() if key != "seed"}


@dataclass(frozen=True)
class GameSpec:
    """A game and its options.

    Attributes:
        name: ``othello``, ``tribolo``, ``checkers``, or the name of a registered game.
        options: the name and the value of each option that differs from its default, in alphabetical order of the
            names.
        initial: the position in which all games begin; None for the game's own start. It is not part of the text.

    >>> str(GameSpec.parse("othello:size=6")), str(GameSpec.parse("othello:size=8"))
    ('othello:size=6', 'othello')
    """

    name: str = "othello"
    options: tuple[tuple[str, Any], ...] = ()
    initial: State | None = None

    @classmethod
    def parse(cls, game: GameLike) -> GameSpec:
        """The game that an argument `game` names. Every function of the package that has this argument calls this one.

        Args:
            game: a name and options as text, such as ``othello`` or ``checkers:size=10,draws=40-move``; a `GameSpec`,
                which is returned; or the State in which all games begin.

        Raises:
            TypeError: the argument is none of the three.
            UnknownGameError: there is no such game, or the class of the State is not registered.
            ValueError: there is no such option, the value of an option is wrong, or the game of the State is over.
        """
        if isinstance(game, GameSpec):
            return game
        if isinstance(game, State):
            return cls._beginning_at(game)
        if not isinstance(game, str):
            advice = f" (did you mean {game.__name__}()?)" if isinstance(game, type) and issubclass(game, State) else ""
            raise TypeError(
                f'expected a game as text, such as "othello:size=6", a GameSpec or a State to begin from, '
                f"not {game!r}{advice}"
            )
        name, colon, text = game.partition(":")
        if name not in _GAMES and name in _plugins():
            _plugins()[name].load()  # the module registers the game
        if name not in _GAMES:
            names = sorted({*_GAMES, *_plugins()})
            advice = "; import the file that registers it first, in a command by --game FILE.py:CLASS"
            listed = ", ".join(names)
            raise UnknownGameError(f"expected one of the games {listed}, got {game!r}{near(name, names) or advice}")
        known = _GAMES[name].defaults
        options: dict[str, Any] = {}
        for part in text.split(",") if colon else ():
            key, equals, value = part.partition("=")
            if not equals:
                raise ValueError(f"{game!r}: expected key=value,key=value after {name}, got {part!r}")
            if key not in known:
                takes = f"it takes {', '.join(known)}" if known else "it takes none"
                raise ValueError(f"{game!r}: {name} has no option {key}{near(key, known)}; {takes}")
            if key in options:
                raise ValueError(f"{game!r} gives {key} twice")
            is_number = isinstance(known[key], int)
            if is_number and not re.fullmatch("[0-9]{1,18}", value):
                raise ValueError(f"{game!r}: {key} must be a number, not {value!r}")
            options[key] = int(value) if is_number else value
        return cls(name).with_options(options)

    @classmethod
    def from_state(cls, state: State) -> GameSpec | None:
        """The game and the options of a position. None if the class of the position is not registered."""
        game = game_of(state)
        if game is None or game.state is not type(state):
            return None
        changed = ((name, value) for name, value in state.options.items() if value != game.defaults[name])
        return cls(game.name, tuple(sorted(changed)))

    @classmethod
    def _beginning_at(cls, state: State) -> GameSpec:
        spec, kind = cls.from_state(state), type(state).__qualname__
        if spec is None:
            raise UnknownGameError(
                f"{kind} is not a registered game; register it first, by "
                f'othello_env.register_game(othello_env.Game(name="{kind.lower()}", state={kind}))'
            )
        if state.is_over:
            raise ValueError(f"no game can begin where it is over:\n{state}")
        is_usual = not spec.definition.is_random and state == spec.start(0)
        return spec if is_usual else replace(spec, initial=state)

    def with_options(self, options: Mapping[str, Any]) -> GameSpec:
        """The same game with more options, which replace those that it has.

        Raises:
            ValueError: the value of an option is wrong, or the games begin at a given position.
        """
        if self.initial is not None and options:
            raise ValueError(f"a game from a given position takes no options, got {dict(options)}")
        spec = GameSpec.from_state(self.definition.state(**self._seed(0), **(dict(self.options) | dict(options))))
        assert spec is not None
        return spec

    def __str__(self) -> str:
        options = ",".join(f"{key}={value}" for key, value in self.options)
        return f"{self.name}:{options}" if options else self.name

    @property
    def definition(self) -> Game:
        """What is registered under the name.

        Raises:
            UnknownGameError: the game is not registered in this process.
        """
        if self.name not in _GAMES:
            GameSpec.parse(self.name)  # raises the error, or imports the module that registers the game
        return _GAMES[self.name]

    @property
    def usual(self) -> GameSpec:
        """The same game, beginning at its own start."""
        return GameSpec(self.name, self.options)

    @property
    def num_players(self) -> int:
        return len(self.definition.state.player_names)

    def start(self, key: int) -> State:
        """The position at the start of a game. Everything random in this position depends only on `key`."""
        if self.initial is not None:
            return self.initial
        seed = self._seed(key)
        return self.definition.state(**seed, **dict(self.options)) if seed else _usual_start(self)

    def _seed(self, key: int) -> dict[str, int]:
        return {"seed": key} if self.definition.is_random else {}

    def batch(self, n: int) -> Batch:
        """A batch of N games.

        Raises:
            ValueError: the game was registered without a batch.
        """
        if self.definition.batch is None:
            raise ValueError(f"the game {self.name} was not registered with a batch")
        return self.definition.batch(n, self.start(0))

    def position(self, text: str, player: str) -> State:
        """Read a position from text in the game's own format.

        Args:
            text: the board.
            player: the name of the player to move.

        Raises:
            NotationError: the text does not show a position of this game.
        """
        read: Any = getattr(self.definition.state, "from_text", None)
        if read is None:
            raise NotationError(f"a position of {self.name} cannot be read from text")
        taken = inspect.signature(read).parameters  # in most games, the text shows the size of the board
        state: State = read(text, player, **{name: value for name, value in self.options if name in taken})
        return state


GameLike = str | GameSpec | State
"""An argument `game`; `GameSpec.parse` explains it."""


@lru_cache(64)
def _usual_start(spec: GameSpec) -> State:
    """The start of a game that always begins in the same position."""
    return spec.definition.state(**dict(spec.options))


@cache
def _defaults(state: type[State]) -> dict[str, Any]:
    """A dict from the name of each argument of a game's class to the argument's default."""
    return {key: parameter.default for key, parameter in inspect.signature(state).parameters.items()}


def register_game(game: Game) -> None:
    """Add a game. Then environments, commands, records, tournaments and files of games know it by its name.

    The environments are ``gymnasium.make("othello_env/Game-v0", game=NAME)``, ``make_vec`` with the same id, and
    `othello_env.envs.GameAEC`. A command takes the game with ``--game FILE.py:CLASS``. An installed package can name a
    module that calls `register_game` in the entry points ``othello_env.games``, under the game's name; then a command
    takes the name alone.

    Raises:
        TypeError: the argument is not a `Game`, or its `state` is not a subclass of State.
        ValueError: the name is not as `Game` says, another class has this name, or an argument of the constructor has
            no default.
    """
    if not isinstance(game, Game):
        raise TypeError(f"expected a Game, such as Game(name=..., state=...), not {game!r}")
    name, state = game.name, game.state
    if not (isinstance(state, type) and issubclass(state, State)):
        raise TypeError(f"the state of a game is a subclass of State, not {state!r}")
    if not re.fullmatch("[a-z][a-z0-9-]*", check_text(name, "the name of a game")):
        raise ValueError(f"the name of a game has lower-case letters, digits and hyphens, unlike {name!r}")
    known = _GAMES.get(name)
    if known is not None and (_is_own(known) or known.state.__qualname__ != state.__qualname__):  # a file may run again
        raise ValueError(f"there is a game {name!r} already: {known.state.__module__}.{known.state.__qualname__}")
    for key, default in _defaults(state).items():
        if default is inspect.Parameter.empty:
            raise ValueError(f"{state.__qualname__}: the argument {key} needs a default")
    base = game_of(state)
    if base is not None:
        drawn = {key: getattr(game, key) or getattr(base, key) for key in ("scene", "action_path")}
        game = replace(game, **drawn)
    _GAMES[name] = game
    _usual_start.cache_clear()


def game_of(state: State | type[State]) -> Game | None:
    """The game of a position or of a class of positions: that of the class, or else of the nearest base class."""
    kind = state if isinstance(state, type) else type(state)
    known = {game.state: game for game in _GAMES.values()}
    return next((known[base] for base in kind.__mro__ if base in known), None)


def has_cached_batch(state: State) -> bool:
    """Whether the package has a batch for the game of a position, so that many games are best played together.

    The compiled functions of these batches are cached. Those of another package's game are compiled in each process,
    which takes longer than a match.
    """
    game = game_of(state)
    return game is not None and game.state is type(state) and game.batch is not None and _is_own(game)


def _is_own(game: Game) -> bool:
    """Whether the game comes with this package."""
    return game.state.__module__.startswith(f"{__name__.rpartition('.')[0]}.")


def registered_games() -> tuple[Game, ...]:
    """The games that are registered in this process, in the order of their registration."""
    return tuple(_GAMES.values())


def find_game(text: str) -> GameSpec:
    """Read a game from a command: as in `GameSpec.parse`, or as ``FILE.py:CLASS`` and perhaps options.

    The file is run, so the text must come from the user and not from a file of games.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: there is no such game, class or option, or the file does not register the class.
    """
    match = re.fullmatch(r"(.+\.py:\w+)(:.*)?", check_text(text, "a game"))
    if match is None:
        return GameSpec.parse(text)
    imported = import_object(match[1])
    for name, game in _GAMES.items():
        if game.state is imported:
            return GameSpec.parse(name + (match[2] or ""))
    raise ValueError(f"{match[1]} is not a registered game; the file must call othello_env.register_game")


@cache
def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=_ENTRY_POINTS)}


def position_to_text(state: State) -> tuple[str, str]:
    """A position in the form that `GameSpec.position` reads: the board as text, and the name of the player to move.

    Raises:
        TypeError: the argument is not a position.
    """
    check_type("state", state, State)
    return state.to_text(), state.player_names[state.to_move]
