"""An agent measured against the classic opponents."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from othello_env.agent import Agent, Policy
from othello_env.arena.games import Record
from othello_env.arena.match import MatchResult, play_match
from othello_env.games.game import State
from othello_env.games.othello import Othello

__all__ = ["CLASSICS", "Benchmark", "run_benchmark"]

CLASSICS = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted", "alphabeta:depth=4,eval=weighted")
"""The opponents that an agent is measured against, from the weakest to the strongest."""


@dataclass(frozen=True)
class Benchmark:
    """An agent's results.

    Attributes:
        agent: its name.
        results: for each opponent's spec, the match.
        settings: what repeats the run: size, games, openings, seed, version.
        seconds: how long it took.
    """

    agent: str
    results: dict[str, MatchResult]
    settings: dict[str, Any]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The results as plain values: scores are 0 to 1, margins are discs a game."""
        return {
            "format": "othello-env benchmark 1",
            "agent": self.agent,
            **self.settings,
            "seconds": round(self.seconds, 2),
            "results": [
                {
                    "opponent": opponent,
                    "wins": match.wins,
                    "draws": match.draws,
                    "losses": match.losses,
                    "score": round(match.score, 4),
                    "interval95": [round(end, 4) for end in match.interval],
                    "mean_disc_difference": round(match.margin, 2),
                    "illegal_or_failed": len(match.faults(0)),
                }
                for opponent, match in self.results.items()
            ],
        }


def run_benchmark(
    agent: str | Agent | Policy,
    *,
    name: str | None = None,
    opponents: Sequence[str] = CLASSICS,
    games: int = 200,
    openings: str | Sequence[str | State] | None = "random:10",
    seed: int = 0,
    size: int = 8,
    progress: Callable[[Record], None] | None = None,
) -> Benchmark:
    """Play a match against each opponent.

    Args:
        agent: an agent, a spec or a callable.
        name: what the results call it; by default its spec or `repr`.
        opponents: specs.
        games: the number of games against each, even.
        openings: where games begin, see `othello_env.arena.match.pairings`.
        seed: the same seed gives the same results.
        size: of the board.
        progress: called with each game that ended.
    """
    begin = time.perf_counter()
    results = {
        opponent: play_match(
            agent,
            opponent,
            games=games,
            openings=openings,
            seed=seed,
            new_game=lambda _: Othello(size),
            progress=progress,
        )
        for opponent in opponents
    }
    settings = {
        "size": size,
        "games": games,
        "openings": openings if isinstance(openings, str) else [*map(_opening_text, openings)] if openings else "start",
        "seed": seed,
        "version": version("othello-env"),
    }
    return Benchmark(name or str(agent), results, settings, time.perf_counter() - begin)


def _opening_text(opening: str | State) -> str:
    return opening if isinstance(opening, str) else repr(opening)
