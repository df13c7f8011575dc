"""The benchmark of an agent: its rating and its accuracy in endgames; on small boards, a comparison with perfect play.

Exploitability is how much the best possible opponent wins against an agent on 4x4. This opponent plays a best response
to the agent, which a search through all games that are possible against the agent finds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from typing import Any

import numpy as np

from othello_env.agent import Agent, Policy, Seat, file_hashes, make_agent, name_of
from othello_env.arena.match import match_names, play_match
from othello_env.arena.openings import packaged_lines
from othello_env.arena.play.records import GameRecord
from othello_env.arena.rating.accuracy import (
    ENDGAMES,
    EndgameAccuracy,
    Regret,
    check_regret_size,
    measure_endgame,
    measure_regret,
    random_accuracy,
    random_endgame,
    regret_name,
    regret_positions,
)
from othello_env.arena.rating.ladder import HALF_WIDTH, Placement, place
from othello_env.arena.tournament.results import Z95, MatchResult
from othello_env.games.game import State, check_seed, check_text
from othello_env.games.hashing import mix_int
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_whole
from othello_env.support.words import elo_text, interval_text, score_text

__all__ = [
    "PERFECT",
    "Benchmark",
    "Exploitability",
    "PerfectionBenchmark",
    "PerfectionGames",
    "exploitability",
    "file_settings",
    "markdown_table",
    "openings_name",
    "run_benchmark",
    "run_perfection",
    "solved_openings",
]

_HEAD = ("rung", "Elo", "games", "score", "95% interval", "expected", "discs")
_MISFIT, _DEVIATION = 0.01, 0.05
"""A note says that one rating does not explain the scores if `Fit.p_value` is below the first number and
`Fit.deviation` at least the second. Smaller deviations are those of the rungs' own ratings."""
_ELO_OF_SCORE = 1600 / math.log(10)
"""How many Elo points one point of score is worth in even games."""


