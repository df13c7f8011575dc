"""Games as data: arrays of games, files of games, datasets, and labels of positions."""

from othello_env.data.dataset import Dataset
from othello_env.data.examples import Examples, examples
from othello_env.data.formats import DamagedGamesWarning, read_games, read_names, write_games
from othello_env.data.formats.records import games_of_records
from othello_env.data.formats.tokens import from_tokens, tokens
from othello_env.data.games import Games, GamesError, Outcomes, Statistics, random_games
from othello_env.data.labels import MoveLabels, agent_labels, exact_labels, exact_scores
from othello_env.data.matches import match_games

__all__ = [
    "DamagedGamesWarning",
    "Dataset",
    "Examples",
    "Games",
    "GamesError",
    "MoveLabels",
    "Outcomes",
    "Statistics",
    "agent_labels",
    "exact_labels",
    "exact_scores",
    "examples",
    "from_tokens",
    "games_of_records",
    "match_games",
    "random_games",
    "read_games",
    "read_names",
    "tokens",
    "write_games",
]
