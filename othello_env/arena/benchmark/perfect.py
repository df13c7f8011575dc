"""An agent's games against perfect play, from solved openings on small boards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from othello_env.agent import Agent, Policy, make_agent
from othello_env.arena.match import match_names, play_match
from othello_env.arena.number import Number
from othello_env.arena.openings import packaged_lines
from othello_env.arena.play.records import GameRecord
from othello_env.arena.report import AGENT, Limits, Part, game_name
from othello_env.arena.statistics import mean_interval
from othello_env.arena.tournament.results import MatchResult
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import named_arguments

__all__ = [
    "OPENINGS",
    "ORDER",
    "PERFECT",
    "PerfectGames",
    "applies",
    "expected_moves",
    "measure",
    "play_perfect",
    "solved_openings",
]

PERFECT = "perfect"
"""The spec of the opponent, an agent that never makes a mistake on small boards."""
OPENINGS = {"othello:size=4": ("openings-4x4-v0", -10), "othello:size=6": ("openings-6x6-v0", -4)}
"""The packaged solved openings by the game: their name, and Black's exact score at the start of the game, in discs."""

ORDER = 4


def applies(game: GameSpec, limits: Limits) -> bool:
    """Whether this part is measured in a game."""
    return limits.games != 0 and str(game) in OPENINGS


def expected_moves(game: GameSpec, limits: Limits) -> int:
    """About how many moves the agent is asked for, if every square is filled and no move is forced."""
    state = solved_openings(game)[0][0]
    return _games(game, limits) * state.empties // 2


def measure(
    agent: Agent, game: GameSpec, seed: int, limits: Limits, progress: Callable[[PerfectGames], object]
) -> PerfectGames:
    """An agent's games against perfect play, as a part of a benchmark. Each opening is played once with each colour."""
    return play_perfect(agent, game=game, games=_games(game, limits), seed=seed, progress=progress)


def _games(game: GameSpec, limits: Limits) -> int:
    each_once = 2 * len(solved_openings(game))
    return each_once if limits.games is None else min(limits.games, each_once)


@dataclass(frozen=True)
class PerfectGames(Part):
    """An agent's games against perfect play.

    Attributes:
        game: the game, such as ``othello:size=6``.
        match: the results of the agent, whose name comes first in `match.agents`.
    """

    game: str
    match: MatchResult
    part = "perfect"

    @property
    def losses(self) -> tuple[float, ...]:
        """For each game, the number of discs that the agent's moves lost.

        This number is the exact score of the opening minus the final margin of the game, both from the agent's point of
        view. No move of the opponent loses discs, since the opponent plays perfectly.
        """
        return tuple(self._exact(record) - self._margin(record) for record in self.match.records)

    @property
    def loss(self) -> float:
        """The mean number of discs that the agent lost in a game. There must be a game."""
        return sum(self.losses) / len(self.losses)

    @property
    def loss_interval(self) -> tuple[float, float] | None:
        """The 95% interval of `loss`; None if only one opening was played. See `othello_env.arena.mean_interval`.

        The games with the same opening are not independent. So the mean loss of these games counts as one value. An
        opening has two games, one with each colour, or more if `match` uses the openings several times.
        """
        openings = len(solved_openings(self.game))
        by_opening: dict[int, list[float]] = {}
        for record, loss in zip(self.match.records, self.losses, strict=True):
            by_opening.setdefault(record.opening % openings, []).append(loss)
        if len(by_opening) < 2:
            return None
        mean = mean_interval([sum(losses) / len(losses) for losses in by_opening.values()])
        half = mean.interval[1] - mean.mean
        return max(0.0, self.loss - half), self.loss + half

    @property
    def kept(self) -> float:
        """The share of games that ended as under perfect play of both sides: with the same win, draw or loss."""
        same = [np.sign(self._exact(record)) == np.sign(self._margin(record)) for record in self.match.records]
        return sum(same) / len(same)

    def _exact(self, record: GameRecord) -> float:
        """The exact score of a game's opening in discs, from the agent's point of view."""
        openings = solved_openings(self.game)
        black = openings[record.opening % len(openings)][1]
        return float(black if self._seat(record) == 0 else -black)

    def _margin(self, record: GameRecord) -> float:
        return record.margins[self._seat(record)]

    def _seat(self, record: GameRecord) -> int:
        return record.agents.index(self.match.agents[0])

    @property
    def numbers(self) -> tuple[Number, ...]:
        low, high = self.loss_interval or (None, None)
        return (
            Number("discs lost a game", self.game, self.loss, "discs", low, high),
            Number("results kept", self.game, self.kept, "share"),
        )

    @property
    def how(self) -> str:
        return f"{self.match.games} games against perfect play, openings {OPENINGS[self.game][0]}"

    @property
    def notes(self) -> tuple[str, ...]:
        match = self.match
        return (f"Against perfect play: {match.wins} won, {match.draws} drawn, {match.losses} lost.",)

    @property
    def faults(self) -> list[str]:
        return self.match.faults(0)

    @property
    def records(self) -> list[GameRecord]:
        own = self.match.agents[0]
        return [
            replace(record, agents=tuple(AGENT if name == own else PERFECT for name in record.agents))
            for record in self.match.records
        ]

    @property
    def details(self) -> dict[str, Any]:
        return self.match.to_json() | {"openings": OPENINGS[self.game][0]}

    def status(self) -> tuple[str, ...]:
        return (f"{self.match.games} games", f"{self.loss:.1f} discs lost a game")


