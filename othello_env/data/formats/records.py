"""Turn the records of matches and tournaments into `Games`.

A record is an `othello_env.arena.play.records.GameRecord`: the agents, the moves and the result of one game.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from othello_env.arena.play.records import GameRecord
from othello_env.arena.tournament.records import read_valid_records
from othello_env.data.games import Games, GamesError
from othello_env.support.numbers import check_each

__all__ = ["games_of_records", "load"]


def load(path: str | Path) -> tuple[Games, list[str]]:
    """Read the games of a file of records; see `games_of_records`.

    Returns:
        The games of all records that can be read, and a message for each damaged line.

    Raises:
        GamesError: the file has no record that can be read, or its records are of different games, such as Othello and
            checkers.
    """
    records, messages = read_valid_records(path)
    if messages and not records:
        raise GamesError(messages[0])
    return games_of_records(records), messages


def games_of_records(records: Sequence[GameRecord]) -> Games:
    """Turn records into `Games`. All records must be of the same game, such as Othello on 8x8.

    For each player there is a column, such as `black`, with the name of the agent that played this side. The column
    `opening` has the number of the opening, and the column `opening_plies` the number of its actions: the agents chose
    only the actions after them. The column `forfeit` has the number of the player that forfeited the game, for example
    with an illegal move. It is -1 if no player forfeited.

    Raises:
        GamesError: `records` is empty, or the records are of different games.
        RecordError: the moves of a record cannot be played, or do not lead to the result in the record.
    """
    records = list(check_each("records", records, GameRecord))
    if not records:
        raise GamesError("there is no record")
    kinds = sorted({record.game for record in records})
    if len(kinds) > 1:
        raise GamesError(f"expected records of one game, got {', '.join(kinds)}")
    finals = [record.replay() for record in records]
    starts = [record.first_position() for record in records]
    names = {name: [record.agents[seat] for record in records] for seat, name in enumerate(finals[0].player_names)}
    forfeits = [-1 if record.fault is None else record.fault[0] for record in records]
    columns: dict[str, Any] = {
        **names,
        "opening": [record.opening for record in records],
        "opening_plies": [len(record.opening_moves.split()) for record in records],
        "forfeit": forfeits,
    }
    return Games.from_states(finals, starts, columns, kinds[0])
