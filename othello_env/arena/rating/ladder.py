"""The ladder: packaged opponents from the random mover to the engine, with ratings that do not change.

The ladder's file says how the ratings were computed: the number of games, their openings and their seed. The opponents'
random choices depend only on the key of the game. The opponents' searches are limited by depth or by the number of
simulations, never by time. So the opponents make the same moves on every machine.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["LADDER", "Ladder", "Rung", "load_ladder"]

LADDER = "ladder-v0"
"""The name of the packaged ladder, for Othello on 8x8. The name changes if the opponents or their ratings change."""

_FORMAT = "othello-env ladder 1"


@dataclass(frozen=True, slots=True)
class Rung:
    """One rung of the ladder: an agent with a known rating.

    Attributes:
        spec: the spec of the agent.
        elo: the agent's rating; the rating of the lowest rung is 0.
        interval: the 95% interval of the rating.
        games: the number of games from which the rating was computed.
    """

    spec: str
    elo: float
    interval: tuple[float, float]
    games: int


@dataclass(frozen=True)
class Ladder:
    """Opponents with ratings.

    Attributes:
        name: the name of this version of the ladder.
        rungs: the opponents, at least two, from the weakest to the strongest.
    """

    name: str
    rungs: tuple[Rung, ...]

    def __repr__(self) -> str:
        ends = " to ".join(f"{rung.spec} {rung.elo:.0f}" for rung in (self.rungs[0], self.rungs[-1]))
        return f"<Ladder {self.name} of {len(self.rungs)} rungs: {ends}>"

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Ladder:
        """A ladder from the values that `scripts/rate_ladder.py` writes.

        Raises:
            ValueError: the values are not in the format of a ladder.
        """
        if values.get("format") != _FORMAT:
            raise ValueError(f'expected {{"format": "{_FORMAT}", ...}}')
        rungs = [
            Rung(r["spec"], r["elo"], (r["interval95"][0], r["interval95"][1]), r["games"]) for r in values["rungs"]
        ]
        return cls(values["name"], tuple(rungs))

    def to_json(self) -> dict[str, Any]:
        """The ladder as plain values."""
        rungs = [
            {
                "spec": rung.spec,
                "elo": round(rung.elo, 1),
                "interval95": [round(end, 1) for end in rung.interval],
                "games": rung.games,
            }
            for rung in self.rungs
        ]
        return {"format": _FORMAT, "name": self.name, "rungs": rungs}


@cache
def load_ladder() -> Ladder:
    """The packaged ladder.

    >>> load_ladder().rungs[0].spec
    'random'
    """
    text = (resources.files("othello_env.arena.rating") / f"{LADDER}.json").read_text(encoding="utf-8")
    return Ladder.from_json(json.loads(text))
