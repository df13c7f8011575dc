"""Games that are to be played (`Pairing`), and records of games that are over (`GameRecord`).

A record is plain data that fits on one line of JSON. A line contains everything that is needed to play the game again::

    {"format": "othello-env game 1", "game": "othello", "agents": ["random", "maximizer"], "opening": 0,
     "position": null, "opening_moves": "f5 d6", "moves": "c3 d3 ...", "result": [1.0, -1.0], "margins": [8.0, -8.0],
     "scores": [36, 28], "fault": null, "seed": 0, "key": 8234..., "openings": "random:10", "clock": null,
     "seconds": null, "versions": {"othello-env": "0.1.0", ...}}

``agents``, ``result``, ``margins``, ``scores`` and ``seconds`` have one entry for each player, in the order of the
players. In Othello the first player is Black. If a tournament without a clock is played again with the
same versions of Python and the packages, the lines are the same, byte for byte. Only their order may be different.
"""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, lru_cache
from importlib.metadata import version

from othello_env.agent.clock import TimeControl
from othello_env.drawing.replay import gif
from othello_env.games.game import State
from othello_env.games.registry import GameSpec
from othello_env.support.files import as_type, parse_json
from othello_env.support.notebook import picture
from othello_env.support.numbers import check_type

__all__ = ["FORMAT", "GameRecord", "Opening", "Pairing", "RecordError", "forfeits", "versions"]

FORMAT = "othello-env game 1"
"""The value of ``format`` in each line."""


class RecordError(ValueError):
    """A record cannot be read, or its values do not agree with its moves.

    If the record is in a file, the message names the line.
    """


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    packages = [(name, version(name)) for name in ("othello-env", "numba", "numpy")]
    return (*packages, ("python", platform.python_version()))


def versions() -> dict[str, str]:
    """The versions of Python and of the packages with which this process plays games, by name."""
    return dict(_versions())


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game begins.

    Attributes:
        number: the number of the opening in its match or tournament.
        position: the position before the opening's moves, as two texts: the board and the name of the player to move.
            None for the usual start of the game.
        moves: the names of the opening's moves, separated by spaces.
        start: the position after these moves.
    """

    number: int
    position: tuple[str, str] | None
    moves: str
    start: State


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game that is to be played; P = number of players.

    Attributes:
        opening: where the game begins.
        agents: (P,), the names of the agents, in the order of the players.
        key: 64 bits that determine everything random in the game.
        game: the name of the game and its options; see `othello_env.games.registry.GameSpec`.
        seed: the seed of the match or tournament.
        openings: the openings of the match or tournament as text, such as ``random:10``. None if the openings
            are the usual start or a given list.
    """

    opening: Opening
    agents: tuple[str, ...]
    key: int
    game: str = "othello"
    seed: int = 0
    openings: str | None = None

    @property
    def start(self) -> State:
        """The position after the opening. From this position on, the agents choose the moves."""
        return self.opening.start


