"""Finished games as lines of JSON, in a file that grows line by line and outlives a kill.

A line says all that is needed to play the game again::

    {"format": "othello-env game 1", "game": "othello", "agents": ["random", "maximizer"], "opening": 0,
     "position": null, "opening_moves": "f5 d6", "moves": "c3 d3 ...", "result": [1.0, -1.0], "margins": [8.0, -8.0],
     "scores": [36, 28], "fault": null, "seed": 0, "key": 8234..., "openings": "random:10", "clock": null,
     "seconds": null, "versions": {"othello-env": "0.1.0", ...}}

Lists have an entry a player in the order of play: ``agents[0]`` is Black. Without a clock the same tournament always
writes the same lines, byte for byte, if in another order.
"""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.metadata import version
from io import FileIO
from pathlib import Path
from reprlib import repr as short
from typing import Any

from othello_env.arena.play.games import Pairing, lost
from othello_env.games.game import State
from othello_env.games.registry import Rules, names_of_moves, play_names
from othello_env.support.files import check_output, parse_json, read_file

if sys.platform != "win32":
    import fcntl

__all__ = ["GameRecord", "RecordError", "RecordFile", "open_records", "read_records", "versions"]

_FORMAT = "othello-env game 1"
_LARGEST_FILE = 4 << 30  # bytes
_HEAD = b'{"format": "' + _FORMAT.encode() + b'"'


class RecordError(ValueError):
    """A line that is no record, or not what it claims to be; the message names the line."""


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    packages = [(name, version(name)) for name in ("othello-env", "numba", "numpy")]
    return (*packages, ("python", platform.python_version()))


def versions() -> dict[str, str]:
    """What a game is played with."""
    return dict(_versions())


@dataclass(frozen=True)
class GameRecord:
    """A finished game; P = its number of players.

    Attributes:
        game: what is played, see `othello_env.games.registry.Rules`.
        agents: (P,) who plays, in the order of the players.
        opening: the opening's number in its tournament.
        position: where the opening begins, as the game's text and the player to move; None for the game's own start.
        opening_moves: the moves of the opening, separated by spaces, passes included.
        moves: those after it.
        result: (P,) +1 a win, -1 a loss, summing to zero; who loses on the spot has -1.
        margins: (P,) by how much each won, in the unit of the scores.
        scores: (P,) what is on the board at the end.
        fault: which player lost on the spot and why, or None.
        seed: the tournament's.
        key: of all that is random in the game.
        openings: the tournament's openings if they are random, else None.
        clock: each side's, see `othello_env.arena.play.clocks.TimeControl`, or None.
        seconds: (P,) how long each thought, or None without a clock.
        versions: of what the game was played with.
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

    def __repr__(self) -> str:
        scores = " - ".join(map(str, self.scores))
        fault = f", forfeited by {self.agents[self.fault[0]]}" if self.fault else ""
        return f"<GameRecord of {self.game}, {' - '.join(self.agents)}: {scores}, opening {self.opening}{fault}>"

    def to_json(self) -> str:
        """The record as one line, without its end."""
        values = {name: getattr(self, name) for name in _FIELDS}
        if self.fault is not None:
            values["fault"] = {"player": self.fault[0], "reason": self.fault[1]}
        return json.dumps({"format": _FORMAT, **values})

    @classmethod
    def from_json(cls, line: str | bytes) -> GameRecord:
        """The inverse of `to_json`.

        Raises:
            RecordError: the line is no record; what is wrong is named.
        """
        try:
            values = parse_json(line)
        except ValueError as error:
            raise RecordError(f"it is no JSON: {error}") from None
        if not isinstance(values, dict) or values.pop("format", None) != _FORMAT:
            raise RecordError(f'expected {{"format": "{_FORMAT}", ...}}')
        if set(values) != set(_FIELDS):
            wrong = sorted(set(values) ^ set(_FIELDS))
            raise RecordError(f"expected the fields {', '.join(_FIELDS)}; missing or unknown: {', '.join(wrong)}")
        for name, (valid, expected) in _FIELDS.items():
            if not valid(values[name]):
                raise RecordError(f"{name} is {expected}, not {short(values[name])}")
        lists = ("agents", "result", "margins", "scores", "seconds")
        if len({len(values[name]) for name in lists if values[name] is not None}) > 1:
            raise RecordError(f"expected as many {', '.join(lists)} as players")
        if fault := values["fault"]:
            if not 0 <= fault["player"] < len(values["agents"]):
                raise RecordError(f"fault names the player {fault['player']} of {len(values['agents'])}")
            values["fault"] = (fault["player"], fault["reason"])
        arguments: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return cls(**arguments)

    def replay(self) -> State:
        """The position in which the game ended, found by playing it again from its opening.

        Raises:
            RecordError: the game does not go or end as the record says.
        """
        try:
            rules = _rules(self.game)
            base = rules.start(0) if self.position is None else rules.position(*self.position)
            final = play_names(play_names(base, self.opening_moves), self.moves)
        except ValueError as error:
            raise RecordError(f"the game cannot be played again: {error}") from None
        if len(self.agents) != final.num_players:
            raise RecordError(f"the game has {final.num_players} players, not {len(self.agents)}")
        if (self.clock is None) != (self.seconds is None) or not all(0 <= s < math.inf for s in self.seconds or ()):
            raise RecordError(f"seconds of {self.clock or 'no clock'} cannot be {self.seconds}")
        if self.fault is None:
            if not final.is_over:
                raise RecordError(f"the game is not over, nor has it a fault:\n{final}")
            ends = final.scores(), final.returns(), final.margins()
        else:
            player = self.fault[0]
            if final.is_over:
                raise RecordError(f"the game is over and cannot be lost by a fault:\n{final}")
            if self.moves and player != final.to_move:
                raise RecordError(f"the fault is of player {player}, but it is the turn of {final.to_move}:\n{final}")
            end = lost(Pairing(final, (), 0), final, "", player)
            ends = final.scores(), end.returns, end.margins
        for name, expected in zip(("scores", "result", "margins"), ends, strict=True):
            if getattr(self, name) != expected:
                raise RecordError(f"the game ends with {name} {expected}, not {getattr(self, name)}")
        return final

    def transcript(self) -> str:
        """The whole game from where the opening begins, in the game's notation, without passes: ``f5 d6 c3 ...``."""
        return " ".join(name for name in f"{self.opening_moves} {self.moves}".split() if name != "pass")

    @classmethod
    def from_transcript(cls, moves: str, agents: Sequence[str], game: str = "othello") -> GameRecord:
        """The record of a finished game from the start that was played elsewhere. Passes may be left out.

        Raises:
            ValueError: the game cannot be played, is not over, or has not as many players.
        """
        start = Rules.parse(game).start(0)
        final = start.play_transcript(moves)
        if not final.is_over:
            raise ValueError(f"a record is of a finished game, but this one goes on:\n{final}")
        if len(agents) != final.num_players:
            raise ValueError(f"expected {final.num_players} names of players, got {len(agents)}")
        text = names_of_moves(start, final.moves)
        return cls(game, tuple(agents), 0, None, "", text, final.returns(), final.margins(), final.scores())


