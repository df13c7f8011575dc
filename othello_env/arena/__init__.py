"""Agents against agents: games, matches, tournaments and ratings."""

from othello_env.agent.clock import TimeControl
from othello_env.arena.benchmark.exploitability import Exploitability, exploitability
from othello_env.arena.benchmark.ladder import Placement, place
from othello_env.arena.benchmark.perfect import PerfectGames, play_perfect
from othello_env.arena.benchmark.positions import Accuracy, measure_positions
from othello_env.arena.benchmark.run import run_benchmark
from othello_env.arena.compare import mean_over_seeds
from othello_env.arena.elo import Ratings, rate, rate_tournament
from othello_env.arena.match import play_match
from othello_env.arena.number import Number
from othello_env.arena.openings import balanced_openings
from othello_env.arena.play.games import FaultWarning
from othello_env.arena.play.records import GameRecord
from othello_env.arena.progress import measure_progress, progress_text, scalars
from othello_env.arena.report import Part, Report, Table
from othello_env.arena.sprt import Sprt
from othello_env.arena.statistics import Mean, PairedTest, mean_interval, paired_test
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.records import read_records
from othello_env.arena.tournament.results import MatchResult, Tournament
from othello_env.arena.tournament.schedule import Schedule

__all__ = [
    "Accuracy",
    "Exploitability",
    "FaultWarning",
    "GameRecord",
    "MatchResult",
    "Mean",
    "Number",
    "PairedTest",
    "Part",
    "PerfectGames",
    "Placement",
    "Ratings",
    "Report",
    "Schedule",
    "Sprt",
    "Table",
    "TimeControl",
    "Tournament",
    "balanced_openings",
    "exploitability",
    "mean_interval",
    "mean_over_seeds",
    "measure_positions",
    "measure_progress",
    "paired_test",
    "place",
    "play_match",
    "play_perfect",
    "play_tournament",
    "progress_text",
    "rate",
    "rate_tournament",
    "read_records",
    "run_benchmark",
    "scalars",
]
