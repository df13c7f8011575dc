"""The benchmark on small boards: how far an agent is from perfect play, in its moves, its games and its worst case."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from othello_env.agent import Agent, Policy, make_agent, name_of
from othello_env.arena.match import match_names, play_match
from othello_env.arena.play.records import GameRecord
from othello_env.arena.rating.accuracy import (
    Regret,
    measure_regret,
    openings_name,
    random_accuracy,
    regret_name,
    regret_positions,
    solved_openings,
)
from othello_env.arena.rating.benchmark import file_settings, markdown_table
from othello_env.arena.rating.exploitability import Exploitability, exploitability
from othello_env.arena.tournament.results import Z95, MatchResult
from othello_env.games.game import check_seed
from othello_env.support.numbers import check_whole

__all__ = ["PERFECT", "PerfectionBenchmark", "PerfectionGames", "run_perfection"]

PERFECT = "perfect"
"""The spec of the opponent, an agent that never makes a mistake on small boards."""
_EXPLOITABLE = 4
"""The board size on which the exploitability is measured: a search through all games takes less than a second."""


@dataclass(frozen=True)
class PerfectionGames:
    """An agent's games against perfect play. Each solved opening is played with both colours.

    Attributes:
        size: the board's height and width.
        match: the results of the agent, whose name comes first in `match.agents`.
    """

    size: int
    match: MatchResult

    @property
    def losses(self) -> tuple[float, ...]:
        """For each game, the number of discs that the agent's moves lost.

        This number is the exact score of the opening minus the final margin of the game, both from the agent's point of
        view. No move of the opponent loses discs, since the opponent plays perfectly.
        """
        return tuple(self._exact(record) - self._margin(record) for record in self.match.records)

    @property
    def loss(self) -> float:
        """The mean number of discs that the agent lost in a game; NaN without games."""
        return sum(self.losses) / len(self.losses) if self.losses else math.nan

    @property
    def loss_interval(self) -> tuple[float, float]:
        """The 95% interval of `loss`, computed as if the mean were normally distributed.

        The games with the same opening are not independent. So the mean loss of these games counts as one value. An
        opening has two games, one with each colour, or more if `match` uses the openings several times.
        """
        openings = len(solved_openings(self.size))
        by_opening: dict[int, list[float]] = {}
        for record, loss in zip(self.match.records, self.losses, strict=True):
            by_opening.setdefault(record.opening % openings, []).append(loss)
        means = [sum(losses) / len(losses) for losses in by_opening.values()]
        if len(means) < 2:
            return 0.0, math.inf
        half = Z95 * float(np.std(means, ddof=1)) / math.sqrt(len(means))
        return max(0.0, self.loss - half), self.loss + half

    @property
    def kept(self) -> float:
        """The share of games that ended as under perfect play of both sides: with the same win, draw or loss."""
        same = [np.sign(self._exact(record)) == np.sign(self._margin(record)) for record in self.match.records]
        return sum(same) / len(same) if same else math.nan

    def _exact(self, record: GameRecord) -> float:
        """The exact score of a game's opening in discs, from the agent's point of view."""
        openings = solved_openings(self.size)
        black = openings[record.opening % len(openings)][1]
        return float(black if self._seat(record) == 0 else -black)

    def _margin(self, record: GameRecord) -> float:
        return record.margins[self._seat(record)]

    def _seat(self, record: GameRecord) -> int:
        return record.agents.index(self.match.agents[0])

    def to_json(self) -> dict[str, Any]:
        """The results as plain values."""
        low, high = self.loss_interval
        return {
            **self.match.to_json(),
            "openings": openings_name(self.size),
            "discs_lost_a_game": round(self.loss, 3),
            "discs_lost_interval95": [round(low, 3), None if math.isinf(high) else round(high, 3)],
            "result_kept": round(self.kept, 4),
        }


@dataclass(frozen=True)
class PerfectionBenchmark:
    """An agent's results on a small board.

    Attributes:
        agent: the agent's name.
        regret: the accuracy of the agent's moves in packaged positions, or None if it was not measured.
        games: the agent's games against perfect play, or None if no games were played.
        exploitability: the agent's exploitability on 4x4; None on other boards, or if it was not measured.
        settings: the arguments with which the run can be repeated. ``interrupted`` is true if the run was not finished.
        seconds: the time that the run took, in seconds.
    """

    agent: str
    regret: Regret | None
    games: PerfectionGames | None
    exploitability: Exploitability | None
    settings: dict[str, Any]
    seconds: float

    def __repr__(self) -> str:
        return f"<PerfectionBenchmark {self.head()}>"

    def head(self) -> str:
        """The main result on one line."""
        where = f"{self.settings['size']}x{self.settings['size']}"
        if self.regret is None:
            return f"{self.agent} on {where}, seed {self.settings['seed']}"
        (low, high), (least, most) = self.regret.all.rate_interval, self.regret.all.loss_interval
        return (
            f"{self.agent} on {where}: {self.regret.rate:.1%} of its moves are perfect ({low:.1%} to {high:.1%}), "
            f"{self.regret.loss:.2f} discs lost a move ({least:.2f} to {most:.2f}) "
            f"({regret_name(self.regret.size)}, {self.regret.all.positions} positions, seed {self.settings['seed']})"
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The titles of the columns of `rows`."""
        return ("empty", "positions", "perfect", "95% interval", "at random", "discs lost", "at random")

    def rows(self) -> list[tuple[str, ...]]:
        """A row of texts for each stage of the game; see `columns`."""
        rows: list[tuple[str, ...]] = []
        for stage in self.regret.stages if self.regret else ():
            (low, high), (rate, loss) = stage.accuracy.rate_interval, stage.random
            cells = (f"{stage.accuracy.rate:.1%}", f"{low:.1%} to {high:.1%}", f"{rate:.1%}")
            discs = (f"{stage.accuracy.loss:.2f}", f"{loss:.2f}")
            rows.append((f"{stage.fewest} to {stage.most}", str(stage.accuracy.positions), *cells, *discs))
        return rows

    def notes(self) -> list[str]:
        """Further results as a list of sentences."""
        notes = []
        if self.settings.get("interrupted"):
            played = 0 if self.games is None else self.games.match.games
            wanted = self.settings["games_wanted"]
            notes.append(f"The run was interrupted: {played} of {wanted} games against perfect play were played.")
        if self.regret is not None:
            rate, loss = random_accuracy(regret_positions(self.regret.size))
            notes.append(
                f"Random moves: {rate:.1%} perfect, {loss:.2f} discs lost a move. "
                f"{len(self.regret.faults)} illegal or failed."
            )
        if self.games is not None and self.games.match.games:
            match, (low, high) = self.games.match, self.games.loss_interval
            interval = "" if math.isinf(high) else f" ({low:.1f} to {high:.1f})"
            notes.append(
                f"Against perfect play ({match.games} games from solved openings): {match.wins} won, {match.draws} "
                f"drawn, {match.losses} lost; the result that perfect play gets in {self.games.kept:.1%}; "
                f"{self.games.loss:.1f} discs lost a game{interval}."
            )
        if self.exploitability is not None:
            exploit = self.exploitability
            notes.append(
                f"Exploitability, from a best response over the whole game: {exploit.discs:.1f} discs a game. As Black "
                f"{exploit.worst[0]:+.0f} (perfect {exploit.perfect[0]:+.0f}), as White "
                f"{exploit.worst[1]:+.0f} (perfect {exploit.perfect[1]:+.0f})."
            )
        return notes

    def faults(self) -> list[str]:
        """The reasons for illegal and failed answers."""
        games = self.games.match.faults(0) if self.games else []
        return [*games, *(self.regret.faults if self.regret else ())]

    def to_markdown(self) -> str:
        """The results as a Markdown page with a table."""
        table = markdown_table(self.columns, self.rows()) if self.regret else []
        return "\n".join([f"# {self.agent}", "", self.head(), "", *table, "", *(f"- {n}" for n in self.notes()), ""])

    def to_json(self) -> dict[str, Any]:
        """The results as plain values: rates from 0 to 1, losses in discs."""
        values: dict[str, Any] = {"format": "othello-env perfection 1", "agent": self.agent, **self.settings}
        values |= {"version": version("othello-env"), "seconds": round(self.seconds, 2)}
        if self.regret is not None:
            values["moves"] = self.regret.to_json()
        if self.games is not None:
            values["games"] = self.games.to_json()
        if self.exploitability is not None:
            exploit = self.exploitability
            values["exploitability"] = {
                "discs": exploit.discs,
                "perfect": list(exploit.perfect),
                "worst": list(exploit.worst),
                "positions": exploit.positions,
            }
        return values


