"""Games as data: arrays of games, files of games, datasets, and labels of positions."""

from othello_env.data.dataset import Dataset
from othello_env.data.examples import Examples, examples
from othello_env.data.formats import DamagedGamesWarning, read_games, read_names, write_games
from othello_env.data.formats.records import games_of_records
from othello_env.data.games import Games, GamesError, Outcomes, Statistics, random_games
from othello_env.data.labels import MoveLabels, agent_labels, exact_labels, exact_scores
from othello_env.data.matches import match_games
from othello_env.data.overview import Overview
from othello_env.data.review import MoveReview, PlayerReview, review_game, summarise
from othello_env.data.sequences import BoardSets, Labels, board_labels, board_sets, from_tokens, tokens

__all__ = [
    "BoardSets",
    "DamagedGamesWarning",
    "Dataset",
    "Examples",
    "Games",
    "GamesError",
    "Labels",
    "MoveLabels",
    "MoveReview",
    "Outcomes",
    "Overview",
    "PlayerReview",
    "Statistics",
    "agent_labels",
    "board_labels",
    "board_sets",
    "exact_labels",
    "exact_scores",
    "examples",
    "from_tokens",
    "games_of_records",
    "match_games",
    "random_games",
    "read_games",
    "read_names",
    "review_game",
    "summarise",
    "tokens",
    "write_games",
]
