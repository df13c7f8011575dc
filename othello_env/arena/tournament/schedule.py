"""The schedule of games: their agents, openings and random keys, and the order in which they are played.

Matches and tournaments use a schedule. So does the rating of an agent (`othello_env.arena.benchmark.ladder`). The same
seed gives the same schedule.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

from othello_env.arena.openings import BALANCED, balanced_openings
from othello_env.arena.play.records import Opening, Pairing
from othello_env.games.game import State, check_seed
from othello_env.games.hashing import mix_int
from othello_env.games.openings import Openings
from othello_env.games.registry import GameLike, GameSpec, position_to_text
from othello_env.support.numbers import as_integer, check_flag, check_type, check_whole, is_ordered, named_arguments

__all__ = ["Schedule", "check_games", "find_openings"]

_USUAL_GAMES = 200
_DRAWN = "balanced-v1"
_KEPT_OPENINGS = 8


@dataclass(frozen=True)
class Schedule:
    """The games of a match or a tournament.

    The agents of one game are called a group. A group of two agents plays each opening twice, with swapped colours. A
    group of three agents plays each opening three times, and each agent has each seat once. All groups have the same
    openings, and all groups play the first opening before any group plays the second opening. A match is a tournament
    of two agents.

    Each game has a key, a number that determines everything random in the game. The key depends only on the game, the
    seed, the opening and the agents' names. So if games or agents are added to a tournament, the games that it had
    before do not change.

    Attributes:
        agents: the names of the agents, all different.
        games: the number of games of each group, a multiple of the number of players. None means 200, or 201 if
            the game is for three players.
        openings: None for the usual start, ``"random:PLIES"`` for this number of random plies, or the name of a
            packaged list (`othello_env.arena.openings.BALANCED`). It can also be a list of transcripts or States. The
            openings of a list are used in turn. After the last opening, the list begins again. Agents without random
            choices then repeat their games, so use a list with enough openings.
        seed: determines the openings and all random choices.
        game: the game, such as ``"othello:size=6"``, a `GameSpec`, or a State in which all games begin. A class of
            States is registered first; see `othello_env.register_game`.
        gauntlet: whether only the groups that include the first agent play.
        near: agents play each other only if their places in `agents` differ by at most this number; None for no limit.
        spec: the `GameSpec` of `game`.

    Raises:
        TypeError: `games`, `seed` or `near` is not an integer, `gauntlet` is not a bool, or `agents` is a set or dict.
        ValueError: there are too few agents, two agents have the same name, `games` is not a positive multiple of the
            number of players, the seed is negative, `near` is below 1, the game is unknown, or an opening is wrong.
    """

    agents: tuple[str, ...]
    games: int | None = None
    openings: str | Sequence[str | State] | None = "random:10"
    seed: int = 0
    game: GameLike = "othello"
    gauntlet: bool = False
    near: int | None = None
    spec: GameSpec = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spec", GameSpec.parse(self.game))
        players = self.spec.num_players
        if not is_ordered(self.agents):
            raise TypeError(f"the agents of a tournament must be a tuple of names, not {self.agents!r}")
        for name in self.agents:
            check_type("the name of an agent", name, str)
        if len(set(self.agents)) < len(self.agents):
            twice = next(name for name in self.agents if self.agents.count(name) > 1)
            raise ValueError(f"the agents of a tournament have different names, but {twice!r} is given twice")
        if len(self.agents) < players:
            raise ValueError(f"a tournament in {self.spec} needs at least {players} agents, not {len(self.agents)}")
        if self.games is not None:
            object.__setattr__(self, "games", check_games(self.games, players))
        object.__setattr__(self, "seed", check_seed(self.seed))
        check_flag("gauntlet", self.gauntlet)
        if self.near is not None:
            check_whole("near", self.near, 1)
        _ = self._given  # reads the openings now, so that a wrong opening raises an error at once
        if self.spec.initial is not None:
            self._written(self.spec.initial)  # raises the error if records cannot store it

    def __repr__(self) -> str:
        given = f"{len(self._given)} given" if self._given else self.openings or "start"
        what = f"{len(self)} games of {self.spec}: {len(self.agents)} agents"
        return f"<Schedule of {what}, openings {given}, seed {self.seed}>"

    def __iter__(self) -> Iterator[Pairing]:
        """The games in order. Each game is made when it is needed."""
        return self.missing(frozenset())

    def __len__(self) -> int:
        return len(self._seatings) * self.num_openings

    @property
    def num_openings(self) -> int:
        """The number of openings that each group plays."""
        players = self.spec.num_players
        return math.ceil(_USUAL_GAMES / players) if self.games is None else self.games // players

    @property
    def openings_text(self) -> str | None:
        """The openings as text for records; None if the openings are the usual start or a given list."""
        return self.openings if isinstance(self.openings, str) else None

    def missing(self, done: Container[tuple[int, tuple[str, ...]]]) -> Iterator[Pairing]:
        """The games in order, without the games in `done`. An entry of `done` is (number of the opening, agents)."""
        for number in range(self.num_openings):
            for names in self._seatings:
                if (number, names) not in done:
                    yield self.pairing(number, names)

    def has(self, number: int, agents: tuple[str, ...]) -> bool:
        """Whether these agents (in the order of the players) play the opening with this number."""
        return 0 <= number < self.num_openings and agents in self._seatings

    def pairing(self, number: int, agents: tuple[str, ...]) -> Pairing:
        """The game of these agents (in the order of the players) from the opening with this number."""
        opening = self._opening(check_whole("the number of an opening", number, 0))
        return Pairing(opening, agents, self._key(opening, agents), self._game_text, self.seed, self.openings_text)

    @cached_property
    def _game_text(self) -> str:
        return str(self.spec)

    def _key(self, opening: Opening, names: Sequence[str]) -> int:
        what = json.dumps([self._game_text, self.seed, opening.number, opening.position, opening.moves, *names])
        return int.from_bytes(hashlib.blake2b(what.encode(), digest_size=8).digest(), "little")

    @cached_property
    def _seatings(self) -> dict[tuple[str, ...], None]:
        """The games that begin with one opening, in order, as the keys of a dict.

        Each key has the names of a game's agents, in the order of the players.
        """
        players = self.spec.num_players
        furthest = len(self.agents) if self.near is None else self.near
        groups = [
            group
            for group in combinations(range(len(self.agents)), players)
            if (group[0] == 0 or not self.gauntlet) and group[-1] - group[0] <= furthest
        ]
        rotations = [group[turn:] + group[:turn] for group in groups for turn in range(players)]
        return dict.fromkeys(tuple(self.agents[place] for place in seats) for seats in rotations)

    @cached_property
    def _opening(self) -> Callable[[int], Opening]:
        """A function that returns the opening with a given number.

        The function keeps the last few openings in memory, because several games begin with each opening.
        """
        return lru_cache(_KEPT_OPENINGS)(self._make_opening)

    def _make_opening(self, number: int) -> Opening:
        """The opening with this number.

        Without a list of openings, a key determines the start of the game and the random moves that follow. A list of
        openings is used from the first opening to the last, and then from the first opening again.
        """
        if self._given:
            place = number % len(self._given)
            return Opening(number, *self._given[place], self._openings.positions[place])
        key = mix_int(mix_int(self.seed, 0), number)
        start = self._openings.draw(key)
        base = self.spec.start(key)
        position = None if base == self._usual else position_to_text(base)
        return Opening(number, position, base.names_of(start.moves[len(base.moves) :]), start)

    @cached_property
    def _openings(self) -> Openings:
        return find_openings(self.openings, self.spec.start, self.seed, self.num_openings)

    @cached_property
    def _usual(self) -> State:
        """The position in which a game begins if its record has no `position`."""
        return self.spec.usual.start(0)

    @cached_property
    def _given(self) -> list[tuple[tuple[str, str] | None, str]]:
        """The openings of a given list, each as (position, moves) in text.

        If the position is None, the moves begin at the usual start.
        """
        return [self._written(start) for start in self._openings.positions]

    def _written(self, start: State) -> tuple[tuple[str, str] | None, str]:
        with suppress(ValueError):  # raised if the moves do not begin at the usual start
            moves = self._usual.names_of(start.moves)
            if self._usual.play_names(moves) == start:
                return None, moves
        position = position_to_text(start)
        if self.spec.position(*position) != start:
            raise ValueError(f"this opening cannot be stored; give it as a transcript from the start:\n{start}")
        return position, ""


Schedule.__init__ = named_arguments(Schedule.__init__)


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


def find_openings(
    openings: str | Sequence[str | State] | None,
    begin: Callable[[int], State],
    seed: int = 0,
    most: int | None = None,
) -> Openings:
    """The openings that a text or a list describes.

    Args:
        openings: a name in `BALANCED`, or an argument for `othello_env.games.openings.Openings`.
        begin: a function that takes a random key (an integer) and returns the position in which a game begins.
        seed: chooses where games begin in the list ``balanced-v1``.
        most: of ``balanced-v1``, at most this number of openings is read; None for all.

    Raises:
        ValueError: an opening is wrong, `openings` has weights (games take the openings of a list in turn), or it is a
            packaged list for another game or another size of the board.
    """
    if isinstance(openings, Mapping):
        raise ValueError(f"expected openings without weights, as a list: games take them in turn; got {openings!r}")
    if not isinstance(openings, str) or openings not in BALANCED:
        return Openings(openings, begin)
    game = GameSpec.parse(BALANCED[openings])
    if begin(0) != game.start(0):
        raise ValueError(f"the openings {openings} are for {game}")
    lines = balanced_openings(openings)
    if openings == _DRAWN:
        first = mix_int(seed, 0) % len(lines)
        lines = (lines[first:] + lines[:first])[:most]
    return Openings(lines, begin)
