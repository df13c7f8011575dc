"""The benchmark of an agent: its rating on the ladder, and on 8x8 its accuracy in endgames."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from othello_env.agent import Agent, Policy, file_hashes, make_agent, name_of
from othello_env.arena.rating.accuracy import (
    ENDGAMES,
    EndgameAccuracy,
    measure_endgame,
    random_endgame,
)
from othello_env.arena.rating.ladder import HALF_WIDTH, Placement, place, rated_programs
from othello_env.games.game import check_seed, check_text
from othello_env.support.words import elo_text, interval_text, score_text

__all__ = ["Benchmark", "file_settings", "markdown_table", "run_benchmark"]

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
        settings: the arguments with which the run can be repeated. ``interrupted`` is true if the run was not finished.
        seconds: the time that the run took, in seconds.
        report: what the agent says about its answers; see `othello_env.agent.Agent`.
        answers: the same in numbers; see `othello_env.text.ChatAgent.summary`. None if the agent counts nothing.
    """

    agent: str
    placement: Placement | None
    endgame: EndgameAccuracy | None
    settings: dict[str, Any]
    seconds: float
    report: tuple[str, ...] = ()
    answers: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return f"<Benchmark {self.head().rstrip(':')}>"

    def with_answers(self, agent: Agent) -> Benchmark:
        """These results with what the agent tells about its answers so far."""
        report = tuple(getattr(agent, "report", tuple)())
        return replace(self, report=report, answers=getattr(agent, "summary", lambda: None)())

    def head(self) -> str:
        """The main result on one line."""
        if self.placement is None:
            return f"{self.agent}, seed {self.settings['seed']}:"
        games, ladder, seed = self.placement.games, self.placement.ladder, self.settings["seed"]
        interrupted = ", interrupted" if self.settings.get("interrupted") else ""
        how = f"{ladder.name}, {games} games{interrupted}, openings {ladder.openings}, seed {seed}"
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
        if self.placement is not None and self.settings.get("interrupted"):
            notes.append(_missing(self.placement, self.settings["limits"]))
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
            if near := _programs_near(self.placement):
                notes.append(near)
            pace = f"{1e3 * self.placement.seconds_a_move:.3g} ms a move; "
            if (self.answers or {}).get("seconds_a_move") is not None:
                pace = ""  # the report has the time of a call, and calls at the same time make this one shorter
            notes += [
                f"The rungs' own ratings (random = 0) have 95% intervals of +-{' to '.join(widths)} Elo; "
                "the agent's interval takes these ratings as exact.",
                f"{self.placement.margin:+.1f} discs a game; {pace}"
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
        values |= {} if self.answers is None else {"answers": self.answers}
        return values | ({} if self.endgame is None else {"endgame": self.endgame.to_json()})


def _missing(placement: Placement, limits: dict[str, Any]) -> str:
    """A sentence that says what is missing of a run that was interrupted in its games."""
    if limits["games"]:
        done = f"{placement.games} games of at most {limits['games']} were played"
    else:
        done = f"{placement.games} games were played, too few for +-{limits['half_width']:g} Elo"
    after = "the endgames were not measured" if placement.ladder.size == 8 else "no move was compared with perfect play"
    return f"The run was interrupted: {done}; {after}."


def _programs_near(placement: Placement) -> str:
    """A sentence with the programs of other people next to whom the agent stands; empty if it has no rating."""
    programs = rated_programs(placement.ladder.name)
    if placement.elo is None or not programs:
        return ""
    weaker = [program for program in programs if program.elo <= placement.elo][-1:]
    stronger = [program for program in programs if program.elo > placement.elo][:1]
    places = [f"above {program.spec} ({elo_text(program.elo)})" for program in weaker]
    places += [f"below {program.spec} ({elo_text(program.elo)})" for program in stronger]
    return f"Among programs of other people: {', '.join(places)}."


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

    To measure the accuracy of the moves on 6x6, call `othello_env.arena.run_perfection`.

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
    return Benchmark(name, placement, endgame, settings, time.perf_counter() - began).with_answers(player)


def file_settings(agent: Agent) -> dict[str, Any]:
    """The setting `files`: the hashes of the files from which the agent was made. Without files, there is none."""
    return {"files": hashes} if (hashes := file_hashes(agent)) else {}
