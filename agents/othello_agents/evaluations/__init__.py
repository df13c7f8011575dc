"""Evaluations: functions that give the value of a position for a player.

Each game has its own file. An `Evaluation` is such a function together with its description. All searches use this
description.
"""

from othello_agents.evaluations.any_game import count, mobility, standard
from othello_agents.evaluations.checkers import material, positional
from othello_agents.evaluations.description import Evaluate, Evaluation, evaluation
from othello_agents.evaluations.iago import iago
from othello_agents.evaluations.othello import modified, swh, weighted
from othello_agents.evaluations.registry import EVALUATIONS, evaluation_name, find_evaluation, register

__all__ = [
    "EVALUATIONS",
    "Evaluate",
    "Evaluation",
    "count",
    "evaluation",
    "evaluation_name",
    "find_evaluation",
    "iago",
    "material",
    "mobility",
    "modified",
    "positional",
    "register",
    "standard",
    "swh",
    "weighted",
]