@dataclass(frozen=True)
class GameRecord:
    """A finished game; P = number of players.

    Attributes:
        game: the name of the game and its options; see `othello_env.games.registry.GameSpec`.
        agents: (P,), the agents' names, in the order of the players.
        opening: the opening's number in its match or tournament.
        position: the position before the opening's moves, as two texts: the board and the name of the player to move.
            None for the usual start of the game.
        opening_moves: the moves of the opening, separated by spaces. Passes are included.
        moves: the moves after the opening, separated by spaces. Passes are included.
        result: (P,), each player's result, such as +1 for a win and -1 for a loss. The results add up to zero. A player
            that forfeits gets -1.
        margins: (P,), how far each player is ahead at the end, in the unit of the scores; negative if the player is
            behind. A player that forfeits loses by the largest margin that is possible in the game.
        scores: (P,), each player's count of discs, cells or pieces in the last position.
        fault: the player that forfeited the game, and the reason (an illegal answer, an error, or too much time);
            or None.
        seed: the seed of the match or tournament.
        key: 64 bits that determined everything random in the game.
        openings: the openings of the match or tournament as text, such as ``random:10``. None if the openings
            are the usual start or a given list.
        clock: the time of each side as text (see `othello_env.agent.clock.TimeControl`); None without a clock.
        seconds: (P,), the seconds that each player thought; None without a clock.
        versions: the versions of Python and of the packages with which the game was played, by name; also the SHA-256
            of each file that the spec of an agent names, by its path (see `othello_env.agent.file_hashes`).
        words: what a language model said beside each move, those of the opening included; empty texts beside the moves
            of others. None if nobody said anything; then a line has no such field.
    """

    game: str
    agents: tuple[str, ...]
    opening: int
    position: tuple[str, str] | None
    opening_moves: str
    moves: str
    result: tuple[float, ...]
    margins: tuple[float, ...]
    scores: tuple[int, ...]
    fault: tuple[int, str] | None = None
    seed: int = 0
    key: int = 0
    openings: str | None = None
    clock: str | None = None
    seconds: tuple[float, ...] | None = None
    versions: Mapping[str, str] = field(default_factory=versions, hash=False)
    words: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        scores = " - ".join(map(str, self.scores))
        fault = f", forfeited by {self.agents[self.fault[0]]}" if self.fault else ""
        return f"<GameRecord of {self.game}, {' - '.join(self.agents)}: {scores}, opening {self.opening}{fault}>"

    def _repr_html_(self) -> str | None:
        """A notebook shows a replay of the game. None if the game cannot be drawn or played again."""
        try:
            final = self.replay()
            return picture(gif(self.first_position().positions(final.moves)), repr(self), "gif", "24rem")
        except (RecordError, TypeError):
            return None

    @classmethod
    def from_state(
        cls,
        pairing: Pairing,
        final: State,
        fault: tuple[int, str] | None = None,
        clock: TimeControl | None = None,
        seconds: Sequence[float] = (),
    ) -> GameRecord:
        """The record of a game that was just played.

        Args:
            pairing: the game.
            final: the last position of the game. Its moves begin with the moves of the opening.
            fault: the player that forfeited the game in this position, and the reason; or None.
            clock: the time of each side, or None.
            seconds: (P,), the seconds that each player thought; not used without a clock.
        """
        result, margins = _ends(final, None if fault is None else fault[0])
        return cls(
            game=pairing.game,
            agents=pairing.agents,
            opening=pairing.opening.number,
            position=pairing.opening.position,
            opening_moves=pairing.opening.moves,
            moves=pairing.start.names_of(final.moves[len(pairing.start.moves) :]),
            result=result,
            margins=margins,
            scores=final.scores(),
            fault=fault,
            seed=pairing.seed,
            key=pairing.key,
            openings=pairing.openings,
            clock=None if clock is None else str(clock),
            seconds=None if clock is None else tuple(round(s, 6) for s in seconds),
        )

    @property
    def places(self) -> tuple[tuple[float, ...], ...]:
        """(P,) tuples. Of two players, the one whose tuple is greater has the better place.

        Results decide. In games of more than two players, margins decide between equal results: the last of three did
        worse than the second, though both lost.
        """
        ends = (self.result, self.margins) if len(self.agents) > 2 else (self.result,)
        return tuple(zip(*ends, strict=True))

    def with_files(self, files: Mapping[str, Mapping[str, str]]) -> GameRecord:
        """The record with the hashes of its agents' files. `files` has them by the name of the agent."""
        check_type("files", files, Mapping)
        own = {path: digest for name in self.agents for path, digest in files.get(name, {}).items()}
        return replace(self, versions={**self.versions, **own}) if own else self

    def to_json(self) -> str:
        """The record as one line of JSON, without a newline at the end."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.fault is not None:
            values["fault"] = {"player": self.fault[0], "reason": self.fault[1]}
        words, used = values.pop("words"), values.pop("versions")
        return json.dumps({"format": FORMAT, **values, **({} if words is None else {"words": words}), "versions": used})

    @classmethod
    def from_json(cls, line: str | bytes) -> GameRecord:
        """Make a record from a line that `to_json` wrote.

        Raises:
            RecordError: the line is not a record. The message says what is wrong.
        """
        try:
            values = parse_json(line)
        except ValueError as error:
            raise RecordError(f"it is not JSON: {error}") from None
        if not isinstance(values, dict) or values.pop("format", None) != FORMAT:
            raise RecordError(f'expected {{"format": "{FORMAT}", ...}}')
        values.setdefault("words", None)
        names = [field.name for field in fields(cls)]
        if wrong := sorted({*values} ^ {*names}):
            raise RecordError(f"expected the fields {', '.join(names)}; missing or unknown: {', '.join(wrong)}")
        if isinstance(fault := values["fault"], dict) and {*fault} == {"player", "reason"}:
            values["fault"] = (fault["player"], fault["reason"])
        try:
            record = as_type(values, cls)
        except ValueError as error:
            raise RecordError(str(error)) from None
        lists = ("agents", "result", "margins", "scores", "seconds")
        if len({len(values[name]) for name in lists if values[name] is not None}) > 1:
            raise RecordError(f"expected as many {', '.join(lists)} as players")
        if record.fault is not None and not 0 <= record.fault[0] < len(record.agents):
            raise RecordError(f"fault names the player {record.fault[0]} of {len(record.agents)}")
        return record

    def replay(self) -> State:
        """Play all moves of the game again, and return the last position.

        Raises:
            RecordError: the moves cannot be played, or the end of the game does not agree with the record.
        """
        try:
            final = self.first_position().play_names(self.opening_moves).play_names(self.moves)
        except ValueError as error:
            raise RecordError(f"the game cannot be played again: {error}") from None
        if len(self.agents) != final.num_players:
            raise RecordError(f"the game has {final.num_players} players, not {len(self.agents)}")
        if (self.clock is None) != (self.seconds is None) or not all(0 <= s < math.inf for s in self.seconds or ()):
            raise RecordError(f"seconds of {self.clock or 'no clock'} cannot be {self.seconds}")
        if self.fault is None:
            if not final.is_over:
                raise RecordError(f"the game is not over and was not forfeited:\n{final}")
        else:
            player = self.fault[0]
            if final.is_over:
                raise RecordError(f"the game is over, so nobody can forfeit it:\n{final}")
            if self.moves and player != final.to_move:
                raise RecordError(f"the fault is of player {player}, but it is the turn of {final.to_move}:\n{final}")
        ends = final.scores(), *_ends(final, None if self.fault is None else self.fault[0])
        for name, expected in zip(("scores", "result", "margins"), ends, strict=True):
            if getattr(self, name) != expected:
                raise RecordError(f"the game ends with {name} {expected}, not {getattr(self, name)}")
        return final

    def first_position(self) -> State:
        """The position before the opening's moves."""
        spec = _parsed(self.game)
        return spec.start(0) if self.position is None else spec.position(*self.position)

    def transcript(self) -> str:
        """All moves from the beginning of the opening, in the game's notation, without passes: ``f5 d6 c3 ...``."""
        return " ".join(name for name in f"{self.opening_moves} {self.moves}".split() if name != "pass")

    @classmethod
    def from_transcript(cls, moves: str, agents: Sequence[str], game: str = "othello") -> GameRecord:
        """Make a record of a finished game that another program played. The game began at the usual start.

        Passes may be left out of the moves.

        Raises:
            ValueError: the moves cannot be played or do not end the game, or the number of agents is wrong.
        """
        start = GameSpec.parse(game).start(0)
        final = start.play_transcript(moves)
        if not final.is_over:
            raise ValueError(f"a record is of a finished game, but this game is not over:\n{final}")
        if len(agents) != final.num_players:
            raise ValueError(f"expected {final.num_players} names of players, got {len(agents)}")
        text = start.names_of(final.moves)
        return cls(game, tuple(agents), 0, None, "", text, final.returns(), final.margins(), final.scores())


def _ends(final: State, forfeits: int | None) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The results and the margins of a game whose last position is `final`.

    `forfeits` is the player that forfeited the game, or None. This player gets the result -1 and loses by the largest
    margin that is possible in the game. Each of the other players gains an equal part of what this player loses.
    """
    if forfeits is None:
        return final.outcome(), final.outcome(margins=True)
    shares = [1.0 / (final.num_players - 1)] * final.num_players
    shares[forfeits] = -1.0
    return tuple(shares), tuple(final.largest_margin * share for share in shares)


_parsed = lru_cache(8)(GameSpec.parse)


def forfeits(agent: str, records: Iterable[GameRecord]) -> list[str]:
    """The reasons why an agent forfeited games."""
    return [r.fault[1] for r in records if r.fault is not None and r.agents[r.fault[0]] == agent]
