"""Check that a file of records belongs to a tournament, before the tournament is continued."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.records import GameRecord, RecordError, versions
from othello_env.arena.tournament.schedule import Schedule

__all__ = ["check_records"]


def check_records(
    schedule: Schedule, clock: TimeControl | None, records: Sequence[GameRecord], file: str | Path | None
) -> None:
    """Check that all records of a file are games of this tournament, and that no game occurs twice.

    Raises:
        RecordError: a record is wrong. The message names the line.
    """
    expected = _settings_of(schedule, clock)
    seen = set()
    for line, record in enumerate(records, start=1):
        is_known = schedule.has(record.opening, record.agents)
        game = schedule.game(record.opening, record.agents) if is_known else None
        reason = None
        if record.key in seen:
            reason = "it repeats a game"
        elif game is None or game.key != record.key or _settings(record) != expected:
            reason = _difference(record, schedule, expected)
        elif (record.position, record.opening_moves) != (game.opening.position, game.opening.moves):
            reason = f"opening {record.opening} differs from that of the tournament"
        if reason is not None:
            raise RecordError(f"{file}, line {line}: {reason}; resume with the same arguments, or name another file")
        seen.add(record.key)


def _settings(record: GameRecord) -> dict[str, object]:
    return {
        "game": record.game,
        "seed": record.seed,
        "openings": record.openings,
        "clock": record.clock,
        "othello-env": record.versions.get("othello-env"),
    }


def _settings_of(schedule: Schedule, clock: TimeControl | None) -> dict[str, object]:
    return {
        "game": str(schedule.rules),
        "seed": schedule.seed,
        "openings": schedule.openings_text,
        "clock": None if clock is None else str(clock),
        "othello-env": versions()["othello-env"],
    }


def _difference(record: GameRecord, schedule: Schedule, expected: Mapping[str, object]) -> str:
    """The reason why a record belongs to another tournament."""
    was = _settings(record)
    for name, value in expected.items():
        if was[name] != value:
            return f"it was played with {name} {was[name]}, not {value}"
    for agent in record.agents:
        if agent not in schedule.agents:
            return f"it is a game of {agent!r}, and this agent does not play in this tournament"
    return f"opening {record.opening} of {' - '.join(record.agents)} is not a game of this tournament"
