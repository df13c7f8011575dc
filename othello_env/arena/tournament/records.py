"""Files of records. Each line is the record of a finished game. If a process is killed, the complete lines are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from othello_env.agent.clock import TimeControl
from othello_env.arena.play.records import FORMAT, GameRecord, RecordError, versions
from othello_env.arena.tournament.schedule import Schedule
from othello_env.support.files import check_output, in_one_process, named, read_file

__all__ = [
    "RecordFile",
    "check_records",
    "open_records",
    "read_records",
    "read_valid_records",
]

_LARGEST_FILE = 4 << 30  # bytes
_HEAD = b'{"format": "' + FORMAT.encode() + b'"'


def read_records(path: str | Path) -> list[GameRecord]:
    """Read and check the records of a file.

    To check a record, its game is played again, which takes about 0.3 ms. If the last line is incomplete because a
    process was killed, the line is skipped.

    Raises:
        OSError: the file cannot be read, or is not a regular file.
        ValueError: the file has more than 4 GiB.
        RecordError: a line is not a record, or its values do not agree with its moves. The message names the line.
    """
    records, messages, _ = _parsed(read_file(path, _LARGEST_FILE, "read records from"))
    if messages:
        raise RecordError(f"{path}, {messages[0]}")
    return records


def read_valid_records(path: str | Path) -> tuple[list[GameRecord], list[str]]:
    """Read the records of a file, and skip damaged records; see `read_records`.

    Returns:
        The records that are not damaged, and a message for each damaged line.

    Raises:
        OSError: the file cannot be read, or is not a regular file.
        ValueError: the file has more than 4 GiB.
    """
    records, messages, _ = _parsed(read_file(path, _LARGEST_FILE, "read records from"))
    return records, [message.splitlines()[0] for message in messages]


def _parsed(data: bytes) -> tuple[list[GameRecord], list[str], int]:
    """The records of a file, a message for each damaged line, and the length in bytes of the complete lines.

    Each record is checked by playing its game again. A last line that is the beginning of a record is no damage.
    """
    *lines, torn = data.split(b"\n")
    records, messages = [], []
    for number, line in enumerate(lines, start=1):
        try:
            record = GameRecord.from_json(line)
            record.replay()
            records.append(record)
        except RecordError as error:
            messages.append(f"line {number}: {error}")
    if not (torn.startswith(_HEAD) or _HEAD.startswith(torn)):
        shown = torn[:60].decode(errors="replace")
        messages.append(f"line {len(lines) + 1}: {shown!r} is not a record of a game")
    return records, messages, len(data) - len(torn)


class RecordFile:
    """A file to which the records of games are added. If the process is killed, the added records are not lost.

    If the last line is incomplete because a process was killed, the line is removed before a record is added. Use
    `open_records` to open such a file.

    Attributes:
        records: the records that were in the file when the file was opened.
    """

    def __init__(self, file: IO[bytes], path: Path) -> None:
        data = file.read()
        self._file = file
        self.records, messages, self._end = _parsed(data)
        if messages:
            raise RecordError(f"{path}, {messages[0]}")
        self._torn = self._end < len(data)

    def cut_torn_line(self) -> None:
        """Remove the last line if it is incomplete.

        Raises:
            OSError: the file cannot be written.
        """
        if self._torn:
            self._file.truncate(self._end)
            self._torn = False

    def append(self, record: GameRecord) -> None:
        """Add the record of a game.

        Raises:
            OSError: the line cannot be written. Then a part of the line may be in the file.
        """
        self.cut_torn_line()
        line = record.to_json().encode() + b"\n"
        with named(self._file.name):
            while line:  # on a disk that becomes full, only a part is written before the error
                line = line[self._file.write(line) :]


@contextmanager
def open_records(path: str | Path) -> Iterator[RecordFile]:
    """Open a file of records, or make a new one. Only one process at a time can have the file open; while it has, a
    file ``NAME.lock`` stands beside the file.

    Raises:
        OSError: the file cannot be opened, another process writes to the file, or the file is not a regular file. A
            symbolic link is not a regular file.
        ValueError: the file has more than 4 GiB.
        RecordError: a line is not a record, or its values do not agree with its moves. In this case, the file is
            not changed.
    """
    path = Path(path)
    check_output(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    lock, busy = path.with_name(f"{path.name}.lock"), OSError(f"another process writes to {path}")
    with in_one_process(lock, busy), path.open("a+b", buffering=0) as file:
        if file.seek(0, os.SEEK_END) > _LARGEST_FILE:
            raise ValueError(f"{path} has more than {_LARGEST_FILE:,} bytes")
        file.seek(0, os.SEEK_SET)
        yield RecordFile(file, path)


def check_records(
    schedule: Schedule,
    clock: TimeControl | None,
    records: Sequence[GameRecord],
    file: str | Path | None,
    hashes: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Check that all records of a file are games of this tournament, and that no game occurs twice.

    `hashes` has the hashes of the agents' files, by the name of the agent; see `othello_env.agent.file_hashes`.

    Raises:
        RecordError: a record is wrong. The message names the line.
    """
    seen = set()
    for line, record in enumerate(records, start=1):
        reason = "it repeats a game" if record.key in seen else _difference(record, schedule, clock, hashes or {})
        if reason is not None:
            raise RecordError(f"{file}, line {line}: {reason}; resume with the same arguments, or name another file")
        seen.add(record.key)


def _difference(
    record: GameRecord, schedule: Schedule, clock: TimeControl | None, hashes: Mapping[str, Mapping[str, str]]
) -> str | None:
    """The reason why a record belongs to another tournament, if it does."""
    used = record.versions
    for name, was, value in (
        ("game", record.game, str(schedule.spec)),
        ("seed", record.seed, schedule.seed),
        ("openings", record.openings, schedule.openings_text),
        ("clock", record.clock, None if clock is None else str(clock)),
        ("othello-env", used.get("othello-env"), versions()["othello-env"]),
    ):
        if was != value:
            return f"it was played with {name} {was}, not {value}"
    if not schedule.has(record.opening, record.agents):
        return f"opening {record.opening} of {' - '.join(record.agents)} is not a game of this tournament"
    game = schedule.pairing(record.opening, record.agents)
    if (record.key, record.position, record.opening_moves) != (game.key, game.opening.position, game.opening.moves):
        return f"opening {record.opening} differs from that of the tournament"
    for path, digest in ((path, digest) for name in record.agents for path, digest in hashes.get(name, {}).items()):
        if used.get(path, digest) != digest:
            return f"it was played with another version of {path}"
    return None
