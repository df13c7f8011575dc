"""Agents against agents: games, matches, tournaments and ratings."""

from typing import TYPE_CHECKING

from othello_env.support.imports import later

if TYPE_CHECKING:
    from othello_env.arena.faults import FaultWarning
    from othello_env.arena.match import play_match
    from othello_env.arena.openings import balanced_openings
    from othello_env.arena.play.clocks import TimeControl
    from othello_env.arena.play.records import GameRecord
    from othello_env.arena.progress import measure_progress, progress_text
    from othello_env.arena.rating.benchmark import Benchmark, run_benchmark
    from othello_env.arena.rating.elo import Ratings, rate
    from othello_env.arena.rating.endgame import EndgameAccuracy, measure_endgame
    from othello_env.arena.rating.exploitability import Exploitability, exploitability
    from othello_env.arena.rating.perfection import PerfectionBenchmark, run_perfection
    from othello_env.arena.rating.placement import Placement, place
    from othello_env.arena.rating.regret import Regret, measure_regret
    from othello_env.arena.rating.standings import rate_tournament
    from othello_env.arena.sprt import Sprt
    from othello_env.arena.tournament.playing import play_tournament
    from othello_env.arena.tournament.records import read_records
    from othello_env.arena.tournament.results import MatchResult, Tournament
    from othello_env.arena.tournament.schedule import Schedule

__all__ = [
    "Benchmark",
    "EndgameAccuracy",
    "Exploitability",
    "FaultWarning",
    "GameRecord",
    "MatchResult",
    "PerfectionBenchmark",
    "Placement",
    "Ratings",
    "Regret",
    "Schedule",
    "Sprt",
    "TimeControl",
    "Tournament",
    "balanced_openings",
    "exploitability",
    "measure_endgame",
    "measure_progress",
    "measure_regret",
    "place",
    "play_match",
    "play_tournament",
    "progress_text",
    "rate",
    "rate_tournament",
    "read_records",
    "run_benchmark",
    "run_perfection",
]

if not TYPE_CHECKING:  # type checkers know the names from the imports above
    __getattr__ = later(
        __name__,
        {
            "othello_env.arena.faults": ("FaultWarning",),
            "othello_env.arena.match": ("play_match",),
            "othello_env.arena.openings": ("balanced_openings",),
            "othello_env.arena.play.clocks": ("TimeControl",),
            "othello_env.arena.play.records": ("GameRecord",),
            "othello_env.arena.progress": ("measure_progress", "progress_text"),
            "othello_env.arena.rating.benchmark": ("Benchmark", "run_benchmark"),
            "othello_env.arena.rating.elo": ("Ratings", "rate"),
            "othello_env.arena.rating.endgame": ("EndgameAccuracy", "measure_endgame"),
            "othello_env.arena.rating.exploitability": ("Exploitability", "exploitability"),
            "othello_env.arena.rating.perfection": ("PerfectionBenchmark", "run_perfection"),
            "othello_env.arena.rating.placement": ("Placement", "place"),
            "othello_env.arena.rating.regret": ("Regret", "measure_regret"),
            "othello_env.arena.rating.standings": ("rate_tournament",),
            "othello_env.arena.sprt": ("Sprt",),
            "othello_env.arena.tournament.playing": ("play_tournament",),
            "othello_env.arena.tournament.records": ("read_records",),
            "othello_env.arena.tournament.results": ("MatchResult", "Tournament"),
            "othello_env.arena.tournament.schedule": ("Schedule",),
        },
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