def run_perfection(
    agent: str | Agent | Policy,
    *,
    size: int = 6,
    name: str | None = None,
    games: int | None = None,
    seed: int = 0,
    progress: Callable[[PerfectionBenchmark], object] | None = None,
) -> PerfectionBenchmark:
    """Measure how far an agent is from perfect play on a small board.

    First the agent is asked for its moves in the packaged positions. On 4x4, if all these answers are legal, the
    exploitability of the agent is measured next. At the end, the agent plays each packaged opening with both colours
    against the agent `perfect`.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        size: the board's height and width, 4 or 6.
        name: the agent's name in the results; by default its spec or `repr`.
        games: the number of games, even; 0 for no games. If it is None, each opening is played once with each colour.
        seed: the same seed gives the same results.
        progress: called with the results so far, after the positions and after each game.

    Raises:
        AgentError: the agent gave an illegal answer while its exploitability was measured.
        AgentLeftError: the agent has left the game, as a person can.
        TypeError: `games` or `seed` is not an integer.
        ValueError: there are no packaged positions for this size, `games` is odd or negative, or `seed` is negative.
        WrongGameError: the agent does not play Othello on boards of this size.
    """
    seed, began = check_seed(seed), time.perf_counter()
    openings = [state for state, _ in solved_openings(size)]
    games = 2 * len(openings) if games is None else check_whole("games", games, 0)
    player = make_agent(agent, seed)
    name = name or name_of(agent, player)
    settings = {"size": size, "seed": seed, "games_wanted": games, **file_settings(player)}
    records: list[GameRecord] = []

    def so_far() -> PerfectionBenchmark:
        played = PerfectionGames(size, MatchResult(match_names(player, PERFECT), tuple(records))) if records else None
        return PerfectionBenchmark(name, regret, played, worst_case, settings, time.perf_counter() - began)

    def take(record: GameRecord) -> None:
        records.append(record)
        if progress is not None:
            progress(so_far())

    regret = measure_regret(player, size=size, seed=seed)
    worst_case = exploitability(player, seed=seed) if size == _EXPLOITABLE and not regret.faults else None
    if progress is not None:
        progress(so_far())
    if games:
        play_match(
            player, PERFECT, games=games, openings=openings, seed=seed, game=f"othello:size={size}", progress=take
        )
    return so_far()