@dataclass(frozen=True)
class Benchmark:
    """An agent's results in the benchmark.

    Attributes:
        agent: the agent's name.
        placement: the agent's rating on the ladder (opponents with known ratings), or None if no games were played.
        endgame: the accuracy of the agent's moves in the packaged endgames on 8x8, or None if it was not measured.
        settings: the arguments with which the run can be repeated.
        seconds: the time that the run took, in seconds.
        report: what the agent says about its answers; see `othello_env.agent.Agent`.
    """

    agent: str
    placement: Placement | None
    endgame: EndgameAccuracy | None
    settings: dict[str, Any]
    seconds: float
    report: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Benchmark {self.head().rstrip(':')}>"

    def head(self) -> str:
        """The main result on one line."""
        if self.placement is None:
            return f"{self.agent}, seed {self.settings['seed']}:"
        games, ladder, seed = self.placement.games, self.placement.ladder, self.settings["seed"]
        how = f"{ladder.name}, {games} games, openings {ladder.openings}, seed {seed}"
        return f"{self.agent}: Elo {self.placement.elo_text} ({how})"

    @property
    def columns(self) -> tuple[str, ...]:
        """The titles of the columns of `rows`."""
        return _HEAD

    def rows(self) -> list[tuple[str, ...]]:
        """A row of texts for each rung (opponent) that the agent played, the weakest first; see `columns`."""
        placement, rows = self.placement, list[tuple[str, ...]]()
        if placement is None:
            return rows
        for rung, match in placement.matches.items():
            interval, expected = interval_text(*match.interval), score_text(placement.expected(rung))
            discs = f"{match.margin:+.1f}"
            rows.append(
                (rung.spec, elo_text(rung.elo), str(match.games), score_text(match.score), interval, expected, discs)
            )
        return rows

    def notes(self) -> list[str]:
        """Further results as a list of sentences."""
        notes = []
        if self.placement is not None:
            errors = sorted((rung.interval[1] - rung.interval[0]) / 2 for rung in self.placement.matches)
            widths = dict.fromkeys((f"{errors[0]:.0f}", f"{errors[-1]:.0f}"))  # one text if the two texts are equal
            fit = self.placement.fit
            if fit.p_value < _MISFIT and fit.deviation >= _DEVIATION:
                notes.append(
                    "One rating does not explain its scores: beyond chance, they differ from the expected scores by "
                    f"{score_text(fit.deviation)} (about {fit.deviation * _ELO_OF_SCORE:.0f} Elo). Quote the scores "
                    "beside the rating."
                )
            notes += [
                f"The rungs' own ratings (random = 0) have 95% intervals of +-{' to '.join(widths)} Elo; "
                "the agent's interval takes these ratings as exact.",
                f"{self.placement.margin:+.1f} discs a game; {1e3 * self.placement.seconds_a_move:.3g} ms a move; "
                f"{len(self.placement.faults)} games lost by illegal moves or errors.",
            ]
        if self.endgame is not None:
            rate, loss = random_endgame()
            (low, high), (least, most) = self.endgame.rate_interval, self.endgame.loss_interval
            notes.append(
                f"Endgames ({self.endgame.positions} positions, {ENDGAMES}): a best move in "
                f"{self.endgame.rate:.1%} ({low:.1%} to {high:.1%}; random moves {rate:.1%}), "
                f"{self.endgame.loss:.2f} discs lost a move ({least:.2f} to {most:.2f}; random moves {loss:.2f}), "
                f"{len(self.endgame.faults)} illegal or failed."
            )
        return [*notes, *self.report]

    def faults(self) -> list[str]:
        """The reasons for illegal and failed answers."""
        games = self.placement.faults if self.placement else []
        return [*games, *(self.endgame.faults if self.endgame else ())]

    def to_markdown(self) -> str:
        """The results as a Markdown page with a table."""
        lines = [f"# {self.agent}", ""]
        if self.placement is not None:
            lines += [self.head(), "", *markdown_table(_HEAD, self.rows()), ""]
        return "\n".join([*lines, *(f"- {note}" for note in self.notes()), ""])

    def to_json(self) -> dict[str, Any]:
        """The results as plain values: scores and rates from 0 to 1, differences and losses in discs."""
        values: dict[str, Any] = {"format": "othello-env benchmark 1", "agent": self.agent}
        values |= {**self.settings, "version": version("othello-env"), "seconds": round(self.seconds, 2)}
        if self.placement is not None:
            fit = self.placement.fit
            values |= {
                "ladder": self.placement.ladder.name,
                "openings": self.placement.ladder.openings,
                "elo": None if self.placement.elo is None else round(self.placement.elo, 1),
                "interval95": [round(end, 1) for end in self.placement.interval],
                "beyond": self.placement.beyond,
                "open_end": self.placement.open_end,
                "fit": {"chi_square": round(fit.chi_square, 2), "rungs": fit.rungs, "p": round(fit.p_value, 6)},
                "games": self.placement.games,
                "mean_disc_difference": round(self.placement.margin, 2),
                "illegal_or_failed": len(self.placement.faults),
                "milliseconds_a_move": round(1e3 * self.placement.seconds_a_move, 4),
                "results": [
                    {
                        "opponent": rung.spec,
                        "opponent_elo": rung.elo,
                        "opponent_interval95": list(rung.interval),
                        "expected_score": round(self.placement.expected(rung), 4),
                        **match.to_json(),
                    }
                    for rung, match in self.placement.matches.items()
                ],
            }
        values |= {"report": list(self.report)} if self.report else {}
        return values | ({} if self.endgame is None else {"endgame": self.endgame.to_json()})


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown. The first column is left-aligned, all other columns are right-aligned."""
    cells = [columns, ("---", *["---:"] * (len(columns) - 1)), *rows]
    return [f"| {' | '.join(row)} |" for row in cells]


def run_benchmark(
    agent: str | Agent | Policy,
    *,
    size: int = 8,
    name: str | None = None,
    half_width: float = HALF_WIDTH,
    games: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Callable[[Placement], object] | None = None,
) -> Benchmark:
    """Rate an agent on the ladder. On 8x8, also measure its accuracy in endgames.

    To measure the accuracy of the moves on 6x6, call `othello_env.arena.rating.benchmark.run_perfection`.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        size: the board's height and width, 8 or 6.
        name: the agent's name in the results; by default its spec or `repr`.
        half_width: the games on the ladder end when half the width of the rating's 95% interval is at most this many
            Elo points.
        games: the greatest number of games on the ladder; None for no limit.
        seconds: after this number of seconds no new pair of games begins; None for no limit.
        seed: the same seed gives the same results if the limit `seconds` was not reached.
        progress: called after each pair of games, with the results so far.

    Raises:
        AgentError, TypeError, ValueError, WrongGameError: see `place`.
    """
    seed = check_seed(seed)
    began = time.perf_counter()
    player = make_agent(agent, seed)
    name = check_text(name or name_of(agent, player), "the name of an agent")
    limits = {"half_width": half_width, "games": games, "seconds": seconds}
    placement = place(
        player, size=size, half_width=half_width, games=games, seconds=seconds, seed=seed, progress=progress
    )
    endgame = measure_endgame(player, seed=seed) if size == 8 else None  # the packaged endgames are on 8x8
    settings = {"seed": seed, "limits": limits, **file_settings(player)}
    report: tuple[str, ...] = tuple(getattr(player, "report", tuple)())
    return Benchmark(name, placement, endgame, settings, time.perf_counter() - began, report)


@dataclass(frozen=True)
class Exploitability:
    """An agent's results on 4x4 against the best possible opponent, which knows every move of the agent.

    Seat 0 is Black, seat 1 is White.

    Attributes:
        perfect: in each seat, the margin in discs that the agent would have if both sides played perfectly.
        worst: in each seat, the agent's margin in discs against a best response.
        positions: the number of positions in which the agent was asked for a move.
    """

    perfect: tuple[float, float]
    worst: tuple[float, float]
    positions: int

    @property
    def discs(self) -> float:
        """The exploitability in discs: the mean of `perfect` minus `worst` over both seats."""
        return sum(best - worst for best, worst in zip(self.perfect, self.worst, strict=True)) / 2


def exploitability(agent: str | Agent | Policy, *, seed: int = 0) -> Exploitability:
    """Find a best response to an agent on 4x4, for the whole game.

    The agent is asked once for a move in each position that can occur in its games and has at least two legal moves.
    The result is exact for an agent that always gives these answers. If an agent chooses its moves at random, the seed
    fixes these choices, and the opponent knows them. On average, an opponent that does not know the choices cannot win
    more than this opponent. So for an agent with random moves, the mean over many seeds is an upper bound of the
    exploitability.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        seed: determines the agent's random choices.

    Raises:
        AgentError: the agent gave an illegal answer.
        TypeError: the seed is not an integer.
        ValueError: the seed is negative.
        WrongGameError: the agent does not play Othello on 4x4.
    """
    seed = check_seed(seed)
    player, start = make_agent(agent, seed), Othello(4)
    player.check_game(start)
    perfect = make_agent("perfect")
    values = perfect.action_values(start)  # type: ignore[attr-defined]
    black = float(max(values.values()))
    responses = [_Response(player, seat, mix_int(seed, seat)) for seat in (0, 1)]
    worst = tuple(response.value(start) for response in responses)
    return Exploitability((black, -black), (worst[0], worst[1]), sum(response.asked for response in responses))


class _Response:
    """The best response to an agent that plays in one seat.

    Attributes:
        asked: the number of positions in which the agent was asked for a move.
    """

    def __init__(self, agent: Agent, seat: int, key: int) -> None:
        self._seat = seat
        self._player = Seat(agent, key)
        self._values: dict[State, float] = {}
        self.asked = 0

    def value(self, state: State) -> float:
        """The agent's final margin in discs if the opponent plays a best response from this position on."""
        if state.is_over:
            return state.margins()[self._seat]
        if state not in self._values:
            self._values[state] = self._value(state)
        return self._values[state]

    def _value(self, state: State) -> float:
        actions = state.legal_actions()
        if state.to_move != self._seat:
            return min(self.value(state.play(action)) for action in actions)
        if len(actions) == 1:
            return self.value(state.play(actions[0]))
        self.asked += 1
        return self.value(state.play(self._player.ask(state)))


