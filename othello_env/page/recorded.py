"""Recorded games of a tournament. The page shows their scores in a crosstable, and can replay each game."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from othello_env.arena.play.records import FORMAT, GameRecord
from othello_env.arena.rating.elo import rate_tournament
from othello_env.arena.tournament.records import read_records
from othello_env.arena.tournament.results import Tournament, overall
from othello_env.games.registry import Rules
from othello_env.page.messages import GAMES, MAX_PLIES, PageGame, Position

__all__ = ["MOST_GAMES", "Recorded"]

MOST_GAMES = 20_000
"""The most games that a file may have. With more games, the page would be slow."""
_HEAD = b'{"format": "' + FORMAT.encode() + b'"'
_LARGEST = 64 << 20  # the most bytes of a file


class Recorded:
    """The games that a tournament recorded in a file.

    Args:
        name: the file's name.
        records: the recorded games, at least one.

    Raises:
        ValueError: there is no game, or there are more than `MOST_GAMES` games.
    """

    def __init__(self, name: str, records: list[GameRecord]) -> None:
        if not 1 <= len(records) <= MOST_GAMES:
            raise ValueError(f"expected 1 to {MOST_GAMES:,} recorded games, got {len(records):,}")
        self._name = name
        agents = dict.fromkeys(agent for record in records for agent in record.agents)
        self._result = Tournament.of(agents, records)

    @staticmethod
    def is_records(path: Path) -> bool:
        """Whether a file begins like a file of recorded games."""
        with path.open("rb") as file:
            return file.read(len(_HEAD)).startswith(_HEAD)

    @classmethod
    def read(cls, path: Path) -> Recorded:
        """Read the games of a file that ``othello-env tournament --out`` wrote.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is too large, or a line of the file is not a recorded game.
        """
        if path.stat().st_size > _LARGEST:
            raise ValueError(f"the file has more than {_LARGEST >> 20} MiB")
        return cls(path.name, read_records(path))

    def __len__(self) -> int:
        return len(self._result.records)

    def to_json(self, number: int) -> dict[str, Any]:
        """The crosstable and a list of the games, as values for JSON that the page draws.

        Args:
            number: the number of this file. When the page asks for a game, it sends this number.
        """
        records = self._result.records
        place = {agent: i for i, agent in enumerate(self._result.agents)}
        first = records[0]
        about = f"{len(records):,} games of {first.game}, openings {first.openings or 'given'}, seed {first.seed}"
        games = [
            {"seats": [place[agent] for agent in record.agents], "scores": record.scores, "result": record.result}
            | {"opening": record.opening, "fault": None if record.fault is None else record.fault[0]}
            for record in records
        ]
        return {
            "name": self._name,
            "title": self._name,
            "about": about,
            "facts": [],
            "matches": [],
            "curves": [],
            "recorded": number,
            "players": list(Rules.parse(first.game).start(0).player_names),
            "canReplay": first.game in GAMES,
            "standings": self._standings(),
            "games": games,
        }

    def _standings(self) -> list[dict[str, Any]]:
        """For each agent: its name, score and rating, and its score against every other agent."""
        scores, agents = self._result.scores(), self._result.agents
        ratings = self._ratings()
        rows = []
        for agent in agents:
            games, total, _ = overall([scores[agent, other] for other in agents if (agent, other) in scores])
            against = [_cell(scores.get((agent, other))) for other in agents]
            row = {"agent": agent, "games": games, "score": total, "against": against, "elo": None, "interval": None}
            rows.append(row | ratings.get(agent, {}))
        return rows

    def _ratings(self) -> dict[str, dict[str, Any]]:
        """The Elo rating of each agent and its 95% interval. An infinite end of an interval is None.

        An agent is left out if its rating is infinite, or if both ends of its interval are infinite. If the games allow
        no ratings, the dict is empty.
        """
        try:
            ratings = rate_tournament(self._result)
        except ValueError:
            return {}
        found = {}
        for agent, elo in ratings.elo.items():
            ends = [end if math.isfinite(end) else None for end in ratings.interval(agent)]
            if math.isfinite(elo) and ends != [None, None]:
                found[agent] = {"elo": elo, "interval": ends}
        return found

    def game(self, number: int) -> dict[str, Any]:
        """The record of a game for the page, the names of the agents that played it, and the fault in the game.

        The fault says who forfeited the game and why. It is None if nobody forfeited the game.

        Raises:
            ValueError: the page cannot show this kind of game, or the game is too long.
        """
        record = self._result.records[number]
        final = record.replay()
        if record.game not in GAMES or len(final.moves) > MAX_PLIES:
            raise ValueError(f"the page does not show games of {record.game} with {len(final.moves)} plies")
        position = None if record.position is None else Position(*record.position)
        game = PageGame(record.game, 0, position, final.moves)
        return {"record": game.to_json(), "agents": record.agents, "fault": record.fault}


def _cell(match: Any) -> dict[str, Any] | None:
    if match is None:
        return None
    return {"score": match.score, "interval": match.interval, "games": match.games, "margin": match.margin}
