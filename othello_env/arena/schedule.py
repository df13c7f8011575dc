"""The games of a tournament: who plays whom from which opening, in which order and under which key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations

from othello_env.arena.games import Pairing
from othello_env.arena.match import opening_start
from othello_env.arena.rules import Rules, names_of_moves, play_names, position_to_text
from othello_env.games.game import State
from othello_env.games.openings import Openings

__all__ = ["Opening", "Schedule", "ScheduledGame"]


@dataclass(frozen=True, slots=True)
class Opening:
    """Where games begin.

    Attributes:
        number: of the opening in its tournament.
        position: what its moves are played from, as a text and the player to move; None for the game's own start.
        moves: parted by spaces.
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
    key hangs on the game alone, not on what else is played: a tournament with more games or agents has the same games.

    Attributes:
        agents: their names, all different.
        games: the number of games of each group.
        openings: None, ``"random:PLIES"``, or transcripts or States, which are taken in turn.
        seed: determines the openings and all random choices.
        rules: of the game.
        gauntlet: whether only groups with the first agent play.
    """

    agents: tuple[str, ...]
    games: int = 200
    openings: str | tuple[str | State, ...] | None = "random:10"
    seed: int = 0
    rules: Rules = field(default_factory=Rules)
    gauntlet: bool = False

    def __post_init__(self) -> None:
        players = self.rules.num_players
        if len(set(self.agents)) < len(self.agents):
            twice = next(name for name in self.agents if self.agents.count(name) > 1)
            raise ValueError(f"the agents of a tournament have different names, but {twice!r} is given twice")
        if len(self.agents) < players:
            raise ValueError(f"a tournament in {self.rules} needs at least {players} agents, not {len(self.agents)}")
        if self.games < players or self.games % players:
            raise ValueError(
                f"games is a positive multiple of {players} (each opening is played in every rotation of the seats), "
                f"not {self.games}"
            )

    def __iter__(self) -> Iterator[ScheduledGame]:
        """The games in order.

        Raises:
            ValueError: the openings are wrong, or cannot be written down.
        """
        players = self.rules.num_players
        groups = [
            group for group in combinations(range(len(self.agents)), players) if not self.gauntlet or group[0] == 0
        ]
        for opening in self._openings(self.games // players):
            for group in groups:
                for turn in range(players):
                    seats = group[turn:] + group[:turn]
                    names = tuple(self.agents[index] for index in seats)
                    yield ScheduledGame(opening, names, Pairing(opening.start, seats, self._key(opening, names)))

    def __len__(self) -> int:
        others, players = len(self.agents), self.rules.num_players
        if self.gauntlet:
            others, players = others - 1, players - 1
        groups = 1
        for i in range(players):
            groups = groups * (others - i) // (i + 1)
        return groups * self.games

    def _openings(self, n: int) -> Iterator[Opening]:
        openings = Openings(self.openings, self.rules.start)
        usual = self.rules.start(0)
        for number in range(n):
            start, key = opening_start(openings, self.seed, number)
            if openings.positions:
                position, moves = self._written(start, usual)
            else:
                base = self.rules.start(key)
                position = None if base == usual else position_to_text(base)
                moves = names_of_moves(base, start.moves)
            yield Opening(number, position, moves, start)

    def _written(self, start: State, usual: State) -> tuple[tuple[str, str] | None, str]:
        """A given opening as moves from the usual start, or as a position."""
        with suppress(ValueError):  # its moves may have begun elsewhere
            moves = names_of_moves(usual, start.moves)
            if play_names(usual, moves) == start:
                return None, moves
        position = position_to_text(start)
        if self.rules.position(*position) != start:
            raise ValueError(f"this opening cannot be written down, give it as a transcript from the start:\n{start}")
        return position, ""

    def _key(self, opening: Opening, names: Sequence[str]) -> int:
        what = json.dumps([str(self.rules), self.seed, opening.number, opening.position, opening.moves, *names])
        return int.from_bytes(hashlib.blake2b(what.encode(), digest_size=8).digest(), "little")
