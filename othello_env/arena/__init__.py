"""Agents against agents: games, matches, tournaments and ratings."""

from othello_env.agent.clock import TimeControl
from othello_env.arena.faults import FaultWarning
from othello_env.arena.match import play_match
from othello_env.arena.openings import balanced_openings
from othello_env.arena.play.records import GameRecord
from othello_env.arena.progress import measure_progress, progress_text, scalars
from othello_env.arena.rating.accuracy import EndgameAccuracy, Regret, measure_endgame, measure_regret
from othello_env.arena.rating.benchmark import Benchmark, run_benchmark
from othello_env.arena.rating.elo import Ratings, rate, rate_tournament
from othello_env.arena.rating.exploitability import Exploitability, exploitability
from othello_env.arena.rating.ladder import Placement, place
from othello_env.arena.rating.perfection import PerfectionBenchmark, run_perfection
from othello_env.arena.rating.seeds import mean_over_seeds
from othello_env.arena.sprt import Sprt
from othello_env.arena.statistics import Mean, PairedTest, mean_interval, paired_test
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
    "Mean",
    "PairedTest",
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
    "mean_interval",
    "mean_over_seeds",
    "measure_endgame",
    "measure_progress",
    "measure_regret",
    "paired_test",
    "place",
    "play_match",
    "play_tournament",
    "progress_text",
    "rate",
    "rate_tournament",
    "read_records",
    "run_benchmark",
    "run_perfection",
    "scalars",
]