PERFECT = "perfect"
"""The spec of the opponent, an agent that never makes a mistake on small boards."""
_STARTS = {4: -10, 6: -4}
"""For each board size, Black's exact score at the start, in discs."""
_EXPLOITABLE = 4
"""The board size on which the exploitability is measured."""


@cache
def solved_openings(size: int = 6) -> tuple[tuple[Othello, int], ...]:
    """The packaged openings for boards of one size. Each opening has a position, and Black's exact score in discs.

    The first opening is the start of the game. The other openings come from the file that `openings_name` names. On
    6x6, about half of the openings in this file end in a draw under perfect play. No two openings are equal under
    symmetry.

    Raises:
        ValueError: there are no openings for this size.
    """
    file = f"{openings_name(check_regret_size(size))}.txt"
    found = [(Othello(size), _STARTS[size])]
    for transcript, score in map(str.split, packaged_lines("othello_env.arena.rating", file)):
        found.append((Othello.from_moves(transcript, size), int(score)))
    return tuple(found)


def openings_name(size: int) -> str:
    """The name of the packaged openings for boards of one size.

    `scripts/make/scored_positions.py` made and solved these openings.
    """
    return f"openings-{size}x{size}-v0"


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
        means = [sum(each) / len(each) for each in by_opening.values()]
        if len(means) < 2:
            return 0.0, math.inf
        half = Z95 * float(np.std(means, ddof=1)) / math.sqrt(len(means))
        return max(0.0, self.loss - half), self.loss + half

    @property
    def kept(self) -> float:
        """The share of games that ended as under perfect play of both sides: with the same win, draw or loss."""
        same = [_sign(self._exact(record)) == _sign(self._margin(record)) for record in self.match.records]
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


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