_rules = lru_cache(8)(Rules.parse)


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_list(*kinds: type) -> Any:
    return lambda value: isinstance(value, list) and all(type(entry) in kinds for entry in value)


def _is_position(value: Any) -> bool:
    return value is None or (_is_list(str)(value) and len(value) == 2)


def _is_fault(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict)
        and set(value) == {"player", "reason"}
        and _is_int(value["player"])
        and _is_text(value["reason"])
    )


_FIELDS: dict[str, tuple[Any, str]] = {
    "game": (_is_text, "a text"),
    "agents": (_is_list(str), "a list of texts"),
    "opening": (_is_int, "a number"),
    "position": (_is_position, "null, or a text and a player"),
    "opening_moves": (_is_text, "a text"),
    "moves": (_is_text, "a text"),
    "result": (_is_list(int, float), "a list of numbers"),
    "margins": (_is_list(int, float), "a list of numbers"),
    "scores": (_is_list(int), "a list of integers"),
    "fault": (_is_fault, "null, or a player and a reason"),
    "seed": (_is_int, "a number"),
    "key": (_is_int, "a number"),
    "openings": (_is_text_or_none, "null or a text"),
    "clock": (_is_text_or_none, "null or a text"),
    "seconds": (lambda value: value is None or _is_list(int, float)(value), "null or a list of numbers"),
    "versions": (lambda value: isinstance(value, dict) and all(map(_is_text, value.values())), "texts by name"),
}
"""The fields of a line in their order: what is valid, and how it is called."""


def read_records(path: str | Path) -> list[GameRecord]:
    """The records of a file; a last line that was torn by a kill is left out.

    Raises:
        OSError: the file cannot be read, or is no regular file.
        ValueError: it has more than 4 GiB.
        RecordError: a line is no record; the message names it.
    """
    data = read_file(path, _LARGEST_FILE, "read records from")
    return _parse(data[: _whole(data, path)], path)


def _whole(data: bytes, path: str | Path) -> int:
    """The number of bytes of whole lines.

    Raises:
        RecordError: what follows them is not the beginning of a record.
    """
    end = data.rfind(b"\n") + 1
    torn = data[end:]
    if not (torn.startswith(_HEAD) or _HEAD.startswith(torn)):
        raise RecordError(f"{path}, line {data.count(10) + 1}: {torn[:60]!r} is no record of a game")
    return end


def _parse(data: bytes, path: str | Path) -> list[GameRecord]:
    records = []
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        try:
            records.append(GameRecord.from_json(line))
        except RecordError as error:
            raise RecordError(f"{path}, line {number}: {error}") from None
    return records


class RecordFile:
    """A file of records to which games are added, each with one write, so that a kill loses none that was added.

    A last line that an earlier kill tore is cut off before a game is added. Use `open_records` to get one.

    Attributes:
        records: those that were in the file when it was opened.
    """

    def __init__(self, file: FileIO, path: Path) -> None:
        data = file.read()
        self._file = file
        self._end = _whole(data, path)
        self._torn = self._end < len(data)
        self.records = _parse(data[: self._end], path)

    def cut_torn_line(self) -> None:
        """Cut off a last line that was not written to its end.

        Raises:
            OSError: the file cannot be written.
        """
        if self._torn:
            self._file.truncate(self._end)
            self._torn = False

    def append(self, record: GameRecord) -> None:
        """Add a game.

        Raises:
            OSError: it cannot be written; a part of its line may have been.
        """
        self.cut_torn_line()
        line = record.to_json().encode() + b"\n"
        while line:
            line = line[self._file.write(line) :]


@contextmanager
def open_records(path: str | Path) -> Iterator[RecordFile]:
    """A file of records, made if there is none, for one process at a time.

    Raises:
        OSError: it cannot be opened, another process writes to it, or it is no regular file, a symbolic link for one.
        ValueError: it has more than 4 GiB.
        RecordError: a line is no record; the file is left as it is.
    """
    path = Path(path)
    check_output(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b", buffering=0) as file:
        if sys.platform != "win32":
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OSError(f"another process writes to {path}") from None
        if file.seek(0, os.SEEK_END) > _LARGEST_FILE:
            raise ValueError(f"{path} has more than {_LARGEST_FILE:,} bytes")
        file.seek(0, os.SEEK_SET)
        yield RecordFile(file, path)
