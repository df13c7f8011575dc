"""Records of matches and tournaments as games."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from othello_env.arena.play.records import GameRecord
from othello_env.arena.tournament.records import read_valid_records
from othello_env.data.games import Games, GamesError
from othello_env.games.registry import Rules

__all__ = ["games_of_records", "load"]


def load(path: str | Path) -> tuple[Games, list[str]]:
    """The games of a file of records; see `games_of_records`.

    Returns:
        The games of the records that are not damaged, and a message for each damaged line.

    Raises:
        GamesError: the file has no such record, or the records are of several games.
    """
    records, messages = read_valid_records(path)
    if messages and not records:
        raise GamesError(messages[0])
    return games_of_records(records), messages


def games_of_records(records: Sequence[GameRecord]) -> Games:
    """The games of records of one game.

    The columns are one for each player (such as `black`) with the agent's name, `opening` with the number of the
    opening, and `forfeit` with the number of the player that forfeited, or -1.

    Raises:
        GamesError: there is no record, or the records are of several games.
        RecordError: a record contradicts its moves.
    """
    if not records:
        raise GamesError("there is no record")
    kinds = sorted({record.game for record in records})
    if len(kinds) > 1:
        raise GamesError(f"expected records of one game, got {', '.join(kinds)}")
    rules = Rules.parse(kinds[0])
    finals = [record.replay() for record in records]
    starts = [rules.start(0) if record.position is None else rules.position(*record.position) for record in records]
    names = {name: [record.agents[seat] for record in records] for seat, name in enumerate(finals[0].player_names)}
    forfeits = [-1 if record.fault is None else record.fault[0] for record in records]
    columns: dict[str, Any] = {**names, "opening": [record.opening for record in records], "forfeit": forfeits}
    return Games.of(finals, starts, columns)
