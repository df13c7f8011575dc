"""The games of a tournament: who plays whom from which opening, in which order and under which key."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from othello_env.arena.openings import find_openings, opening_start
from othello_env.arena.play.games import Pairing, check_games
from othello_env.games.game import State, check_seed
from othello_env.games.openings import Openings
from othello_env.games.registry import Rules, names_of_moves, play_names, position_to_text

__all__ = ["Opening", "Schedule", "ScheduledGame"]

_USUAL_GAMES = 200


@dataclass(frozen=True, slots=True)
class Opening:
    """Where games begin.

    Attributes:
        number: of the opening in its tournament.
        position: what its moves are played from, as a text and the player to move; None for the game's own start.
        moves: separated by spaces.
        start: the position after them.
    """

    number: int
    position: tuple[str, str] | None
    moves: str
    start: State


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """A game to be played, its agents in the order of the players."""

    opening: Opening
    agents: tuple[str, ...]
    pairing: Pairing


@dataclass(frozen=True)
class Schedule:
    """What a tournament plays.

    Each group of agents, a pair in games for two, plays each opening once in every rotation of its seats: a pair with
    both colours. All groups have the same openings, and all play the first one before any plays the second. A game's
    key depends only on the game, not on what else is played: a tournament with more games or agents has the same games.

    Attributes:
        agents: their names, all different.
        games: the number of games of each group, a multiple of the number of players; None counts as 200, or the next
            such number.
        openings: None, ``"random:PLIES"``, ``"balanced-v0"`` for the packaged list, or transcripts or States; lists are
            taken in turn.
        seed: determines the openings and all random choices.
        rules: of the game.
        gauntlet: whether only groups with the first agent play.
        near: only agents at most so many places apart in the list meet; None for no limit.

    Raises:
        TypeError: games or the seed is no integer.
        ValueError: there are too few agents or two of one name, games is no such number, the seed is negative, or an
            opening is wrong.
    """

    agents: tuple[str, ...]
    games: int | None = None
    openings: str | tuple[str | State, ...] | None = "random:10"
    seed: int = 0
    rules: Rules = field(default_factory=Rules)
    gauntlet: bool = False
    near: int | None = None

    def __post_init__(self) -> None:
        players = self.rules.num_players
        if len(set(self.agents)) < len(self.agents):
            twice = next(name for name in self.agents if self.agents.count(name) > 1)
            raise ValueError(f"the agents of a tournament have different names, but {twice!r} is given twice")
        if len(self.agents) < players:
            raise ValueError(f"a tournament in {self.rules} needs at least {players} agents, not {len(self.agents)}")
        if self.games is not None:
            object.__setattr__(self, "games", check_games(self.games, players))
        object.__setattr__(self, "seed", check_seed(self.seed))
        _ = self._given  # what is wrong with the openings is told at once

    def __repr__(self) -> str:
        given = f"{len(self._given)} given" if self._given else self.openings or "start"
        what = f"{len(self)} games of {self.rules}: {len(self.agents)} agents"
        return f"<Schedule of {what}, openings {given}, seed {self.seed}>"

    def __iter__(self) -> Iterator[ScheduledGame]:
        """The games in order, made one by one."""
        return self.missing(frozenset())

    def __len__(self) -> int:
        return len(self._seatings) * self.num_openings

    @property
    def num_openings(self) -> int:
        """How many openings each group plays."""
        players = self.rules.num_players
        return math.ceil(_USUAL_GAMES / players) if self.games is None else self.games // players

    def missing(self, done: Container[tuple[int, tuple[str, ...]]]) -> Iterator[ScheduledGame]:
        """The games in order but for some: those of these openings (by number) and agents (in the order of play)."""
        for number in range(self.num_openings):
            wanted = [names for names in self._seatings if (number, names) not in done]
            if wanted:
                opening = self._opening(number)
                for names in wanted:
                    yield self._game(opening, names)

    def games_of(self, number: int) -> dict[tuple[str, ...], ScheduledGame]:
        """The games from the opening of this number by their agents, in the order of play; none if it is not played."""
        if not 0 <= number < self.num_openings:
            return {}
        opening = self._opening(number)
        return {names: self._game(opening, names) for names in self._seatings}

    @cached_property
    def _seatings(self) -> dict[tuple[str, ...], tuple[int, ...]]:
        """For the agents of each game from an opening, in the order of play, their numbers."""
        players = self.rules.num_players
        furthest = len(self.agents) if self.near is None else self.near
        groups = [
            group
            for group in combinations(range(len(self.agents)), players)
            if (group[0] == 0 or not self.gauntlet) and group[-1] - group[0] <= furthest
        ]
        rotations = [group[turn:] + group[:turn] for group in groups for turn in range(players)]
        return {tuple(self.agents[index] for index in seats): seats for seats in rotations}

    def _game(self, opening: Opening, names: tuple[str, ...]) -> ScheduledGame:
        return ScheduledGame(opening, names, Pairing(opening.start, self._seatings[names], self._key(opening, names)))

    def _opening(self, number: int) -> Opening:
        start, key = opening_start(self._openings, self.seed, number)
        if self._given:
            return Opening(number, *self._given[number % len(self._given)], start)
        base = self.rules.start(key)
        position = None if base == self._usual else position_to_text(base)
        return Opening(number, position, names_of_moves(base, start.moves), start)

    @cached_property
    def _openings(self) -> Openings:
        return find_openings(self.openings, self.rules.start)

    @cached_property
    def _usual(self) -> State:
        return self.rules.start(0)

    @cached_property
    def _given(self) -> list[tuple[tuple[str, str] | None, str]]:
        """Each given opening as moves from the usual start, or as a position."""
        return [self._written(start) for start in self._openings.positions]

    def _written(self, start: State) -> tuple[tuple[str, str] | None, str]:
        with suppress(ValueError):  # its moves may have begun elsewhere
            moves = names_of_moves(self._usual, start.moves)
            if play_names(self._usual, moves) == start:
                return None, moves
        position = position_to_text(start)
        if self.rules.position(*position) != start:
            raise ValueError(f"this opening cannot be written down, give it as a transcript from the start:\n{start}")
        return position, ""

    def _key(self, opening: Opening, names: Sequence[str]) -> int:
        what = json.dumps([str(self.rules), self.seed, opening.number, opening.position, opening.moves, *names])
        return int.from_bytes(hashlib.blake2b(what.encode(), digest_size=8).digest(), "little")
