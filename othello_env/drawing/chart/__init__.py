"""Charts of results: scores, ratings, learning curves, heat maps of scores, costs, and counts of many games."""

from othello_env.drawing.chart.canvas import png
from othello_env.drawing.chart.curves import CurvePoint, learning_chart
from othello_env.drawing.chart.games import games_chart
from othello_env.drawing.chart.growth import growth_chart
from othello_env.drawing.chart.matrix import matrix_chart
from othello_env.drawing.chart.progress import RatingPoint, rating_chart
from othello_env.drawing.chart.ratings import EloRow, elo_chart
from othello_env.drawing.chart.scores import ScoreRow, score_chart

__all__ = [
    "CurvePoint",
    "EloRow",
    "RatingPoint",
    "ScoreRow",
    "elo_chart",
    "games_chart",
    "growth_chart",
    "learning_chart",
    "matrix_chart",
    "png",
    "rating_chart",
    "score_chart",
]