@named_arguments
def play_perfect(
    agent: str | Agent | Policy,
    *,
    game: GameLike = "othello:size=6",
    games: int | None = None,
    seed: int = 0,
    progress: Callable[[PerfectGames], object] | None = None,
) -> PerfectGames:
    """Play solved openings, each with both colours, against the agent `perfect`.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        game: ``"othello:size=6"`` or ``"othello:size=4"``.
        games: the number of games, even. If it is None, each opening is played once with each colour.
        seed: the same seed gives the same results.
        progress: called with the results so far, after each game.

    Raises:
        AgentLeftError: the agent has left the game, as a person can.
        TypeError: `games` or `seed` is not an integer.
        ValueError: there are no openings for this game, `games` is odd or not positive, or `seed` is negative.
        WrongGameError: the agent does not play this game.
    """
    openings, name = [state for state, _ in solved_openings(game)], game_name(game)
    player = make_agent(agent, seed)
    records: list[GameRecord] = []

    def so_far() -> PerfectGames:
        return PerfectGames(name, MatchResult(match_names(player, PERFECT), tuple(records)))

    def take(record: GameRecord) -> None:
        records.append(record)
        if progress is not None:
            progress(so_far())

    play_match(
        player,
        PERFECT,
        games=2 * len(openings) if games is None else games,
        openings=openings,
        seed=seed,
        game=game,
        progress=take,
    )
    return so_far()


def solved_openings(game: GameLike = "othello:size=6") -> tuple[tuple[Othello, int], ...]:
    """The packaged openings for a game. Each opening has a position, and Black's exact score in discs.

    The first opening is the start of the game. The other openings come from the file that `OPENINGS` names. On 6x6,
    about half of the openings in this file end in a draw under perfect play. No two openings are equal under symmetry.
    `scripts/make/scored_positions.py` made and solved them.

    Raises:
        ValueError: there are no openings for this game.
    """
    name = game_name(game)
    if name not in OPENINGS:
        raise ValueError(f"exact scores from the start are known for {' and '.join(OPENINGS)}, not {name}")
    return _load(name)


@cache
def _load(game: str) -> tuple[tuple[Othello, int], ...]:
    start, (name, score) = GameSpec.parse(game).start(0), OPENINGS[game]
    assert isinstance(start, Othello)
    lines = map(str.split, packaged_lines("othello_env.arena.benchmark", f"{name}.txt"))
    return (start, score), *((Othello.from_moves(moves, start.size), int(black)) for moves, black in lines)
