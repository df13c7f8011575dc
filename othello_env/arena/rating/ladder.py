"""The ladders: packaged opponents from the random mover to the strongest, with ratings that do not change.

There is a ladder for Othello on 8x8 and a ladder for 6x6. The strongest opponent is the engine on 8x8, and perfect play
on 6x6. A ladder's file says how the ratings were computed: the number of games, their openings and their seed. Each
game has a key (a number). Only this key determines the opponents' random choices. The opponents limit their searches by
depth or by the number of simulations, never by time. So the opponents make the same moves on every machine.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from othello_env.arena.openings import PACKAGED
from othello_env.games.registry import Rules

__all__ = ["LADDER", "LADDERS", "LADDER_6X6", "Ladder", "Rung", "load_ladder"]

LADDER = "ladder-v0"
"""The name of the packaged ladder, for Othello on 8x8. The name changes if the opponents or their ratings change."""
LADDER_6X6 = "ladder-6x6-v0"
"""The name of the packaged ladder for Othello on 6x6. It changes in the same cases as `LADDER`."""
LADDERS = {8: LADDER, 6: LADDER_6X6}
"""The names of the packaged ladders, by the size of the board."""

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
        size: the board's height and width, 8 or 6.
    """

    name: str
    rungs: tuple[Rung, ...]
    size: int = 8

    def __repr__(self) -> str:
        ends = " to ".join(f"{rung.spec} {rung.elo:.0f}" for rung in (self.rungs[0], self.rungs[-1]))
        return f"<Ladder {self.name} of {len(self.rungs)} rungs: {ends}>"

    @property
    def openings(self) -> str:
        """The name of the packaged openings for the games against the rungs."""
        return PACKAGED[self.size]

    @property
    def rules(self) -> Rules:
        """The rules of the games."""
        return Rules.parse(f"othello:size={self.size}")

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Ladder:
        """A ladder from the values that `scripts/make/rate_ladder.py` writes.

        Raises:
            ValueError: the values are not in the format of a ladder.
        """
        if values.get("format") != _FORMAT:
            raise ValueError(f'expected {{"format": "{_FORMAT}", ...}}')
        rungs = [
            Rung(r["spec"], r["elo"], (r["interval95"][0], r["interval95"][1]), r["games"]) for r in values["rungs"]
        ]
        return cls(values["name"], tuple(rungs), values["size"])

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
        return {"format": _FORMAT, "name": self.name, "size": self.size, "rungs": rungs}


@cache
def load_ladder(size: int = 8) -> Ladder:
    """The packaged ladder for boards of one size, 8 or 6.

    Raises:
        ValueError: there is no ladder for this size.

    >>> load_ladder().rungs[0].spec, load_ladder(6).rungs[-1].spec
    ('random', 'perfect')
    """
    if size not in LADDERS:
        raise ValueError(f"the packaged ladders are for boards of size {' or '.join(map(str, LADDERS))}, not {size!r}")
    text = (resources.files("othello_env.arena.rating") / f"{LADDERS[size]}.json").read_text(encoding="utf-8")
    return Ladder.from_json(json.loads(text))