@dataclass(frozen=True)
class PerfectionBenchmark:
    """An agent's results on a small board.

    Attributes:
        agent: the agent's name.
        regret: the accuracy of the agent's moves in packaged positions, or None if it was not measured.
        games: the agent's games against perfect play, or None if no games were played.
        exploitability: the agent's exploitability on 4x4; None on other boards, or if it was not measured.
        settings: the arguments with which the run can be repeated.
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
            found = (f"{stage.accuracy.rate:.1%}", f"{low:.1%} to {high:.1%}", f"{rate:.1%}")
            discs = (f"{stage.accuracy.loss:.2f}", f"{loss:.2f}")
            rows.append((f"{stage.fewest} to {stage.most}", str(stage.accuracy.positions), *found, *discs))
        return rows

    def notes(self) -> list[str]:
        """Further results as a list of sentences."""
        notes = []
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
            found = self.exploitability
            notes.append(
                f"Exploitability, from a best response over the whole game: {found.discs:.1f} discs a game. As Black "
                f"{found.worst[0]:+.0f} (perfect {found.perfect[0]:+.0f}), as White {found.worst[1]:+.0f} (perfect "
                f"{found.perfect[1]:+.0f})."
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
            found = self.exploitability
            values["exploitability"] = {
                "discs": found.discs,
                "perfect": list(found.perfect),
                "worst": list(found.worst),
                "positions": found.positions,
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
    name = check_text(name or name_of(agent, player), "the name of an agent")
    settings = {"size": size, "seed": seed, "games_wanted": games, **file_settings(player)}
    records: list[GameRecord] = []

    def found() -> PerfectionBenchmark:
        played = PerfectionGames(size, MatchResult(match_names(player, PERFECT), tuple(records))) if records else None
        return PerfectionBenchmark(name, regret, played, best_response, settings, time.perf_counter() - began)

    def take(record: GameRecord) -> None:
        records.append(record)
        if progress is not None:
            progress(found())

    regret = measure_regret(player, size=size, seed=seed)
    best_response = exploitability(player, seed=seed) if size == _EXPLOITABLE and not regret.faults else None
    if progress is not None:
        progress(found())
    if games:
        new_game = partial(_start, size)
        play_match(player, PERFECT, games=games, openings=openings, seed=seed, new_game=new_game, progress=take)
    return found()


def file_settings(agent: Agent) -> dict[str, Any]:
    """The setting `files`: the hashes of the files from which the agent was made. Without files, there is none."""
    return {"files": hashes} if (hashes := file_hashes(agent)) else {}


def _start(size: int, _key: int) -> Othello:
    return Othello(size)
